/** The operator's exchange rates: the amount that a processor collects for one USD. */
import type { Kysely } from 'kysely'
import type { Language } from '#contract/language'
import type { DB } from '#db'
import { usdText } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { convert } from './amount.ts'
import type { PaymentMethod, Price } from './method.ts'

export interface Rate {
  currency: string
  /** Millionths of the currency per USD. */
  perUsdMicros: bigint
  setAt: Date
}

/** Sets the rate of invoices made from now on; existing invoices keep theirs. */
export async function setRate(db: Kysely<DB>, rate: Rate): Promise<void> {
  await db
    .insertInto('exchange_rate')
    .values({ currency: rate.currency, per_usd_micros: rate.perUsdMicros, set_at: rate.setAt })
    .execute()
}

/** The rate of each currency that has one. */
export async function listRates(db: Kysely<DB>): Promise<Rate[]> {
  const rows = await db
    .selectFrom('exchange_rate')
    .distinctOn('currency')
    .selectAll()
    .orderBy('currency')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({
    currency: row.currency,
    perUsdMicros: row.per_usd_micros,
    setAt: row.set_at,
  }))
}

/** The amount that a method collects for a cost in USD, and the rate it was computed with; null: no conversion. */
export interface Priced {
  price: Price
  rate: Rate | null
}

/** Prices a cost for a method. Refuses with `payment_method_unavailable` when its currency has no rate. */
export async function priceFor(
  db: Kysely<DB>,
  { currency }: Pick<PaymentMethod, 'currency'>,
  costMicros: bigint,
): Promise<Priced> {
  if (currency === 'USD') return { price: { currency, micros: costMicros }, rate: null }
  const rate = (await listRates(db)).find((one) => one.currency === currency)
  const micros = rate === undefined ? 0n : convert(costMicros, rate.perUsdMicros)
  if (rate === undefined || micros === 0n) throw new Refusal('payment_method_unavailable')
  return { price: { currency, micros }, rate }
}

const words = {
  ru: { rate: 'по курсу', of: 'от' },
  en: { rate: 'at', of: 'of' },
}

/** The description on the processor's page: "10 GB residential, 35.00 USD at 92.50 RUB of 2026-11-20". */
export function describe(
  { gb, pool, costMicros, language }: { gb: bigint; pool: string; costMicros: bigint; language: Language },
  rate: Rate | null,
): string {
  const goods = `${gb} GB ${pool}`
  if (rate === null) return goods
  const { rate: at, of } = words[language]
  const day = rate.setAt.toISOString().slice(0, 10)
  return `${goods}, ${usdText(costMicros, 2)} USD ${at} ${usdText(rate.perUsdMicros, 2)} ${rate.currency} ${of} ${day}`
}

/** What a customer reads before choosing a method that collects another currency, as HTML for the end of its description. */
export function rateNote(rate: Rate, language: Language): string {
  const { perUsdMicros, currency, setAt } = rate
  const day = setAt.toISOString().slice(0, 10)
  const amount = `${usdText(perUsdMicros, 2)}\u{a0}${currency}`
  const sentence =
    language === 'ru'
      ? `Списывается в ${currency}: ${amount} за 1\u{a0}USD, курс от ${day}.`
      : `Charged in ${currency}: ${amount} for 1\u{a0}USD, the rate of ${day}.`
  return `<br><small>${sentence}</small>`
}
