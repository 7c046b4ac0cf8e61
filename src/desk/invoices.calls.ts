/** The desk's calls about invoices and their refunds. */
import { accountById, searchAccounts } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { may } from '#contract/desk/roles'
import { type Database, type Db, transaction } from '#db'
import { documentFile, documentsOf, documentWaits, evidencePdf } from '#documents'
import { Refusal } from '#lib/refusal'
import { listWebhooks, type WebhookEvent } from '#payments'
import { receiptsOf } from '#receipts'
import {
  findInvoice,
  invoiceNamed,
  type Invoice,
  type InvoiceFilter,
  paymentsOf,
  type NoteVerdict,
  type PurchaseDeps,
  reconcileInvoice,
  refundableMicros,
  refundsOf,
  replayWebhook,
  searchInvoices,
  sumInvoices,
  unusedMicros,
} from '#purchase'
import { type Author, type Entry, listAudit, record } from '#staff'
import { authorOf, type DeskContext, type DeskHandlers, memberOf } from '#staff/call'
import { ownersOf } from './lists/owners.ts'
import { shownReceipt } from './receipts.calls.ts'
import { amount, endOf, idAfter, iso, pageOf, timeOf } from './lists/page.ts'
import { evidenceOf } from './payments/evidence.ts'
import { inCurrencies } from './payments/invoice.money.ts'
import { processorSide } from './payments/processor.side.ts'
import { refundCalls, shownMade } from './payments/refunds.ts'
import { referralOf } from './payments/referral.share.ts'

const rowOf = (invoice: Invoice, owner: { username: string | null; email: string | null } | null) => ({
  number: invoice.number,
  short_number: invoice.shortNumber,
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
  is_test: invoice.isTest,
  is_automatic: invoice.isAutomatic,
  disputed_at: iso(invoice.disputedAt),
  dispute_state: invoice.disputeState,
  dispute_respond_by: iso(invoice.disputeRespondBy),
  created_at: invoice.createdAt.toISOString(),
  settled_at: iso(invoice.paidAt),
})

/** The filter of a list of invoices, and of its sums. */
async function filterOf(
  db: Db,
  input: DeskParsed<'invoice_sums'>,
  { zone, member }: DeskContext,
): Promise<InvoiceFilter> {
  const text = input.text?.trim()
  // Without the right to see addresses only whole ones match: parts would reveal an address letter by letter.
  const emails = member !== null && may(member.role, 'customers.contacts') ? 'part' : 'whole'
  const people =
    text === undefined || text === '' ? [] : await searchAccounts(db, { text, limit: 200, emails })
  const ofCustomer = input.customer_id === undefined ? undefined : [BigInt(input.customer_id)]
  return {
    ...(text === undefined || text === '' ? {} : { number: text, accountIds: people.map(({ id }) => id) }),
    ...(ofCustomer === undefined ? {} : { accountIds: ofCustomer }),
    state: input.state,
    pool: input.pool,
    method: input.method,
    promocode: input.promo_code,
    disputed: input.disputed === 'true',
    need: input.need,
    from: timeOf(input.from, zone),
    until: endOf(input.until, zone),
    settledFrom: timeOf(input.settled_from, zone),
    settledUntil: endOf(input.settled_until, zone),
  }
}

async function listInvoices({ after, limit = 50, ...asked }: DeskParsed<'invoices'>, context: DeskContext) {
  const { db } = context.database
  const page = { before: idAfter(after), limit: limit + 1 }
  const rows = await searchInvoices(db, await filterOf(db, asked, context), page)
  const owners = await ownersOf(
    db,
    rows.map(({ accountId }) => accountId),
  )
  return pageOf(rows, limit, {
    next: (last) => String(last.id),
    shown: (invoice) => rowOf(invoice, owners.get(invoice.accountId) ?? null),
  })
}

export const eventOf = (event: WebhookEvent) => ({
  id: String(event.id),
  at: event.receivedAt.toISOString(),
  method: event.method,
  verdict: event.verdict,
  deliveries: event.deliveries,
})

