/** The desk's calls about invoices, refunds and the notifications of processors. */
import { accountById, searchAccounts } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import { findWebhook, listWebhooks, type WebhookEvent } from '#payments'
import {
  findInvoice,
  findRefund,
  type Invoice,
  paymentsOf,
  type PurchaseDeps,
  refundInvoice,
  type RefundOf,
  searchInvoices,
  sendRefunds,
} from '#purchase'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { ownersOf } from './owners.ts'
import { amount, bigintOf, endOf, idAfter, iso, pageOf, timeOf } from './page.ts'

type Db = Parameters<typeof searchInvoices>[0]

const rowOf = (invoice: Invoice, owner: { username: string | null; email: string | null } | null) => ({
  number: invoice.number,
  state: invoice.state,
  customer_id: String(invoice.accountId),
  customer_name: owner?.username ?? null,
  email: owner?.email ?? null,
  pool: invoice.pool,
  gb: Number(invoice.gb),
  method: invoice.method,
  cost_micros: amount(invoice.dueMicros),
  received_micros: amount(invoice.receivedMicros),
  refunded_micros: amount(invoice.refundedMicros),
  promo_code: invoice.promocode,
  disputed_at: iso(invoice.disputedAt),
  created_at: invoice.createdAt.toISOString(),
  settled_at: iso(invoice.settledAt),
})

async function listInvoices(db: Db, input: DeskParsed<'invoices'>) {
  const { after, limit = 50 } = input
  const text = input.text?.trim()
  const people = text === undefined || text === '' ? [] : await searchAccounts(db, { text, limit: 200 })
  const ofCustomer = input.customer_id === undefined ? undefined : [BigInt(input.customer_id)]
  const rows = await searchInvoices(
    db,
    {
      ...(text === undefined || text === '' ? {} : { number: text, accountIds: people.map(({ id }) => id) }),
      ...(ofCustomer === undefined ? {} : { accountIds: ofCustomer }),
      state: input.state,
      pool: input.pool,
      method: input.method,
      promocode: input.promo_code,
      disputed: input.disputed === 'true',
      from: timeOf(input.from),
      until: endOf(input.until),
    },
    { before: idAfter(after), limit: limit + 1 },
  )
  const owners = await ownersOf(
    db,
    rows.map(({ accountId }) => accountId),
  )
  return pageOf(rows, limit, {
    next: (last) => String(last.id),
    shown: (invoice) => rowOf(invoice, owners.get(invoice.accountId) ?? null),
  })
}

const eventOf = (event: WebhookEvent) => ({
  id: String(event.id),
  at: event.receivedAt.toISOString(),
  method: event.method,
  verdict: event.verdict,
  deliveries: event.deliveries,
})

async function shownInvoice(db: Db, number: string): Promise<DeskOutput<'invoice'>> {
  const invoice = await findInvoice(db, number)
  if (invoice === null) throw new Refusal('invoice_not_found')
  const owner = await accountById(db, invoice.accountId)
  const sent = await findRefund(db, invoice.id)
  const payments = await paymentsOf(db, invoice.id)
  const events = await listWebhooks(db, { invoice: number, limit: 100 })
  return {
    ...rowOf(invoice, owner),
    per_gb_micros: amount(invoice.perGbMicros),
    volume_discount_ppm: invoice.volumeDiscountPpm,
    promo_discount_ppm: invoice.promoDiscountPpm,
    full_cost_micros: amount(invoice.fullCostMicros),
    price: {
      currency: invoice.price.currency,
      micros: amount(invoice.price.micros),
      rate_micros: invoice.rate === null ? null : amount(invoice.rate.perUsdMicros),
    },
    credited_bytes: amount(invoice.creditedBytes),
    taken_back_bytes: amount(invoice.takenBackBytes),
    external_id: invoice.externalId,
    processor_verdict: invoice.processorVerdict,
    promo_lost_at: iso(invoice.promoLostAt),
    expires_at: invoice.expiresAt.toISOString(),
    refunded_at: iso(invoice.refundedAt),
    processor_refund:
      sent === null
        ? null
        : {
            state: sent.state,
            currency: sent.price.currency,
            micros: amount(sent.price.micros),
            reference: sent.reference,
            claim_url: sent.claimUrl,
            fault: sent.fault,
          },
    payments: payments.map((payment) => ({
      external_id: payment.external_payment_id,
      received_micros: amount(payment.received_micros),
      at: payment.received_at.toISOString(),
    })),
    events: events.map(eventOf),
  }
}

