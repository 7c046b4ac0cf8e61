/** Refunds of purchases. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { house } from '#ledger'
import { least, most } from '#lib/bigint'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import type { PaymentMethods, Price } from '#payments'
import { undoShare, unspendShares } from '#referral'
import { takeTraffic } from '#traffic'
import { noteReturned } from '#receipts'
import { releaseFrozen } from './disputes.effect.ts'
import { needDocument } from './documents.due.ts'
import { findInvoice, type Invoice, lockInvoice, priceOf } from './invoice.ts'
import { queueRefund, tellRefund } from './refund.sending.ts'
import { callOwnBack, findOwn, gatherOwn } from './lots/own.taking.ts'
import type { Own } from './lots/own.ts'
import { countedMicros, refundOf } from './payment.effect.ts'
import { boughtBy } from './returned.effect.ts'
import { type ReturnDeps, settleUnclear } from './returned.ts'

/** The result of a refund. */
export interface Refund {
  /**
   * Money that belongs to the customer again: on the referral balance, or to be returned by the processor.
   */
  refundedMicros: bigint
  /** Traffic that was taken back; the rest was used, or was on lease to a gateway. */
  takenBackBytes: bigint
  /** The same, where it was: in the invoice's pool, and in those that it was exchanged for. */
  byPool: ReadonlyMap<string, bigint>
  /** Traffic of the invoice that was given to others, and stays theirs. */
  givenBytes: bigint
  creditedBytes: bigint
}

/**
 * Refunds a paid or underpaid invoice, or what is left of one of which its processor has returned a part by
 * itself. Gateways are asked first to give back what they hold of its traffic, which may take two seconds.
 * Then, in one transaction: what is left of its traffic is taken back, the inviter's and the money leaves the
 * books: all of it, all but the cost of the used traffic, or an amount, for which the traffic that it bought
 * is taken back. The money of an invoice paid from the referral balance returns to that balance. With
 * `methods`, a processor that supports refunds receives one from `sendRefunds`; for all others the operator
 * returns the money. Refuses with `invoice_not_found`, `invoice_not_refundable`, `nothing_unused`,
 * `return_unclear` and `invalid_refund_amount`.
 */
export async function refundInvoice(
  database: Database,
  { number, what, methods, note }: RefundOrder,
  now: Date,
): Promise<Refund> {
  const known = await refundable(database.db, await findInvoice(database.db, number))
  refuseMoreThanLeft(known, what)
  await callOwnBack(database.db, known)
  return transaction(database.db, async (tx) => {
    const invoice = await refundable(tx, await findInvoice(tx, number, 'lock'))
    refuseMoreThanLeft(invoice, what)
    const { id: invoiceId, accountId, pool, method, creditedBytes } = invoice
    const releasedBytes = await releaseFrozen(tx, invoice, now)
    const own = await gatherOwn(tx, invoice, bytesFor(invoice, what), { releasedBytes, now })
    let refundedMicros = 0n
    const takenBackBytes = await takeTraffic(tx, own.bytes, {
      accountId,
      pool,
      kind: invoice.isTest ? 'test_refund' : 'refund',
      reference: number,
      postings: async (takenBytes) => {
        refundedMicros = moneyFor(invoice, what, takenBytes)
        // What is left was used up, or moved away; the rest stays refundable.
        if (refundedMicros === 0n && leftOf(invoice) > 0n) throw new Refusal('nothing_unused')
        if (method === 'referral') return unspendShares(tx, accountId, refundedMicros)
        const paidMicros = countedMicros(invoice, leftOf(invoice))
        const keptMicros = countedMicros(invoice, leftOf(invoice) - refundedMicros)
        return [
          { account: house.cash(method), amount: -refundedMicros },
          { account: house.sales(), amount: refundedMicros },
          ...(await undoShare(tx, { invoiceId, refundedMicros: paidMicros - keptMicros, paidMicros }, now)),
        ]
      },
    })
    await tx
      .updateTable('invoice')
      .set({
        state: 'refunded',
        // That of the first refund stays.
        refunded_at: invoice.refundedAt ?? now,
        refunded_micros: invoice.refundedMicros + refundedMicros,
        taken_back_bytes: invoice.takenBackBytes + takenBackBytes,
      })
      .where('id', '=', invoice.id)
      .execute()
    const isRest = refundedMicros === leftOf(invoice)
    const returned = isRest ? await priceLeft(tx, invoice) : priceOf(invoice, refundedMicros)
    const byProcessor = methods !== undefined && (await queueRefund(tx, methods, invoice, returned))
    const isWhole = refundedMicros === invoice.receivedMicros
    await noteReturned(tx, { invoiceNumber: number, returned, isWhole, byProcessor }, now)
    await needDocument(tx, { id: invoiceId, state: 'refunded' }, now)
    await tellRefund(tx, invoice, { refundedMicros, takenBackBytes })
    const byPool = taken(own, pool, takenBackBytes)
    const refund = { refundedMicros, takenBackBytes, byPool, givenBytes: own.givenBytes, creditedBytes }
    await note?.(tx, invoice, refund)
    return refund
  })
}

