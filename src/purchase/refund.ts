/** Refunds that the shop makes: of all of an invoice or of parts of it, any number of times. */
import { downToCent, isWholeCents } from '#contract/price'
import { randomUUID } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { least, most } from '#lib/bigint'
import { usdToWire } from '#lib/money'
import { Refusal } from '#lib/refusal'
import type { PaymentMethods, Price } from '#payments'
import { noteReturned } from '#receipts'
import { needDocument } from './invoices/documents.due.ts'
import { lockMoney, moneyOf, plannedOfMoney } from './balance/money.ts'
import { frozenOf, releaseFrozenMoney } from './balance/withheld.ts'
import { findInvoice, type Invoice, isTopUp, priceOf } from './invoices/invoice.ts'
import { returnedPrice } from './invoices/returned.price.ts'
import { callOwnBack } from './lots/own.taking.ts'
import type { Own } from './lots/own.ts'
import { leftOf } from './rules/payment.ts'
import { type Booked, bookReturn, releaseFrozen, tellRefund } from './refund.booking.ts'
import { bytesFor, moneyFor, type RefundOf } from './rules/refund.ts'

/** The result of a refund. */
export interface Refund {
  /** Its name outside the database. */
  name: string
  /** Who returns the money: the processor, staff, or nobody, since it is on the balance that paid again. */
  way: RefundWay
  /**
   * Money that belongs to the customer again: on the referral balance, or to be returned by the processor.
   */
  refundedMicros: bigint
  /** Traffic that was taken back; the rest was used, or was on lease to a gateway. */
  takenBackBytes: bigint
  /**
   * The same traffic by the pool it was taken from: the invoice's pool, and those that it was exchanged for.
   */
  byPool: ReadonlyMap<string, bigint>
  /** Traffic of the invoice that was given to others, and stays theirs. */
  givenBytes: bigint
  creditedBytes: bigint
}

export type RefundWay = 'processor' | 'hand' | 'balance'

export interface RefundOrder {
  number: string
  what: RefundOf
  /** The request's key, a UUID. Repeated requests with one key make one refund. */
  key?: string
  /** The methods whose processors are asked to return money; absent: staff have sent it. */
  methods?: PaymentMethods
  /** Runs in the transaction of the refund. */
  note?: (tx: Transaction<DB>, invoice: Invoice, refund: Refund) => Promise<void>
}

/** Who returns the money of an invoice, where these methods can be used. */
export function refundWay(
  { method, externalId }: Pick<Invoice, 'method' | 'externalId'>,
  methods?: PaymentMethods,
): RefundWay {
  if (method === 'referral' || method === 'balance') return 'balance'
  const isAble = externalId !== null && methods?.find(method)?.refund !== undefined
  return isAble ? 'processor' : 'hand'
}

/**
 * Refunds an invoice, or a part of it: all that is left, all but the cost of the used traffic, or an amount,
 * for which the traffic that it bought is taken back. Gateways are asked first to give back what they hold of
 * its traffic, which may take two seconds. Then, in one transaction: what is left of its traffic is taken
 * back, and the inviter's share and the money leave the books. The money of an invoice paid from the referral
 * or the money balance returns to that balance; of a top-up at most what is left of the balance is returned. With `methods`, `sendRefunds` asks a processor that can return money to do
 * so; without, staff have sent the money. Refuses with `invoice_not_found`, `invoice_not_refundable`,
 * `nothing_unused`, `return_unclear`, `invalid_refund_amount` and `refund_whole_only`.
 */
export async function refundInvoice(
  database: Database,
  { number, what, key, methods, note }: RefundOrder,
  now: Date,
): Promise<Refund> {
  const name = nameOf(number, key)
  const made = await madeBefore(database.db, name)
  if (made !== null) return made
  const known = await refundable(database.db, await findInvoice(database.db, number))
  const way = refundWay(known, methods)
  const isWholeOnly = way === 'processor' && methods?.find(known.method)?.refundsWholeOnly === true
  await roomFor(database.db, known, { what, isWholeOnly })
  await callOwnBack(database.db, known)
  return transaction(database.db, async (tx) => {
    const locked = await findInvoice(tx, number, 'lock')
    // A concurrent request with the same key has made the refund.
    const repeated = await madeBefore(tx, name)
    if (repeated !== null) return repeated
    const invoice = await refundable(tx, locked)
    if (isTopUp(invoice)) await lockMoney(tx, invoice.accountId)
    const { room, asked } = await roomFor(tx, invoice, { what, isWholeOnly })
    return bookRefund(tx, invoice, { name, what: asked, room, isWholeOnly, way, note }, now)
  })
}

interface ToBook extends Giving {
  way: RefundWay
  note?: RefundOrder['note']
}