/**
 * Refunds an invoice and asks the processor to send the money, where it can. The reason is recorded. Refuses as
 * `refundInvoice` does.
 */
export async function refund(
  database: Database,
  deps: PurchaseDeps,
  author: Author,
  { number, what, reason }: { number: string; what: RefundOf; reason: string | null },
  now: Date,
) {
  const done = await refundInvoice(
    database,
    {
      number,
      what,
      methods: deps.methods,
      note: (tx, invoice, { refundedMicros, takenBackBytes }) =>
        record(
          tx,
          author,
          {
            action: 'refund_invoice',
            subject: { kind: 'invoice', id: number },
            accountId: invoice.accountId,
            before: { state: invoice.state, received_micros: invoice.receivedMicros },
            after: { what, refunded_micros: refundedMicros, taken_back_bytes: takenBackBytes },
            reason,
          },
          now,
        ),
    },
    now,
  )
  const invoice = await findInvoice(database.db, number)
  if (invoice === null) throw new Error(`invoice ${number} was just refunded`)
  await sendRefunds(database, deps, now, invoice.id)
  return { done, invoice, sent: await findRefund(database.db, invoice.id) }
}

const whatOf = ({ what }: DeskParsed<'refund_invoice'>): RefundOf =>
  what.kind === 'amount' ? BigInt(what.micros) : what.kind === 'whole' ? 'all' : 'unused'

export function invoiceCalls(deps: PurchaseDeps, { stepUpMicros }: { stepUpMicros: bigint }) {
  return {
    invoices: (input, { database }) => listInvoices(database.db, input),
    invoice: ({ number }, { database }) => shownInvoice(database.db, number),
    refund_invoice: async (input, context) => {
      const { database, now } = context
      const { number, reason } = input
      const known = await findInvoice(database.db, number)
      if (known === null) throw new Refusal('invoice_not_found')
      const what = whatOf(input)
      if ((typeof what === 'bigint' ? what : known.receivedMicros) >= stepUpMicros) context.needStepUp()
      const order = { number, what, reason }
      const { done, invoice, sent } = await refund(database, deps, authorOf(context), order, now())
      return {
        refunded_micros: amount(done.refundedMicros),
        taken_back_bytes: amount(done.takenBackBytes),
        credited_bytes: amount(done.creditedBytes),
        way: invoice.method === 'referral' ? 'balance' : sent === null ? 'by_hand' : 'processor',
      }
    },
    payment_events: async ({ after, limit = 50, method, verdict, invoice }, { database }) => {
      const before = idAfter(after)
      const rows = await listWebhooks(database.db, {
        limit: limit + 1,
        ...(before === null ? {} : { before }),
        ...(method === undefined ? {} : { method }),
        ...(verdict === undefined ? {} : { verdict }),
        ...(invoice === undefined ? {} : { invoice }),
      })
      return pageOf(rows, limit, {
        next: (last) => String(last.id),
        shown: (event) => ({ ...eventOf(event), invoice_number: event.invoiceNumber }),
      })
    },
    payment_event: async ({ id }, { database }) => {
      const event = await findWebhook(database.db, bigintOf(id) ?? 0n)
      if (event === null) throw new Refusal('payment_event_not_found')
      return {
        ...eventOf(event),
        invoice_number: event.invoiceNumber,
        judged_at: iso(event.judgedAt),
        ip: event.ip === '' ? null : event.ip,
        headers: Object.fromEntries(
          Object.entries(event.headers).map(([name, value]) => [
            name,
            isSecretHeader(name) ? '…' : String(value),
          ]),
        ),
        body: Buffer.from(event.body).toString('utf8'),
        body_bytes: event.bodyBytes,
      }
    },
  } satisfies Partial<DeskHandlers>
}

/** A processor may prove itself by a shared secret in a header. */
const isSecretHeader = (name: string) => /authorization|cookie|token|secret|api-key/i.test(name)
