/** The schemas of the currency in which prices are shown. */
import * as z from 'zod'
import { empty } from '../schemas.ts'

const displayCurrency = z.object({ currency: z.string().nullable() })
const displayCurrencyInput = z.strictObject({ currency: z.string().max(3) })

export const ratesSchemas = {
  display_currency: { input: empty, output: displayCurrency },
  set_display_currency: { input: displayCurrencyInput, output: displayCurrency },
} as const