async function shownInvoice(
  db: Db,
  number: string,
  { mayRefund, now }: { mayRefund: boolean; now: Date },
): Promise<DeskOutput<'invoice'>> {
  const invoice = await invoiceNamed(db, number)
  if (invoice === null) throw new Refusal('invoice_not_found')
  const owner = await accountById(db, invoice.accountId)
  const refundable = await refundableMicros(db, invoice)
  const made = await refundsOf(db, invoice.id)
  const isUnusedPlanned = made.some(({ isUnused, state }) => isUnused && state === 'planned')
  const unused = isUnusedPlanned ? await unusedMicros(db, invoice) : null
  const payments = await paymentsOf(db, invoice.id)
  const events = await listWebhooks(db, { invoice: number, limit: 100 })
  return {
    ...rowOf(invoice, owner),
    per_gb_micros: amount(invoice.perGbMicros),
    price_list: invoice.priceList,
    volume_discount_ppm: invoice.volumeDiscountPpm,
    promo_discount_ppm: invoice.promoDiscountPpm,
    full_cost_micros: amount(invoice.fullCostMicros),
    ...inCurrencies(invoice),
    credited_bytes: amount(invoice.creditedBytes),
    taken_back_bytes: amount(invoice.takenBackBytes),
    external_id: invoice.externalId,
    processor_verdict: invoice.processorVerdict,
    promo_lost_at: iso(invoice.promoLostAt),
    expires_at: invoice.expiresAt.toISOString(),
    refunded_at: iso(invoice.refundedAt),
    refundable_micros: amount(refundable),
    refunds: made.map((one) =>
      shownMade(one, { mayRefund, unused: one.isUnused && one.state === 'planned' ? unused : null }),
    ),
    ...(await processorSide(db, invoice)),
    receipts: (await receiptsOf(db, [number], now)).map((receipt) =>
      shownReceipt(receipt, owner?.username ?? null),
    ),
    payments: payments.map((payment) => ({
      external_id: payment.external_payment_id,
      received_micros: amount(payment.received_micros),
      at: payment.received_at.toISOString(),
    })),
    events: events.map(eventOf),
    documents: (await documentsOf(db, invoice.id)).map((line) => ({
      id: String(line.id),
      kind: line.kind,
      number: line.number,
      specimen: line.isSpecimen,
      amount_micros: amount(line.amountMicros),
      at: line.issuedAt.toISOString(),
      sha256: line.sha256,
    })),
    document_waits: await documentWaits(db, invoice, now),
    referral: await referralOf(db, invoice.id),
    acts: await actsOn(db, number),
  }
}

/** The acts of staff on the invoice, from the audit trail. */
async function actsOn(db: Db, number: string): Promise<DeskOutput<'invoice'>['acts']> {
  const subject = { subjectKind: 'invoice', subjectId: number }
  const acts = await listAudit(db, subject, { before: null, limit: 100 })
  return acts.map((act) => ({
    at: act.at.toISOString(),
    action: act.action,
    by: {
      kind: act.actor_kind as 'staff' | 'system',
      staff_id: act.staff_id === null ? null : String(act.staff_id),
      name: act.actor_name,
    },
    reason: act.reason,
    verdict: verdictIn(act.after),
  }))
}

/** The verdict in an entry of the audit trail; null: the act had none. */
function verdictIn(after: unknown): string | null {
  const verdict = typeof after === 'object' && after !== null && 'verdict' in after ? after.verdict : null
  return typeof verdict === 'string' ? verdict : null
}

/**
 * Runs what an operator asked for. Records the verdict in the transaction of the settlement, or afterwards
 * when the answer settled nothing.
 */
async function judged<V extends string | null>(
  database: Database,
  author: Author,
  asked: { action: string; subject: Entry['subject']; reason: string | null; after?: Record<string, string> },
  work: (note: NoteVerdict) => Promise<V>,
  now: Date,
): Promise<V> {
  const { action, reason } = asked
  let isRecorded = false
  const verdict = await work(async (tx, { verdict: found, invoice }) => {
    const subject = invoice === null ? asked.subject : ({ kind: 'invoice', id: invoice.number } as const)
    const whose = invoice === null ? {} : { accountId: invoice.accountId, before: { state: invoice.state } }
    await record(
      tx,
      author,
      { action, subject, ...whose, after: { ...asked.after, verdict: found }, reason },
      now,
    )
    isRecorded = true
  })
  if (!isRecorded && verdict !== null)
    await transaction(database.db, (tx) =>
      record(tx, author, { action, subject: asked.subject, after: { ...asked.after, verdict }, reason }, now),
    )
  return verdict
}

