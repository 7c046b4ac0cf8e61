/** The operator's exchange rates at payment methods that do not collect USD. */
import { microsPerCent } from '#contract/price'
import type { Kysely } from 'kysely'
import type { Language } from '#contract/language'
import { convert } from '#contract/rates/rates'
import type { DB } from '#db'
import { usdText } from '#lib/money'
import { Refusal } from '#lib/refusal'
import { type Rate, usableRates } from '#rates'
import type { PaymentMethod, Price } from './method.ts'

/**
 * The amount that a method collects for a cost in USD, and the rate it was computed with; null: no
 * conversion.
 */
export interface Priced {
  price: Price
  rate: Rate | null
}

/** Decimals of a collected amount: processors collect, and invoices store, whole hundredths. */
const digits = 2

/**
 * Prices a cost for a method. Refuses with `payment_method_unavailable` when its currency has no rate, or
 * only one that is too old to be sold at, and with `amount_below_method` when the amount is below the
 * processor's minimum.
 */
export async function priceFor(
  db: Kysely<DB>,
  method: Pick<PaymentMethod, 'currency' | 'leastMicros'>,
  costMicros: bigint,
  now: Date,
): Promise<Priced> {
  const { currency } = method
  if (currency === 'USD') {
    refuseBelow(method, costMicros)
    return { price: { currency, micros: costMicros }, rate: null }
  }
  const rate = (await usableRates(db, now)).get(currency)
  const micros = rate === undefined ? 0n : convert(costMicros, rate.perUsdMicros, digits)
  // The database's column holds no larger amount.
  const isPayable = micros > 0n && micros < 2n ** 63n
  if (rate === undefined || !isPayable) throw new Refusal('payment_method_unavailable')
  refuseBelow(method, micros)
  return { price: { currency, micros }, rate }
}

function refuseBelow(
  { currency, leastMicros = 0n }: Pick<PaymentMethod, 'currency' | 'leastMicros'>,
  micros: bigint,
): void {
  if (micros < leastMicros)
    throw new Refusal('amount_below_method', {
      field: 'amount',
      least: `${usdText(leastMicros, digits)} ${currency}`,
    })
}

/** The minimum cost of an order paid by a method, in micro-USD, whole cents; null: no minimum. */
export function leastInUsd({ leastMicros }: PaymentMethod, { perUsdMicros }: Rate): bigint | null {
  if (leastMicros === undefined) return null
  const cents = (leastMicros * 100n + perUsdMicros - 1n) / perUsdMicros
  return cents * microsPerCent
}

const words = {
  ru: { rate: 'по курсу', of: 'от', topUp: 'Пополнение баланса' },
  en: { rate: 'at', of: 'of', topUp: 'Top-up of the balance' },
}

/** The description on the processor's page: "10 GB residential, 35.00 USD at 92.50 RUB of 2026-11-20". */
export function describe(
  { gb, pool, costMicros, language }: { gb: bigint; pool: string; costMicros: bigint; language: Language },
  rate: Rate | null,
): string {
  const goods = pool === 'balance' ? words[language].topUp : `${gb} GB ${pool}`
  if (rate === null) return goods
  const { rate: at, of } = words[language]
  const day = rate.setAt.toISOString().slice(0, 10)
  return `${goods}, ${usdText(costMicros, 2)} USD ${at} ${usdText(rate.perUsdMicros, 2)} ${rate.currency} ${of} ${day}`
}

/**
 * What a customer reads before choosing a method that collects another currency, as HTML for the end of its
 * description.
 */
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

/** What a customer reads at a method that is closed because the rate of its currency is too old. */
export const closedNote = (currency: string, language: Language): string =>
  language === 'ru'
    ? `Временно недоступно: курс ${currency} устарел, магазин скоро его обновит. Выберите другой способ.`
    : `Not available for now: the ${currency} rate is out of date, and the shop will update it soon. Choose another method.`
