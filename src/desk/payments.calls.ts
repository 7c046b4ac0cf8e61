/**
 * The desk's calls about payment processors: their notifications, the outcome of each, and refunds that they
 * still have to make.
 */
import type { Kysely } from 'kysely'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { findWebhook, listWebhooks, webhookCounts, withdrawnMethods } from '#payments'
import {
  countRefunds,
  type Invoice,
  listDisputes,
  listFeeTerms,
  listRefunds,
  type PurchaseDeps,
  searchInvoices,
} from '#purchase'
import { needsReceiptEmail } from '#receipts'
import { authorOf, type DeskHandlers } from '#staff/call'
import { enterFeeTerms } from './payments/fee.terms.ts'
import { eventOf } from './invoices.calls.ts'
import { ownersOf } from './lists/owners.ts'
import { amount, bigintOf, cursorOf, idAfter, iso, pageOf, partsAfter } from './lists/page.ts'
import { buyForTest } from './test.purchase.ts'

const latest = (times: readonly Date[]) =>
  times.length === 0 ? null : new Date(Math.max(...times.map((time) => time.getTime()))).toISOString()

/** The maximum number of fee terms shown for a processor; earlier ones are in the audit trail. */
const mostTerms = 20

async function shownProcessors(
  db: Kysely<DB>,
  { methods, receipts }: PurchaseDeps,
  now: Date,
): Promise<DeskOutput<'processors'>> {
  const heard = Map.groupBy(await webhookCounts(db), ({ method }) => method)
  const refunds = new Map((await countRefunds(db, now)).map((row) => [row.method, row]))
  const usable = new Set(
    (await methods.usable(db, now)).filter(({ isClosed }) => !isClosed).map(({ method }) => method.name),
  )
  const withdrawn = await withdrawnMethods(db)
  const names = new Set([...methods.list().map(({ name }) => name), ...heard.keys(), ...refunds.keys()])
  const terms = await listFeeTerms(db)
  const tests = new Map<string, Invoice>()
  for (const name of names) {
    const [last] = await searchInvoices(db, { test: true, method: name }, { before: null, limit: 1 })
    if (last !== undefined) tests.set(name, last)
  }
  return [...names].map((name) => {
    const test = tests.get(name)
    const set = terms.filter((one) => one.method === name).slice(0, mostTerms)
    const method = methods.find(name)
    const counts = heard.get(name) ?? []
    const timesOf = (those: (verdict: string | null) => boolean) =>
      latest(counts.filter(({ verdict }) => those(verdict)).map(({ lastAt }) => lastAt))
    return {
      method: name,
      is_set: method !== null,
      is_offered: !withdrawn.has(name),
      currency: method?.currency ?? null,
      needs_rate: method !== null && !usable.has(name),
      needs_receipt_email: needsReceiptEmail(receipts, name),
      refunds: method?.refund !== undefined,
      reports_fees: method?.reportsFees === true,
      fee_terms: set.map((one) => ({
        from: one.validFrom.toISOString(),
        percent_ppm: one.percentPpm,
        fixed_micros: amount(one.fixedMicros),
        set_at: one.setAt.toISOString(),
        set_by: one.setBy,
      })),
      heard_at: timesOf((verdict) => verdict !== 'forged'),
      credited_at: timesOf((verdict) => verdict === 'credited'),
      verdicts: counts.map(({ verdict, count, lastAt }) => ({
        verdict,
        count: amount(count),
        last_at: lastAt.toISOString(),
      })),
      refunds_due: amount(refunds.get(name)?.due),
      refunds_failed: amount(refunds.get(name)?.failed),
      test:
        test === undefined
          ? null
          : { number: test.number, state: test.state, at: test.createdAt.toISOString() },
    }
  })
}