/** Asks the processor about an invoice now. Null: it has no processor. Refuses as `reconcileInvoice` does. */
export function askProcessor(
  database: Database,
  deps: PurchaseDeps,
  author: Author,
  { number, reason }: { number: string; reason: string | null },
  now: Date,
) {
  const asked = { action: 'ask_processor', subject: { kind: 'invoice', id: number }, reason } as const
  return judged(database, author, asked, (note) => reconcileInvoice(database, deps, number, now, note), now)
}

/** Judges a stored notification again. Null: there is none with this id. Refuses as `replayWebhook` does. */
export function replayEvent(
  database: Database,
  deps: PurchaseDeps,
  author: Author,
  { id, reason }: { id: bigint; reason: string | null },
  now: Date,
) {
  const asked = {
    action: 'replay_payment_event',
    subject: { kind: 'payment_event', id: String(id) },
    after: { payment_event: String(id) },
    reason,
  } as const
  return judged(database, author, asked, (note) => replayWebhook(database, deps, id, now, note), now)
}

/** Makes the paper about a disputed sale, and records that, since it names the customer and addresses. */
async function makeEvidence(number: string, context: DeskContext): Promise<DeskOutput<'invoice_document'>> {
  const { db } = context.database
  const invoice = await findInvoice(db, number)
  if (invoice === null) throw new Refusal('invoice_not_found')
  if (invoice.disputedAt === null) throw new Refusal('invoice_not_disputed')
  const now = context.now()
  const file = await evidencePdf(await evidenceOf(db, invoice, context.language, now), now)
  await transaction(db, (tx) =>
    record(
      tx,
      authorOf(context),
      {
        action: 'dispute_evidence',
        subject: { kind: 'invoice', id: number },
        accountId: invoice.accountId,
        after: { bytes: file.length },
        reason: null,
      },
      now,
    ),
  )
  return { name: `evidence-${number}.pdf`, content_type: 'application/pdf', bytes: Uint8Array.from(file) }
}

export function invoiceCalls(deps: PurchaseDeps) {
  return {
    invoices: (input, context) => listInvoices(input, context),
    invoice_sums: async (input, context) => {
      const { db } = context.database
      const sums = await sumInvoices(db, await filterOf(db, input, context))
      return {
        count: amount(sums.count),
        received_micros: amount(sums.receivedMicros),
        referral_micros: amount(sums.referralMicros),
        balance_micros: amount(sums.balanceMicros),
        refunded_micros: amount(sums.refundedMicros),
        credited_bytes: amount(sums.creditedBytes),
      }
    },
    invoice: ({ number }, context) =>
      shownInvoice(context.database.db, number, {
        mayRefund: may(memberOf(context).role, 'invoices.refund'),
        now: context.now(),
      }),
    invoice_document: async ({ number, id }, { database: { db } }) => {
      const invoice = await findInvoice(db, number)
      if (invoice === null) throw new Refusal('invoice_not_found')
      const file = await documentFile(db, { id: BigInt(id), invoiceId: invoice.id })
      if (file === null) throw new Refusal('document_not_found')
      return { name: file.name, content_type: 'application/pdf', bytes: file.bytes }
    },
    dispute_evidence: ({ number }, context) => makeEvidence(number, context),
    ...refundCalls(deps),
    ask_processor: async ({ number, reason = null }, context) => {
      const { database, now } = context
      const verdict = await askProcessor(database, deps, authorOf(context), { number, reason }, now())
      if (verdict === null) throw new Refusal('nothing_to_ask')
      return { verdict }
    },
    replay_payment_event: async ({ id, reason = null }, context) => {
      const { database, now } = context
      const order = { id: BigInt(id), reason }
      const verdict = await replayEvent(database, deps, authorOf(context), order, now())
      if (verdict === null) throw new Refusal('payment_event_not_found')
      return { verdict }
    },
  } satisfies Partial<DeskHandlers>
}
