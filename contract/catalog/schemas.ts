/** The schemas of prices. */
import * as z from 'zod'
import { maxOrderGb } from '../price.ts'
import { empty, fraction, pool, usd } from '../schemas.ts'

/** Only the pools that are on sale. */
const prices = z.partialRecord(pool, usd)

const calculateInput = z.strictObject({
  amounts: z.array(z.number().min(0).max(maxOrderGb)).min(1).max(100),
})

const discounts = z.array(fraction)

export const catalogSchemas = {
  prices: { input: empty, output: prices },
  calculate: { input: calculateInput, output: discounts },
} as const
