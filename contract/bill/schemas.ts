/** The schemas of the bill by the hour. */
import * as z from 'zod'

const billInput = z.strictObject({
  /** Only lines after this number are returned. */
  after: z.int().min(0).max(1e15).optional(),
  limit: z.int().min(0).max(1000).optional(),
})

const bill = z.object({
  /** Lines of the file, whole. */
  lines: z.array(z.string()),
  /** All lines. */
  count: z.number(),
  /** The hash of the last of all lines. */
  head: z.string(),
})

export const billSchemas = {
  get_bill: { input: billInput, output: bill },
} as const
