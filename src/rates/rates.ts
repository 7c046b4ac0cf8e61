/**
 * Currencies besides USD: in which ones prices are shown, their dated rates with history, and how old a rate
 * may be. Payment methods that collect such a currency, and prices shown in it, use the same rates.
 */
import type { Transaction } from 'kysely'
import { convert, digitsOf, isForeignCurrency } from '#contract/rates/rates'
import type { DB, Db } from '#db'
import { Refusal } from '#lib/refusal'
import { readShopSettings } from '#settings'

export { inUsd } from '#contract/rates/rates'
export { ratesOfDays } from './days.ts'
export { compareRates, importRates, readRates } from './import.ts'
export { eraseCurrency, rateParts } from './personal.ts'

export interface Rate {
  currency: string
  /** Millionths of the currency per USD. */
  perUsdMicros: bigint
  /** The time that the rate is of, from which its age counts. */
  setAt: Date
}

/** By whom a rate was entered, when and why. */
export interface Entered {
  at: Date
  by: string
  source: 'hand' | 'file'
  reason: string | null
}

/**
 * Enters a rate, for invoices made from now on; existing invoices keep theirs. A rate of an earlier day than
 * the latest one is history only.
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

/** The rate of each currency that has one, whatever its age: of the latest day, what was entered last. */
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

/** `old`: staff are told. `closed`: nothing is sold at it, and no price shown. */
export type RateState = 'fresh' | 'old' | 'closed'

export interface RateLimits {
  warnDays: bigint
  /** 0: however old. */
  closeDays: bigint
}

const dayMs = 24 * 60 * 60_000

/** After how many days staff are told of a rate, and after how many it is no longer used. */
export async function readRateLimits(db: Db): Promise<RateLimits> {
  const { rate_old_days: warnDays, rate_close_days: closeDays } = await readShopSettings(db, {})
  return { warnDays, closeDays }
}

/** What a rate's age makes of it. */
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

/** The currencies besides USD in which prices may be shown, whether they have a usable rate or not. */
export async function displayCurrencies(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('display_currency').select('currency').orderBy('currency').execute()
  return rows.map(({ currency }) => currency)
}

/** The rates in which prices are shown now: one that is too old shows none. */
export async function shownRates(db: Db, now: Date): Promise<Rate[]> {
  const shown = await displayCurrencies(db)
  if (shown.length === 0) return []
  const usable = await usableRates(db, now)
  return shown.map((currency) => usable.get(currency)).filter((rate) => rate !== undefined)
}

/**
 * Offers a currency for the display of prices; false: it was offered before. Refuses with `unknown_currency`.
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

/** Offers a currency no longer; false: it was not offered. Customers who have chosen it see USD. */
export async function withdrawCurrency(tx: Transaction<DB>, currency: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('display_currency')
    .where('currency', '=', currency)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** The currency that a customer has chosen for prices; null: none. It may no longer be shown. */
export async function chosenCurrency(db: Db, accountId: bigint): Promise<string | null> {
  const row = await db
    .selectFrom('account_currency')
    .select('currency')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.currency ?? null
}

/** Keeps a customer's choice. Refuses with `unknown_currency` what is neither USD nor shown. */
export async function chooseCurrency(db: Db, accountId: bigint, currency: string, now: Date): Promise<void> {
  const isKnown = currency === 'USD' || (await displayCurrencies(db)).includes(currency)
  if (!isKnown) throw new Refusal('unknown_currency', { currency })
  await db
    .insertInto('account_currency')
    .values({ account_id: accountId, currency, chosen_at: now })
    .onConflict((on) => on.column('account_id').doUpdateSet({ currency, chosen_at: now }))
    .execute()
}

/** An amount as the customer was shown it. */
export interface Shown {
  rate: Rate
  micros: bigint
}

/** What a customer is shown of a cost in the currency they have chosen; null: only USD. */
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
  // A row of the database holds no larger amount.
  return micros < 2n ** 63n ? { rate, micros } : null
}

export interface EnteredRate extends Rate, Entered {
  id: bigint
}

/** Rates as they were entered, the newest first, before the one with the id `before`. */
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
