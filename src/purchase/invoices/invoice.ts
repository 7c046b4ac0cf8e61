/** Invoices: made with a frozen quote, found by their number. */
import { downToCent } from '#contract/price'
import { randomBytes } from 'node:crypto'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { isTestAccount } from '#accounts'
import type { Quote } from '#catalog'
import type { Language } from '#contract/language'
import type { Goods } from '#contract/wire'
import { type DB, nameLock } from '#db'
import { Refusal } from '#lib/refusal'
import type { DisputeState, Price, Priced, Wish } from '#payments'
import { type Rate, type Shown, shownTo } from '#rates'
import type { InvoiceState, Standing } from '../rules/payment.ts'

export interface Invoice extends Standing {
  id: bigint
  number: string
  /** A number that a person can say, such as 2026-000123; see `shortNumberOf`. */
  shortNumber: string
  accountId: bigint
  /** `balance`: it tops up the money balance. */
  pool: Goods
  /** A payment method, 'referral' for the referral balance, or 'balance' for the money balance. */
  method: string
  language: Language
  perGbMicros: bigint
  volumeDiscountPpm: number
  promoDiscountPpm: number
  promocode: string | null
  promocodeId: bigint | null
  /** The name that the customer's price list had; null: the shop's prices. */
  priceList: string | null
  /**
   * When a payment arrived for which no use of the promo code was left: since then the full cost is due.
   * Null: never.
   */
  promoLostAt: Date | null
  /** The quote, with the promo code. */
  costMicros: bigint
  fullCostMicros: bigint
  createdAt: Date
  expiresAt: Date
  /** The processor's payment page; null until the processor has answered. */
  paymentUrl: string | null
  /** The processor's id of the invoice; null until the processor has answered. */
  externalId: string | null
  /** The amount that the processor collects, and the rate frozen with it; null: the cost in USD. */
  price: Price
  rate: Rate | null
  /**
   * The cost as the customer was shown it in the currency they had chosen, frozen; null: in USD, or in that
   * of the price.
   */
  shown: Shown | null
  /** A test purchase: no sale. */
  isTest: boolean
  /** Charged by automatic top-up from a saved payment method. */
  isAutomatic: boolean
  /** The processor is asked to save the payment method. */
  savesMethod: boolean
  /** The optional wishes without which it is made, since the processor refuses them. */
  without: Wish[]
  /** The verdict on the processor's latest answer about the invoice. */
  processorVerdict: string | null
  disputedAt: Date | null
  /** As the processor last reported; null: it does not report one. */
  disputeState: DisputeState | null
  /** The deadline for answering the dispute; null: the processor reports none. */
  disputeRespondBy: Date | null
  /** When its last money was counted here. */
  settledAt: Date | null
  /** The time of its last money at the processor; null: the processor reports none. */
  paidAt: Date | null
  refundedAt: Date | null
  /** The processor's fees on its payments; null: not known. */
  feeMicros: bigint | null
}

/** Whether an invoice tops up the money balance. */
export const isTopUp = ({ pool }: Pick<Invoice, 'pool'>): boolean => pool === 'balance'

/** A part of an invoice's cost in the currency that its processor collects, rounded down to the hundredth. */
export function priceOf({ rate, price, costMicros }: Invoice, micros: bigint): Price {
  const exact = rate === null ? micros : (price.micros * micros) / costMicros
  return { currency: price.currency, micros: downToCent(exact) }
}

/** The fields of an invoice that receipts use. */
export const soldOf = ({ number: invoiceNumber, accountId, method, pool, gb, price }: Invoice) => ({
  invoiceNumber,
  accountId,
  method,
  pool,
  gb,
  price,
})

/** 80 random bits, so that the numbers of other customers' invoices cannot be guessed. */
export const newInvoiceNumber = () => randomBytes(10).toString('hex')

/**
 * A number of an invoice for people: the year in which it was made (UTC) and its place among all invoices. It
 * counts on across years and has gaps, where making an invoice was refused; it can be guessed, so it finds
 * invoices for staff and never proves anything.
 */
const shortNumberOf = (id: bigint, createdAt: Date): string =>
  `${createdAt.getUTCFullYear()}-${String(id).padStart(6, '0')}`

/** The condition that finds an invoice by its number or its short number. */
export function isNamed(text: string): RawBuilder<boolean> {
  const short = /^(\d{4})-0*([1-9]\d{0,17})$/.exec(text)
  if (short === null) return sql<boolean>`number = ${text}`
  const [, year = '', id = ''] = short
  return sql<boolean>`(id = ${id}::bigint and extract(year from created_at at time zone 'UTC') = ${year}::integer)`
}

/** An invoice by its number or its short number, for staff; null: there is none. */
export async function invoiceNamed(db: Kysely<DB>, text: string): Promise<Invoice | null> {
  if (text.includes('\0')) return null
  const row = await invoiceRows(db).where(isNamed(text.trim())).executeTakeFirst()
  return row === undefined ? null : readRow(row)
}

