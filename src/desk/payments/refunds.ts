/** The desk's acts on refunds that the shop makes: ordered, previewed, sent by hand, dropped. */
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { Refusal } from '#lib/refusal'
import {
  dropRefund,
  findInvoice,
  type Invoice,
  type MadeRefund,
  planRefund,
  type PurchaseDeps,
  readReturned,
  type Refund,
  refundableMicros,
  refundInvoice,
  type RefundOf,
  refundPreview,
  refundsOf,
  refundWay,
  sendPlanned,
  sendRefunds,
} from '#purchase'
import { type Author, record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { repeatable } from '../lists/once.ts'
import { amount, iso } from '../lists/page.ts'

interface Wish {
  number: string
  what: RefundOf
  /** Staff send the money, even if the processor could. */
  byHand?: boolean
  /** The request's key. A repeated request with the same key makes one refund. */
  key?: string
  reason: string | null
}

/** An ordered refund. `done`: the money and traffic that it took; null while it waits to be sent by hand. */
export interface Ordered {
  invoice: Invoice
  made: MadeRefund
  done: Refund | null
}

/**
 * Refunds an invoice or a part of it. First records what the processor has returned by itself. If the
 * processor can send the money, it is asked to; otherwise the refund is planned, and takes nothing until it
 * is sent by hand. The reason is recorded. Refuses as `refundInvoice` does, and with `act_key_reused`.
 */
export function refund(
  database: Database,
  deps: PurchaseDeps,
  author: Author,
  wish: Wish,
  now: Date,
): Promise<Ordered> {
  const { number, what, byHand = false, key } = wish
  if (key === undefined) return orderRefund(database, deps, author, { ...wish, keyed: {} }, now)
  const input = { number, what, by_hand: byHand }
  const keyed = { key, input }
  return repeatable(database.db, { ...keyed, author, actions: ['refund_invoice', 'plan_refund'] }, () =>
    orderRefund(database, deps, author, { ...wish, keyed }, now),
  )
}

/** `keyed`: what the audit trail keeps of a request with a key. */
async function orderRefund(
  database: Database,
  deps: PurchaseDeps,
  author: Author,
  { number, what, byHand = false, key, reason, keyed }: Wish & { keyed: object },
  now: Date,
): Promise<Ordered> {
  await readReturned(database, deps, number, now)
  const before = await findInvoice(database.db, number)
  if (before === null) throw new Refusal('invoice_not_found')
  const way = refundWay(before, deps.methods)
  if (way === 'hand' || (way === 'processor' && byHand)) {
    const { name } = await planRefund(
      database,
      {
        number,
        what,
        ...(key === undefined ? {} : { key }),
        note: (tx, { accountId, ...invoice }, { name: refund, usdMicros }) =>
          record(
            tx,
            author,
            {
              action: 'plan_refund',
              subject: { kind: 'invoice', id: number },
              accountId,
              before: { state: invoice.state, received_micros: invoice.receivedMicros },
              after: { ...keyed, what, refund, micros: usdMicros },
              reason,
              stake: { micros: usdMicros },
            },
            now,
          ),
      },
      now,
    )
    return { ...(await madeOf(database, number, name)), done: null }
  }
  const done = await refundInvoice(
    database,
    {
      number,
      what,
      methods: deps.methods,
      ...(key === undefined ? {} : { key }),
      note: (tx, invoice, booked) => {
        const { after, ...entry } = entryOf(invoice, booked)
        const all = { action: 'refund_invoice', ...entry, after: { ...keyed, ...after }, reason }
        return record(tx, author, all, now)
      },
    },
    now,
  )
  await sendRefunds(database, deps, now, before.id)
  return { ...(await madeOf(database, number, done.name)), done }
}

/** The fields of a booked refund that the audit trail stores. */
const entryOf = (
  { number, accountId, state, receivedMicros }: Invoice,
  { name, refundedMicros, takenBackBytes }: Refund,
) => ({
  subject: { kind: 'invoice', id: number } as const,
  accountId,
  before: { state, received_micros: receivedMicros },
  after: { refund: name, refunded_micros: refundedMicros, taken_back_bytes: takenBackBytes },
  stake: { micros: refundedMicros },
})

async function madeOf({ db }: Database, number: string, name: string) {
  const invoice = await findInvoice(db, number)
  const made = invoice === null ? [] : await refundsOf(db, invoice.id)
  const one = made.find((each) => each.name === name)
  if (invoice === null || one === undefined) throw new Error(`refund ${name} was just made`)
  return { invoice, made: one }
}

/** Records that staff have sent a planned refund, and books it. Refuses as `sendPlanned` does. */
export function noteSent(
  database: Database,
  author: Author,
  { name, reference, reason }: { name: string; reference: string | null; reason: string | null },
  now: Date,
): Promise<Refund> {
  return sendPlanned(
    database,
    {
      name,
      reference,
      note: (tx, invoice, booked) =>
        record(tx, author, { action: 'send_refund', ...entryOf(invoice, booked), reason }, now),
    },
    now,
  )
}

/** Cancels a planned refund that will not be sent. Refuses with `refund_not_planned`. */
export function drop(
  database: Database,
  author: Author,
  { name, reason }: { name: string; reason: string | null },
  now: Date,
): Promise<void> {
  return dropRefund(
    database,
    {
      name,
      note: (tx, { number, accountId }, { usdMicros }) =>
        record(
          tx,
          author,
          {
            action: 'drop_refund',
            subject: { kind: 'invoice', id: number },
            accountId,
            after: { refund: name, micros: usdMicros },
            reason,
          },
          now,
        ),
    },
    now,
  )
}

const whatOf = ({ what }: Pick<DeskParsed<'refund_invoice'>, 'what'>): RefundOf =>
  what.kind === 'amount' ? BigInt(what.micros) : what.kind === 'whole' ? 'all' : 'unused'

const shownTaken = ({ byPool, givenBytes }: Pick<Refund, 'byPool' | 'givenBytes'>) => ({
  taken: [...byPool].map(([pool, bytes]) => ({ pool: pool as Pool, bytes: amount(bytes) })),
  given_bytes: amount(givenBytes),
})

/** A refund of an invoice. `mayRefund`: the holder of the address of a claim can claim the money. */
export const shownMade = (
  made: MadeRefund,
  { mayRefund, unused = null }: { mayRefund: boolean; unused?: bigint | null },
): DeskOutput<'invoice'>['refunds'][number] => ({
  id: made.name,
  way: made.way,
  state: made.state,
  currency: made.price.currency,
  micros: amount(made.price.micros),
  usd_micros: amount(made.usdMicros),
  unused_micros: unused === null ? null : amount(unused),
  taken_back_bytes: amount(made.takenBackBytes),
  reference: made.reference,
  claim_url: mayRefund ? made.claimUrl : null,
  fault: made.fault,
  asked_at: made.askedAt.toISOString(),
  sent_at: iso(made.sentAt),
  ended_at: iso(made.endedAt),
})

const shownDone = (done: Refund) => ({
  refunded_micros: amount(done.refundedMicros),
  taken_back_bytes: amount(done.takenBackBytes),
  credited_bytes: amount(done.creditedBytes),
  ...shownTaken(done),
})

export const refundCalls = (deps: PurchaseDeps) =>
  ({
    preview_refund: async (input, { database: { db } }) => {
      const invoice = await findInvoice(db, input.number)
      if (invoice === null) throw new Refusal('invoice_not_found')
      const what = whatOf(input)
      const left = await refundableMicros(db, invoice)
      const preview = await refundPreview(db, invoice, what)
      return {
        refunded_micros: amount(preview.usdMicros),
        left_micros: amount(left - preview.usdMicros),
        taken_back_bytes: amount(preview.takenBytes),
        ...shownTaken(preview),
        way: refundWay(invoice, deps.methods),
      }
    },
    refund_invoice: async (input, context) => {
      const { database, now } = context
      const { number, reason, key, by_hand: byHand = false } = input
      const order = { number, what: whatOf(input), byHand, key, reason }
      const { done, invoice, made } = await refund(database, deps, authorOf(context), order, now())
      const nothing = { taken_back_bytes: '0', credited_bytes: amount(invoice.creditedBytes), taken: [] }
      return {
        ...(done === null
          ? { refunded_micros: amount(made.usdMicros), ...nothing, given_bytes: '0' }
          : shownDone(done)),
        way: made.way,
        state: made.state,
        fault: made.fault,
      }
    },
    send_refund: async ({ id, reference = null, reason }, context) => {
      const wish = { name: id, reference, reason }
      return shownDone(await noteSent(context.database, authorOf(context), wish, context.now()))
    },
    drop_refund: async ({ id, reason }, context) => {
      await drop(context.database, authorOf(context), { name: id, reason }, context.now())
      return true as const
    },
  }) satisfies Partial<DeskHandlers>