/**
 * Counts a refund of which the processor does not tell what it is worth in the currency of the invoice, as
 * this amount of it; 0: it has returned nothing of the invoice. Refuses with `invoice_not_found` and
 * `return_not_found`.
 */
export async function settleReturn(
  database: Database,
  { number, refundId, micros, takesBack, note }: ReturnOrder,
  now: Date,
): Promise<Invoice> {
  const known = await findInvoice(database.db, number)
  if (known === null) throw new Refusal('invoice_not_found')
  if (takesBack) await callOwnBack(database.db, known)
  return transaction(database.db, async (tx) => {
    const invoice = await lockInvoice(tx, known.id)
    await settleUnclear(tx, invoice, { refundId, micros }, { takesBack }, now)
    const after = await lockInvoice(tx, known.id)
    await note(tx, after)
    return after
  })
}

export interface ReturnOrder extends ReturnDeps {
  number: string
  /** The processor's id of the refund. */
  refundId: string
  /** Millionths of the currency of the invoice. */
  micros: bigint
  /** Runs in its transaction. */
  note: (tx: Transaction<DB>, invoice: Invoice) => Promise<void>
}

/** What is given back: all the money, all but what the used traffic cost, or an amount in micro-USD. */
export type RefundOf = 'all' | 'unused' | bigint

export interface RefundOrder {
  number: string
  what: RefundOf
  methods?: PaymentMethods
  /** Runs in the transaction of the refund. */
  note?: (tx: Transaction<DB>, invoice: Invoice, refund: Refund) => Promise<void>
}

type Left = Pick<Invoice, 'receivedMicros' | 'refundedMicros'>

/** The money of it that was not returned. */
const leftOf = ({ receivedMicros, refundedMicros }: Left): bigint => receivedMicros - refundedMicros

function refuseMoreThanLeft(invoice: Invoice, what: RefundOf): void {
  if (typeof what !== 'bigint') return
  const left = leftOf(invoice)
  if (what > left || what % 10_000n !== 0n)
    throw new Refusal('invalid_refund_amount', { most: usdToWire(left) })
}

/** What was taken where; what a gateway began to use meanwhile stays in the invoice's pool. */
function taken(own: Own, pool: string, takenBytes: bigint): Map<string, bigint> {
  const inPool = most(0n, (own.byPool.get(pool) ?? 0n) - (own.bytes - takenBytes))
  return new Map([...own.byPool, [pool, inPool] as const].filter(([, bytes]) => bytes > 0n))
}

/** What a refund of all that is left would take now, where it is, and what was given to others. */
export async function refundPreview(
  db: Kysely<DB>,
  invoice: Invoice,
): Promise<Pick<Refund, 'byPool' | 'givenBytes'>> {
  const own = await findOwn(db, invoice, bytesFor(invoice, 'all'))
  return { byPool: taken(own, invoice.pool, own.bytes), givenBytes: own.givenBytes }
}