export interface NewInvoice {
  number: string
  accountId: bigint
  method: string
  language: Language
  quote: Quote
  promo: { promocodeId: bigint; code: string } | null
  /** The amount that the processor is to collect; absent: the cost in USD. */
  priced?: Priced
  expiresAt: Date
  isAutomatic?: boolean
  savesMethod?: boolean
  without?: readonly Wish[]
}

/**
 * The maximum number of open invoices per account: more than a person pays, and few enough to look all of
 * them up.
 */
export const maxOpenInvoices = 20

/**
 * Makes room for one more open invoice of the account, until the transaction ends. Refuses with
 * `too_many_open_invoices`; the details say when the first of them closes.
 */
export async function reserveOpenInvoice(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<void> {
  // Most of many simultaneous requests are refused before they wait for the lock, since waiting would occupy
  // connections.
  const lock = sql`case when count(*) < ${maxOpenInvoices} then ${nameLock(`open invoices of ${accountId}`)} end`
  await refuseWhenFull(tx, { accountId, lock }, now)
  await refuseWhenFull(tx, { accountId }, now)
}

/** `lock` is taken after the invoices were counted. */
async function refuseWhenFull(
  tx: Transaction<DB>,
  { accountId, lock = sql`null` }: { accountId: bigint; lock?: RawBuilder<unknown> },
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ count: bigint; first: Date | null }>`
    select count(*) as count, min(expires_at) as first, ${lock} as locked from invoice
    where account_id = ${accountId} and state = 'pending' and expires_at > ${now}`.execute(tx)
  const [{ count, first } = { count: 0n, first: null }] = rows
  if (count < BigInt(maxOpenInvoices) || first === null) return
  const minutes = Math.max(1, Math.ceil((first.getTime() - now.getTime()) / 60_000))
  throw new Refusal('too_many_open_invoices', { limit: maxOpenInvoices, minutes })
}

/**
 * Whether traffic was paid for by this customer, by money of a processor or of a balance. A top-up of the
 * money balance is no purchase.
 */
export async function hasPurchased(db: Kysely<DB>, accountId: bigint): Promise<boolean> {
  const paid = await db
    .selectFrom('invoice')
    .select('id')
    .where('account_id', '=', accountId)
    .where('received_micros', '>', 0n)
    .where('pool', '<>', 'balance')
    .limit(1)
    .executeTakeFirst()
  return paid !== undefined
}

