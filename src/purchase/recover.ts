/**
 * Sales that the database has lost, because it was restored from an older backup: found again in the
 * processors' own lists of paid invoices. The processor's answer is the source of every sum. What was ordered
 * comes from the signed record that was given to the processor with the invoice.
 */
import { type Kysely, sql } from 'kysely'
import { accountById } from '#accounts'
import { type Database, type DB, transaction } from '#db'
import {
  type FoundOrder,
  judge,
  type ListedPayment,
  type NotCounted,
  type OrderRecord,
  type PaymentMethod,
  ProcessorFault,
  readOrder,
} from '#payments'
import { restoreUse } from '#promo'
import { findInvoice, type Invoice, writeInvoice } from './invoices/invoice.ts'
import { type PurchaseDeps, settle, type SettlementDeps, type Verdict } from './settlement.ts'

/** The dependencies for reading the processors' lists. */
type ListingDeps = Pick<PurchaseDeps, 'methods' | 'secrets' | 'noteFault'>

/** Why a payment is left to the operator. */
export type LeftReason =
  | Exclude<NotCounted, 'waiting' | 'known_payment'>
  /**
   * Money was returned, or the payer disputes the payment: nothing is credited for it without the operator.
   */
  | 'refunded'
  | 'disputed'
  /** The processor has no record of the order. */
  | 'no_order'
  /** The record is not signed with this SECRET_KEY, or is that of another invoice. */
  | 'order_not_genuine'
  | 'no_such_account'
  /** The account with this id has another name, or was made at another time. */
  | 'another_account'

/** A paid invoice of a processor that our books lack. */
export interface LostSale {
  method: string
  payment: ListedPayment
  /** The order, as far as it is recorded at the processor. */
  order: FoundOrder | null
  /** `settle`: our invoice exists. `recreate`: it is made again and settled. `left`: the operator decides. */
  action: 'settle' | 'recreate' | 'left'
  reason: LeftReason | null
}

export interface LostSales {
  sales: LostSale[]
  /** Payments that the books have. */
  settled: number
  /** Payments that are not of this program. */
  foreign: number
  /** Methods that cannot list payments, and those that did not answer. */
  unlisted: { method: string; fault: string | null }[]
}

/** Money may arrive for a day after the processor's invoice was made. */
const lateMs = 25 * 60 * 60_000

/**
 * Reads all payments since a time from all processors, or from one, and compares them with the books; changes
 * nothing. A processor that does not answer is named in the result.
 */
export async function findLostSales(
  database: Database,
  deps: ListingDeps,
  { since, method }: { since: Date; method?: string },
): Promise<LostSales> {
  const found: LostSales = { sales: [], settled: 0, foreign: 0, unlisted: [] }
  const methods = method === undefined ? deps.methods.list() : [deps.methods.get(method)]
  for (const one of methods) {
    const payments = await listOf(one, deps, new Date(since.getTime() - lateMs))
    if (!Array.isArray(payments)) {
      found.unlisted.push({ method: one.name, ...payments })
      continue
    }
    for (const payment of payments) {
      const judged = await compare(database.db, deps, one.name, payment)
      if (judged === 'settled') found.settled++
      else if (judged === 'foreign') found.foreign++
      else found.sales.push(judged)
    }
  }
  found.sales.sort((a, b) => a.payment.createdAt.getTime() - b.payment.createdAt.getTime())
  return found
}

async function listOf(
  { name, list }: PaymentMethod,
  deps: ListingDeps,
  since: Date,
): Promise<ListedPayment[] | { fault: string | null }> {
  if (list === undefined) return { fault: null }
  try {
    return await list(since)
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault(name, error)
    return { fault: error.message }
  }
}

