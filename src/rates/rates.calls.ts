import type { ratesWire } from '#contract/rates/calls'
import { callerOf, type HandlersOf } from '#db/call'
import { chooseCurrency, chosenCurrency } from './rates.ts'

/**
 * The calls about the currency in which a customer wants to see prices: display_currency and
 * set_display_currency.
 */
export const ratesCalls = {
  display_currency: async (_input, context) => ({
    currency: await chosenCurrency(context.database.db, callerOf(context).id),
  }),
  set_display_currency: async ({ currency }, context) => {
    await chooseCurrency(context.database.db, callerOf(context).id, currency, context.now())
    return { currency }
  },
} satisfies HandlersOf<typeof ratesWire>