/** Writes a pending invoice and returns it. */
export async function writeInvoice(db: Kysely<DB>, order: NewInvoice, now: Date): Promise<Invoice> {
  const { quote, promo, priced } = order
  const rate = priced?.rate ?? null
  const display = await shownTo(db, order.accountId, quote.costMicros, now)
  const shown = display?.rate.currency === rate?.currency ? null : display
  const row = await db
    .insertInto('invoice')
    .values({
      number: order.number,
      account_id: order.accountId,
      pool: quote.pool,
      method: order.method,
      language: order.language,
      is_test: isTestAccount(order.accountId),
      is_automatic: order.isAutomatic ?? false,
      saves_method: order.savesMethod ?? false,
      without: [...(order.without ?? [])],
      gb: quote.gb,
      per_gb_micros: quote.perGbMicros,
      volume_discount_ppm: quote.volumeDiscountPpm,
      promo_discount_ppm: quote.promoDiscountPpm,
      price_list: quote.priceList ?? null,
      promocode: promo?.code ?? null,
      promocode_id: promo?.promocodeId ?? null,
      cost_micros: quote.costMicros,
      full_cost_micros: quote.fullCostMicros,
      ...(priced === undefined || rate === null
        ? {}
        : {
            price_currency: priced.price.currency,
            price_micros: priced.price.micros,
            rate_per_usd_micros: rate.perUsdMicros,
            rate_set_at: rate.setAt,
          }),
      shown_currency: shown?.rate.currency ?? null,
      shown_micros: shown?.micros ?? null,
      shown_per_usd_micros: shown?.rate.perUsdMicros ?? null,
      shown_set_at: shown?.rate.setAt ?? null,
      created_at: now,
      expires_at: order.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return readRow(row)
}

/**
 * Stores the processor's id and payment page, and returns the page. The first ones are kept: when the same
 * order was made twice concurrently, both answers must lead to the page whose payment is expected.
 */
export async function notePaymentPage(
  db: Kysely<DB>,
  id: bigint,
  made: { externalId: string; paymentUrl: string },
): Promise<string> {
  const { payment_url: url } = await db
    .updateTable('invoice')
    .set({
      external_id: sql<string>`coalesce(external_id, ${made.externalId})`,
      payment_url: sql<string>`coalesce(payment_url, ${made.paymentUrl})`,
    })
    .where('id', '=', id)
    .returning('payment_url')
    .executeTakeFirstOrThrow()
  return url ?? made.paymentUrl
}

/**
 * Runs `work`, which makes the invoice of an operation. An earlier attempt that lost its connection may still
 * commit, even while `work` runs. Then `work` fails with a conflict and is retried, and the retry finds the
 * invoice of the earlier attempt.
 */
export async function asOneOperation<T>(
  db: Kysely<DB>,
  { accountId, number }: { accountId: bigint; number?: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isTaken = (error as { constraint?: unknown }).constraint === 'invoice_number_key'
    const mayBeDone = number !== undefined && (isTaken || error instanceof Refusal)
    if (!mayBeDone || (await ownInvoice(db, accountId, number)) === null) throw error
    return work()
  }
}

export const invoiceRows = (db: Kysely<DB>) => db.selectFrom('invoice').selectAll()

export function readRow(
  row: Awaited<ReturnType<ReturnType<typeof invoiceRows>['executeTakeFirstOrThrow']>>,
): Invoice {
  return {
    id: row.id,
    number: row.number,
    shortNumber: shortNumberOf(row.id, row.created_at),
    accountId: row.account_id,
    pool: row.pool as Goods,
    method: row.method,
    language: row.language === 'en' ? 'en' : 'ru',
    gb: row.gb,
    perGbMicros: row.per_gb_micros,
    volumeDiscountPpm: row.volume_discount_ppm,
    promoDiscountPpm: row.promo_discount_ppm,
    promocode: row.promocode,
    promocodeId: row.promocode_id,
    priceList: row.price_list,
    promoLostAt: row.promo_lost_at,
    costMicros: row.cost_micros,
    fullCostMicros: row.full_cost_micros,
    dueMicros: row.promo_lost_at === null ? row.cost_micros : row.full_cost_micros,
    state: row.state as InvoiceState,
    receivedMicros: row.received_micros,
    creditedBytes: row.credited_bytes,
    refundedMicros: row.refunded_micros,
    takenBackBytes: row.taken_back_bytes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    paymentUrl: row.payment_url,
    externalId: row.external_id,
    price: { currency: row.price_currency ?? 'USD', micros: row.price_micros ?? row.cost_micros },
    rate: rateOf(row),
    shown: shownOf(row),
    isTest: row.is_test,
    isAutomatic: row.is_automatic,
    savesMethod: row.saves_method,
    without: row.without as Wish[],
    processorVerdict: row.checked_verdict,
    disputedAt: row.disputed_at,
    disputeState: row.dispute_state as DisputeState | null,
    disputeRespondBy: row.dispute_respond_by,
    settledAt: row.settled_at,
    paidAt: row.paid_at ?? row.settled_at,
    refundedAt: row.refunded_at,
    feeMicros: row.fee_micros,
  }
}

function rateOf(row: {
  price_currency: string | null
  rate_per_usd_micros: bigint | null
  rate_set_at: Date | null
}): Rate | null {
  const { price_currency: currency, rate_per_usd_micros: perUsdMicros, rate_set_at: setAt } = row
  if (currency === null || perUsdMicros === null || setAt === null) return null
  return { currency, perUsdMicros, setAt }
}

function shownOf(row: {
  shown_currency: string | null
  shown_micros: bigint | null
  shown_per_usd_micros: bigint | null
  shown_set_at: Date | null
}): Shown | null {
  const { shown_currency: currency, shown_micros: micros, shown_per_usd_micros: perUsdMicros } = row
  const { shown_set_at: setAt } = row
  if (currency === null || micros === null || perUsdMicros === null || setAt === null) return null
  return { micros, rate: { currency, perUsdMicros, setAt } }
}

/**
 * An invoice by its number, locked until the transaction ends when `lock` is set; null when there is none.
 */
export async function findInvoice(
  db: Kysely<DB>,
  number: string,
  lock: 'lock' | 'read' = 'read',
): Promise<Invoice | null> {
  // A valid number contains no NUL, which PostgreSQL rejects in text.
  if (number.includes('\0')) return null
  const query = invoiceRows(db).where('number', '=', number)
  const row = await (lock === 'lock' ? query.forUpdate() : query).executeTakeFirst()
  return row === undefined ? null : readRow(row)
}

/** An invoice by its id, locked until the transaction ends. */
export async function lockInvoice(tx: Transaction<DB>, id: bigint): Promise<Invoice> {
  return readRow(await invoiceRows(tx).where('id', '=', id).forUpdate().executeTakeFirstOrThrow())
}

/** The customer's own invoice that an earlier attempt of an operation made; null when there is none. */
export async function ownInvoice(db: Kysely<DB>, accountId: bigint, number: string): Promise<Invoice | null> {
  const invoice = await findInvoice(db, number)
  if (invoice !== null && invoice.accountId !== accountId) throw new Error(`invoice ${number} is another's`)
  return invoice
}

interface InvoiceFilter {
  accountId?: bigint
  state?: InvoiceState
  before?: Pick<Invoice, 'id'>
  limit: number
}

/** Invoices, newest first, optionally of one customer, in one state or made before another. */
export async function listInvoices(
  db: Kysely<DB>,
  { accountId, state, before, limit }: InvoiceFilter,
): Promise<Invoice[]> {
  let query = invoiceRows(db).orderBy('id', 'desc').limit(limit)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (state !== undefined) query = query.where('state', '=', state)
  if (before !== undefined) query = query.where('id', '<', before.id)
  return (await query.execute()).map(readRow)
}