/** Books a refund of a locked invoice, with its row, receipt, document and letter. */
export async function bookRefund(
  tx: Transaction<DB>,
  invoice: Invoice,
  { way, note, ...giving }: ToBook,
  now: Date,
): Promise<Refund> {
  const { name } = giving
  const booked = await give(tx, invoice, giving, now)
  const price = await priceToReturn(tx, invoice, booked.usdMicros)
  // Nothing of the price is left at the processor: what remains is less than its smallest unit.
  const really = price.micros === 0n && way === 'processor' ? 'hand' : way
  await tx
    .insertInto('refund')
    .values({
      name,
      invoice_id: invoice.id,
      method: invoice.method,
      way: really,
      currency: price.currency,
      amount_micros: price.micros,
      usd_micros: booked.usdMicros,
      taken_back_bytes: booked.takenBytes,
      created_at: now,
      booked_at: now,
      ...(really === 'processor'
        ? { state: 'due', external_id: invoice.externalId }
        : { state: 'done', sent_at: now, ended_at: now }),
    })
    .execute()
  await noteGiven(tx, invoice, { name, price, way: really, booked }, now)
  const refund = shownRefund(invoice, { name, way: really, booked })
  await note?.(tx, invoice, refund)
  return refund
}

/**
 * The name of a refund: 64 random bits behind the number of the invoice, so that a restored database makes no
 * name again; with a key, the name is the same for each request.
 */
export const nameOf = (number: string, key: string = randomUUID()) =>
  `${number}-${key
    .toLowerCase()
    .replaceAll(/[^0-9a-f]/g, '')
    .slice(-16)}`

/** The refund that an earlier request under this name has made; null: none has. */
async function madeBefore(db: Kysely<DB>, name: string): Promise<Refund | null> {
  const row = await db
    .selectFrom('refund')
    .innerJoin('invoice', 'invoice.id', 'refund.invoice_id')
    .selectAll('refund')
    .select(['invoice.pool', 'invoice.credited_bytes'])
    .where('refund.name', '=', name)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    name,
    way: row.way as RefundWay,
    refundedMicros: row.usd_micros,
    takenBackBytes: row.taken_back_bytes,
    byPool: new Map([[row.pool, row.taken_back_bytes]]),
    givenBytes: 0n,
    creditedBytes: row.credited_bytes,
  }
}

interface Giving {
  name: string
  what: RefundOf
  /** The most that can be returned. */
  room: bigint
  isWholeOnly: boolean
  /** The money has left already: what the balance does not have is owed. */
  isSent?: boolean
}

/** Takes money and traffic of a locked invoice for a refund. */
export async function give(
  tx: Transaction<DB>,
  invoice: Invoice,
  giving: Giving,
  now: Date,
): Promise<Booked> {
  const { name, what, room, isWholeOnly } = giving
  if (isTopUp(invoice)) return giveBack(tx, invoice, giving, now)
  const wantedBytes = bytesFor(invoice, what)
  // A partial refund releases no more withheld traffic than its own part.
  const isPart = typeof what === 'bigint' && what < leftOf(invoice)
  const releasedBytes = await releaseFrozen(
    tx,
    invoice,
    { refund: name, most: isPart ? wantedBytes : null },
    now,
  )
  return bookReturn(
    tx,
    invoice,
    {
      reference: name,
      wantedBytes,
      releasedBytes,
      moneyFor: (takenBytes) => {
        const usdMicros = least(room, moneyFor(invoice, what, takenBytes))
        // What is left was used up, or moved away; the rest stays refundable.
        if (usdMicros === 0n && leftOf(invoice) > 0n) throw new Refusal('nothing_unused')
        if (isWholeOnly && usdMicros < invoice.receivedMicros) throw new Refusal('refund_whole_only')
        return usdMicros
      },
    },
    now,
  )
}

/**
 * Takes money of a locked top-up off the balance for a refund: never more than the balance has, unless the money
 * was sent already.
 */
async function giveBack(
  tx: Transaction<DB>,
  invoice: Invoice,
  { name, what, room, isWholeOnly, isSent = false }: Giving,
  now: Date,
): Promise<Booked> {
  const usdMicros = least(room, typeof what === 'bigint' ? what : leftOf(invoice))
  if (isWholeOnly && usdMicros < invoice.receivedMicros) throw new Refusal('refund_whole_only')
  const { micros } = await lockMoney(tx, invoice.accountId)
  await releaseFrozenMoney(tx, invoice, { refund: name, most: usdMicros - least(usdMicros, micros) }, now)
  if (!isSent && (await moneyOf(tx, invoice.accountId)).micros < usdMicros) throw new Refusal('balance_spent')
  const nothing = { wantedBytes: 0n, releasedBytes: 0n, moneyFor: () => usdMicros }
  return bookReturn(tx, invoice, { reference: name, ...nothing }, now)
}

interface Given {
  name: string
  price: Price
  way: RefundWay
  booked: Booked
}

/** The receipt, the document and the letter of a refund that was booked. */
export async function noteGiven(
  tx: Transaction<DB>,
  invoice: Invoice,
  { name, price, way, booked }: Given,
  now: Date,
): Promise<void> {
  const isWhole = booked.usdMicros === invoice.receivedMicros
  const by = way === 'processor' ? 'asked' : 'hand'
  const returned = { invoiceNumber: invoice.number, returned: price, isWhole, by, of: name } as const
  await noteReturned(tx, returned, now)
  await needDocument(tx, { id: invoice.id, state: booked.state }, now)
  await tellRefund(tx, invoice, booked)
}

