/** An invoice in the currencies of its customer and of its payment method. */
import type { DeskOutput } from '#contract/desk/contract'
import type { Invoice } from '#purchase'
import { amount } from '../lists/page.ts'

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** What is collected and what the customer was shown, with the rates frozen then. */
export function inCurrencies({
  price,
  rate,
  shown,
}: Invoice): Pick<DeskOutput<'invoice'>, 'price' | 'shown'> {
  return {
    price: {
      currency: price.currency,
      micros: amount(price.micros),
      rate_micros: rate === null ? null : amount(rate.perUsdMicros),
      rate_on: rate === null ? null : dayOf(rate.setAt),
    },
    shown:
      shown === null
        ? null
        : {
            currency: shown.rate.currency,
            micros: amount(shown.micros),
            rate_micros: amount(shown.rate.perUsdMicros),
            rate_on: dayOf(shown.rate.setAt),
          },
  }
}
