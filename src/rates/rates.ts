/**
 * Currencies besides USD: the display currencies, their dated rates with history, and the maximum age of a
 * rate. Payment methods that collect such a currency, and prices shown in it, use the same rates.
 */
import type { Transaction } from 'kysely'
import { convert, digitsOf, isForeignCurrency } from '#contract/rates/rates'
import type { DB, Db } from '#db'
import { Refusal } from '#lib/refusal'
import { readShopSettings } from '#settings'

export { inUsd } from '#contract/rates/rates'
export { ratesOfDays } from './days.ts'
export { compareRates, importRates, readRates } from './import.ts'
export { eraseCurrency, rateParts } from './export.and.erase.ts'

export interface Rate {
  currency: string
  /** Millionths of the currency per USD. */
  perUsdMicros: bigint
  /** The time at which the rate was valid; its age counts from here. */
  setAt: Date
}

/** The author, time and reason of a rate. */
export interface Entered {
  at: Date
  by: string
  source: 'hand' | 'file'
  reason: string | null
}

/**
 * Stores a rate for new invoices; existing invoices keep theirs. A rate for a day before the latest one is
 * history only.
 */
export async function setRate(
  db: Db,
  { currency, perUsdMicros, setAt }: Rate,
  entered?: Entered,
): Promise<void> {
  await db
    .insertInto('exchange_rate')
    .values({
      currency,
      per_usd_micros: perUsdMicros,
      set_at: setAt,
      entered_at: entered?.at ?? setAt,
      entered_by: entered?.by ?? null,
      source: entered?.source ?? 'hand',
      reason: entered?.reason ?? null,
    })
    .execute()
}

/** The latest rate of each currency, regardless of its age: of the latest day, the last one entered. */
export async function listRates(db: Db): Promise<Rate[]> {
  const rows = await db
    .selectFrom('exchange_rate')
    .distinctOn('currency')
    .select(['currency', 'per_usd_micros', 'set_at'])
    .orderBy('currency')
    .orderBy('day', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({
    currency: row.currency,
    perUsdMicros: row.per_usd_micros,
    setAt: row.set_at,
  }))
}

/** `old`: staff are notified. `closed`: it is used neither for sales nor for displayed prices. */
export type RateState = 'fresh' | 'old' | 'closed'

export interface RateLimits {
  warnDays: bigint
  /** 0: no limit. */
  closeDays: bigint
}

const dayMs = 24 * 60 * 60_000

/** The age in days from which staff are notified of a rate, and from which it is no longer used. */
export async function readRateLimits(db: Db): Promise<RateLimits> {
  const { rate_old_days: warnDays, rate_close_days: closeDays } = await readShopSettings(db, {})
  return { warnDays, closeDays }
}

/** The state of a rate by its age. */
export function rateState(
  { setAt }: Pick<Rate, 'setAt'>,
  { warnDays, closeDays }: RateLimits,
  now: Date,
): RateState {
  const age = now.getTime() - setAt.getTime()
  if (closeDays > 0n && age > Number(closeDays) * dayMs) return 'closed'
  return age > Number(warnDays) * dayMs ? 'old' : 'fresh'
}

/** The rates that may be used now, by currency. */
export async function usableRates(db: Db, now: Date): Promise<Map<string, Rate>> {
  const rates = await listRates(db)
  if (rates.length === 0) return new Map()
  const limits = await readRateLimits(db)
  return new Map(
    rates.filter((rate) => rateState(rate, limits, now) !== 'closed').map((rate) => [rate.currency, rate]),
  )
}

/** The display currencies besides USD, with or without a usable rate. */
export async function displayCurrencies(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('display_currency').select('currency').orderBy('currency').execute()
  return rows.map(({ currency }) => currency)
}

/** The rates for displayed prices, without outdated ones. */
export async function shownRates(db: Db, now: Date): Promise<Rate[]> {
  const shown = await displayCurrencies(db)
  if (shown.length === 0) return []
  const usable = await usableRates(db, now)
  return shown.map((currency) => usable.get(currency)).filter((rate) => rate !== undefined)
}

/**
 * Adds a display currency; false: it is already one. Refuses with `unknown_currency`.
 */
export async function offerCurrency(tx: Transaction<DB>, currency: string, now: Date): Promise<boolean> {
  if (!isForeignCurrency(currency)) throw new Refusal('unknown_currency', { currency })
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('display_currency')
    .values({ currency, shown_since: now })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Removes a display currency; false: it is none. Customers who chose it see USD. */
export async function withdrawCurrency(tx: Transaction<DB>, currency: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('display_currency')
    .where('currency', '=', currency)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** The display currency that a customer has chosen; null: none. It may have been removed since. */
export async function chosenCurrency(db: Db, accountId: bigint): Promise<string | null> {
  const row = await db
    .selectFrom('account_currency')
    .select('currency')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.currency ?? null
}

/**
 * Stores a customer's choice. Refuses with `unknown_currency` a currency that is neither USD nor a display
 * currency.
 */
export async function chooseCurrency(db: Db, accountId: bigint, currency: string, now: Date): Promise<void> {
  const isKnown = currency === 'USD' || (await displayCurrencies(db)).includes(currency)
  if (!isKnown) throw new Refusal('unknown_currency', { currency })
  await db
    .insertInto('account_currency')
    .values({ account_id: accountId, currency, chosen_at: now })
    .onConflict((on) => on.column('account_id').doUpdateSet({ currency, chosen_at: now }))
    .execute()
}

/** An amount in the customer's display currency. */
export interface Shown {
  rate: Rate
  micros: bigint
}

/** A cost in the customer's display currency; null: only USD is shown. */
export async function shownTo(
  db: Db,
  accountId: bigint,
  usdMicros: bigint,
  now: Date,
): Promise<Shown | null> {
  const currency = await chosenCurrency(db, accountId)
  if (currency === null || currency === 'USD') return null
  const rate = (await shownRates(db, now)).find((one) => one.currency === currency)
  if (rate === undefined) return null
  const micros = convert(usdMicros, rate.perUsdMicros, digitsOf(currency))
  // The database column cannot store a larger amount.
  return micros < 2n ** 63n ? { rate, micros } : null
}

export interface EnteredRate extends Rate, Entered {
  id: bigint
}

/** Rates in the order of entry, newest first, before the one with the id `before`. */
export async function rateHistory(
  db: Db,
  { currency, before, limit }: { currency?: string | undefined; before: bigint | null; limit: number },
): Promise<EnteredRate[]> {
  let query = db.selectFrom('exchange_rate').selectAll().orderBy('id', 'desc').limit(limit)
  if (currency !== undefined) query = query.where('currency', '=', currency)
  if (before !== null) query = query.where('id', '<', before)
  return (await query.execute()).map((row) => ({
    id: row.id,
    currency: row.currency,
    perUsdMicros: row.per_usd_micros,
    setAt: row.set_at,
    at: row.entered_at,
    by: row.entered_by ?? '',
    source: row.source as Entered['source'],
    reason: row.reason,
  }))
}