export const shownRefund = (
  { pool, creditedBytes }: Invoice,
  { name, way, booked }: Omit<Given, 'price'>,
): Refund => ({
  name,
  way,
  refundedMicros: booked.usdMicros,
  takenBackBytes: booked.takenBytes,
  byPool: takenByPool(booked.own, pool, booked.takenBytes),
  givenBytes: booked.own.givenBytes,
  creditedBytes,
})

/**
 * The taken bytes by pool. Bytes that a gateway began to use meanwhile are subtracted from the invoice's
 * pool.
 */
export function takenByPool(own: Own, pool: string, takenBytes: bigint): Map<string, bigint> {
  const inPool = most(0n, (own.byPool.get(pool) ?? 0n) - (own.bytes - takenBytes))
  return new Map([...own.byPool, [pool, inPool] as const].filter(([, bytes]) => bytes > 0n))
}

export const refuseAmount = (room: bigint): never => {
  throw new Refusal('invalid_refund_amount', { most: usdToWire(room) })
}

/**
 * `room`: the money that can be refunded now, without refunds planned by hand. `asked`: the requested refund,
 * limited to `room`.
 */
export async function roomFor(
  db: Kysely<DB>,
  invoice: Invoice,
  { what, isWholeOnly }: { what: RefundOf; isWholeOnly: boolean },
): Promise<{ room: bigint; asked: RefundOf }> {
  const room = await refundableMicros(db, invoice)
  if (room === 0n && leftOf(invoice) > 0n)
    throw new Refusal((await plannedMicros(db, invoice.id)) > 0n ? 'refund_planned' : 'balance_spent')
  if (typeof what === 'bigint' && (what > room || !isWholeCents(what))) refuseAmount(room)
  const isWhole = what !== 'unused' && (what === 'all' ? room : what) === invoice.receivedMicros
  if (isWholeOnly && !isWhole && what !== 'unused') throw new Refusal('refund_whole_only')
  return { room, asked: what === 'all' && room < leftOf(invoice) ? room : what }
}

/** An invoice of which something can be refunded. */
export async function refundable(db: Kysely<DB>, invoice: Invoice | null): Promise<Invoice> {
  if (invoice === null) throw new Refusal('invoice_not_found')
  const { state } = invoice
  if (!isRefundable(invoice)) throw new Refusal('invoice_not_refundable', { state })
  // The money may be with the customer already.
  if (await hasUnclear(db, invoice.id)) throw new Refusal('return_unclear')
  return invoice
}

const isRefundable = ({ state }: Invoice) =>
  state === 'paid' || state === 'underpaid' || state === 'partly_refunded'

/**
 * The money of an invoice that can be refunded: what is left, less what is planned to be sent by hand; of a
 * top-up, at most what is on the money balance and not planned of any top-up, in whole cents.
 */
export async function refundableMicros(db: Kysely<DB>, invoice: Invoice): Promise<bigint> {
  if (!isRefundable(invoice)) return 0n
  const left = most(0n, leftOf(invoice) - (await plannedMicros(db, invoice.id)))
  if (!isTopUp(invoice)) return left
  const planned = await plannedOfMoney(db, invoice.accountId)
  const { micros, frozenMicros } = await moneyOf(db, invoice.accountId)
  const onBalance = micros + least(frozenMicros, await frozenOf(db, invoice.id)) - planned
  return least(left, most(0n, downToCent(onBalance)))
}

/** The money of an invoice that is reserved by refunds by hand which are not sent yet. */
async function plannedMicros(db: Kysely<DB>, invoiceId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(usd_micros), 0)::bigint as micros from refund
    where invoice_id = ${invoiceId} and state = 'planned'`.execute(db)
  return rows[0]?.micros ?? 0n
}

/**
 * The refund in the currency of the price: for a part, the same part of the price; for all that is left, the
 * rest of the price, so that parts in another currency than USD add up to the whole.
 */
export async function priceToReturn(
  tx: Transaction<DB>,
  invoice: Invoice,
  usdMicros: bigint,
): Promise<Price> {
  const returned = await returnedPrice(tx, invoice, 'with planned')
  const { currency, micros } = priceOf(invoice, invoice.receivedMicros)
  const left = most(0n, micros - returned.micros)
  if (usdMicros === leftOf(invoice)) return { currency, micros: left }
  return { currency, micros: least(left, priceOf(invoice, usdMicros).micros) }
}

/** What disputes withhold of an invoice. */
export async function withheldOf(db: Kysely<DB>, invoiceId: bigint): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(frozen_bytes), 0)::bigint as bytes from payment_dispute
    where invoice_id = ${invoiceId} and released_at is null`.execute(db)
  return rows[0]?.bytes ?? 0n
}

/** Whether the processor has made a refund of the invoice whose worth no operator has stated yet. */
async function hasUnclear(db: Kysely<DB>, invoiceId: bigint): Promise<boolean> {
  const row = await db
    .selectFrom('processor_refund')
    .select('refund_id')
    .where('invoice_id', '=', invoiceId)
    .where('state', '=', 'unclear')
    .executeTakeFirst()
  return row !== undefined
}