async function shownDisputes(
  db: Kysely<DB>,
  { after, limit = 50, state }: DeskParsed<'disputes'>,
): Promise<DeskOutput<'disputes'>> {
  const place = partsAfter(after, 3)
  const page = { after: place === null ? null : placeOf(place), limit: limit + 1 }
  const rows = await listDisputes(db, { onlyOpen: state === 'open' }, page)
  const owners = await ownersOf(
    db,
    rows.map(({ accountId }) => accountId),
  )
  return pageOf(rows, limit, {
    next: (last) => cursorOf(last.place.group, last.place.due, String(last.id)),
    shown: (dispute) => ({
      invoice_number: dispute.number,
      customer_id: String(dispute.accountId),
      customer_name: owners.get(dispute.accountId)?.username ?? null,
      method: dispute.method,
      received_micros: amount(dispute.receivedMicros),
      state: dispute.state,
      is_open: dispute.isOpen,
      disputed_at: dispute.disputedAt.toISOString(),
      respond_by: iso(dispute.respondBy),
    }),
  })
}

const feeCalls = ({ methods }: Pick<PurchaseDeps, 'methods'>) =>
  ({
    set_fee_terms: async (
      { method, percent_ppm: percentPpm, fixed_micros: fixed, from, reason },
      context,
    ) => {
      const now = context.now()
      const validFrom = from === undefined ? now : new Date(from)
      const terms = { method, validFrom, percentPpm, fixedMicros: BigInt(fixed), setAt: now }
      const author = authorOf(context)
      await enterFeeTerms(context.database.db, methods, author, { ...terms, reason })
      return true as const
    },
  }) satisfies Partial<DeskHandlers>

export const paymentCalls = ({ purchase }: { purchase: PurchaseDeps }) =>
  ({
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
    payment_refunds: async ({ after, limit = 50, state, method }, { database: { db } }) => {
      const rows = await listRefunds(db, { state, method }, { before: idAfter(after), limit: limit + 1 })
      const owners = await ownersOf(
        db,
        rows.map(({ accountId }) => accountId),
      )
      return pageOf(rows, limit, {
        next: (last) => String(last.id),
        shown: (refund) => ({
          id: refund.name,
          invoice_number: refund.invoiceNumber,
          customer_id: String(refund.accountId),
          customer_name: owners.get(refund.accountId)?.username ?? null,
          method: refund.method,
          way: refund.way,
          currency: refund.price.currency,
          micros: amount(refund.price.micros),
          state: refund.state,
          attempts: refund.attempts,
          fault: refund.fault,
          reference: refund.reference,
          asked_at: refund.askedAt.toISOString(),
          tried_at: iso(refund.triedAt),
          sent_at: iso(refund.sentAt),
        }),
      })
    },
    disputes: (input, { database }) => shownDisputes(database.db, input),
    processors: (_input, { database, now }) => shownProcessors(database.db, purchase, now()),
    ...feeCalls(purchase),
    test_purchase: ({ method, reason, key, receipt_email: receiptEmail = null }, context) => {
      const { database, language, now } = context
      const order = { method, reason, key, language, receiptEmail }
      return buyForTest(database, purchase, authorOf(context), order, now())
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
  }) satisfies Partial<DeskHandlers>

/**
 * Whether it is a time as PostgreSQL prints one in UTC; the calendar of JavaScript has a thirtieth of
 * February.
 */
function isTimeOfUtc(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/.test(text)) return false
  const time = new Date(text.replace(' ', 'T').replace('+00', 'Z'))
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text.slice(0, 10)
}

/** The position of a dispute in the list, from a cursor. Refuses a cursor that this server did not make. */
function placeOf([group = '', due = '', last = '']: readonly string[]) {
  const id = idAfter(last)
  const isTime = due === 'infinity' || isTimeOfUtc(due)
  if (!/^[012]$/.test(group) || !isTime || id === null) throw new Refusal('invalid_field', { field: 'after' })
  return { group, due, id }
}

/** The name of a header in which a processor may send a shared secret. */
const isSecretHeader = (name: string) => /authorization|cookie|token|secret|api-key/i.test(name)