/** The traffic to take back: all that was not, or the part that an amount bought. */
function bytesFor(invoice: Invoice, what: RefundOf): bigint {
  const held = invoice.creditedBytes - invoice.takenBackBytes
  if (typeof what !== 'bigint') return held
  return least(boughtBy(invoice, what), held)
}

/** The money to return, when this much traffic could be taken back now. */
function moneyFor(invoice: Invoice, what: RefundOf, takenBytes: bigint): bigint {
  if (typeof what === 'bigint') return what
  const whole = refundOf(invoice, { takenBytes: invoice.takenBackBytes + takenBytes, what })
  return most(0n, whole - invoice.refundedMicros)
}

/**
 * What the processor has not returned of the price: parts in another currency than USD add up to all of it.
 */
async function priceLeft(tx: Transaction<DB>, invoice: Invoice): Promise<Price> {
  const { currency, micros } = priceOf(invoice, invoice.receivedMicros)
  return { currency, micros: most(0n, micros - (await returnedByItself(tx, invoice.id)).micros) }
}

/**
 * An invoice that may be refunded: it is paid, or the processor alone has returned a part of it. Anything
 * else that is refunded was refunded here, which is done once.
 */
async function refundable(db: Kysely<DB>, invoice: Invoice | null): Promise<Invoice> {
  if (invoice === null) throw new Refusal('invoice_not_found')
  const { state } = invoice
  if (state !== 'paid' && state !== 'underpaid' && !(await hasRest(db, invoice)))
    throw new Refusal('invoice_not_refundable', { state })
  // The money may be with the customer already.
  if (await hasUnclear(db, invoice.id)) throw new Refusal('return_unclear')
  return invoice
}

/**
 * The money that can be refunded: all of a paid invoice, or what is left where the processor has returned a
 * part by itself.
 */
export async function refundableMicros(db: Kysely<DB>, invoice: Invoice): Promise<bigint> {
  const { state } = invoice
  return state === 'paid' || state === 'underpaid' || (await hasRest(db, invoice)) ? leftOf(invoice) : 0n
}

async function hasRest(db: Kysely<DB>, { id, state, ...money }: Invoice): Promise<boolean> {
  if (state !== 'refunded' || money.refundedMicros === 0n || leftOf(money) <= 0n) return false
  const { usdMicros, isFirst } = await returnedByItself(db, id)
  return isFirst && usdMicros === money.refundedMicros
}

/**
 * What the processor has returned of an invoice without being asked by the shop, in its currency and as it
 * was counted. `isFirst`: before any refund of the shop.
 */
async function returnedByItself(
  db: Kysely<DB>,
  invoiceId: bigint,
): Promise<{ micros: bigint; usdMicros: bigint; isFirst: boolean }> {
  const { rows } = await sql<{ micros: bigint; usdMicros: bigint; isFirst: boolean }>`
    select coalesce(sum(amount_micros) filter (where currency = coalesce(price_currency, 'USD')), 0)::bigint as micros, coalesce(sum(usd_micros), 0)::bigint as "usdMicros",
      coalesce((array_agg(state_before order by counted_at, made_at))[1] <> 'refunded', false) as "isFirst"
    from processor_refund join invoice on invoice.id = invoice_id
    where invoice_id = ${invoiceId} and processor_refund.state = 'counted'`.execute(db)
  return rows[0] ?? { micros: 0n, usdMicros: 0n, isFirst: false }
}

/** Whether the processor has returned money of an invoice of which nobody has said yet what it is worth. */
async function hasUnclear(db: Kysely<DB>, invoiceId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('processor_refund')
    .select('refund_id')
    .where('invoice_id', '=', invoiceId)
    .where('state', '=', 'unclear')
    .executeTakeFirst()
  return row !== undefined
}