async function compare(
  db: Kysely<DB>,
  { secrets }: ListingDeps,
  method: string,
  payment: ListedPayment,
): Promise<LostSale | 'settled' | 'foreign'> {
  const { invoiceNumber } = payment
  const order = payment.order === null ? null : readOrder(secrets, payment.order)
  const sale = { method, payment, order }
  const invoice = invoiceNumber === null ? null : await findInvoice(db, invoiceNumber)
  if (invoice !== null) {
    const reason = reasonToLeave(invoice, method, payment)
    if (reason === 'known_payment' || reason === 'waiting') return 'settled'
    return { ...sale, action: reason === null ? 'settle' : 'left', reason }
  }
  if (!/^[0-9a-f]{20}$/.test(invoiceNumber ?? '') && order === null) return 'foreign'
  const reason = order === null ? 'no_order' : await reasonNotToRecreate(db, method, payment, order)
  return { ...sale, action: reason === null ? 'recreate' : 'left', reason }
}

/** The reason why a payment cannot be credited to an invoice; null: there is none. */
function reasonToLeave(
  invoice: Pick<Invoice, 'number' | 'externalId' | 'price' | 'costMicros' | 'receivedMicros' | 'method'>,
  method: string,
  payment: ListedPayment,
): LeftReason | 'waiting' | 'known_payment' | null {
  if (invoice.method !== method) return 'another_invoice'
  const judged = judge(invoice, payment)
  if (typeof judged === 'string') return judged
  if (payment.refundedMicros > 0n) return 'refunded'
  return payment.isDisputed ? 'disputed' : null
}

async function reasonNotToRecreate(
  db: Kysely<DB>,
  method: string,
  payment: ListedPayment,
  { isGenuine, record }: FoundOrder,
): Promise<LeftReason | null> {
  if (!isGenuine || record.invoice !== payment.invoiceNumber) return 'order_not_genuine'
  const { invoice: number, costMicros, account } = record
  const asMade = {
    number,
    externalId: null,
    price: record.priced.price,
    costMicros,
    receivedMicros: 0n,
    method: record.method,
  }
  const reason = reasonToLeave(asMade, method, payment)
  // Nothing was counted before: what is listed as paid brought money, or its amount makes no sense.
  if (reason !== null) return reason === 'known_payment' || reason === 'waiting' ? 'wrong_amount' : reason
  const found = await accountById(db, account.id)
  if (found === null) return 'no_such_account'
  const isSame =
    found.username === account.username && found.createdAt.getTime() === account.createdAt.getTime()
  return isSame ? null : 'another_account'
}

/**
 * Credits a lost sale as the processor's notification would have; money counted before is not counted again,
 * however often this is done. Refuses nothing: a sale that is left to the operator must not be given.
 */
export async function recoverSale(
  database: Database,
  deps: SettlementDeps,
  { method, payment, order, action }: LostSale,
  now: Date,
): Promise<Verdict> {
  if (action === 'left') throw new Error(`payment ${payment.externalId} is left to the operator`)
  if (action === 'recreate' && order !== null) await recreate(database.db, order.record, now)
  return settle(database, deps, method, payment, now)
}

/** Makes an invoice again, as it was ordered, unless it exists. */
async function recreate(db: Kysely<DB>, record: OrderRecord, now: Date): Promise<void> {
  const { invoice: number, pool, gb, perGbMicros, volumeDiscountPpm, promoDiscountPpm, promocode } = record
  const accountId = record.account.id
  await transaction(db, async (tx) => {
    // Another operator may do the same.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`invoice ${number}`}, 0))`.execute(tx)
    if ((await findInvoice(tx, number)) !== null) return
    // The invoice was paid with the discount, so it keeps it even when the code no longer exists.
    const promocodeId =
      promocode === null ? null : await restoreUse(tx, { code: promocode, accountId, invoice: number }, now)
    await writeInvoice(
      tx,
      {
        number,
        accountId,
        method: record.method,
        language: record.language,
        quote: {
          pool,
          gb,
          perGbMicros,
          volumeDiscountPpm,
          promoDiscountPpm,
          costMicros: record.costMicros,
          fullCostMicros: record.fullCostMicros,
        },
        promo: promocodeId === null || promocode === null ? null : { promocodeId, code: promocode },
        priced: record.priced,
        expiresAt: record.expiresAt,
      },
      record.createdAt,
    )
  })
}
