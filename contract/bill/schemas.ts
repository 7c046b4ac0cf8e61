/** The schemas of the bill by the hour, and of the roots over all bills. */
import * as z from 'zod'
import { empty } from '../schemas.ts'
import { isOfOurTime } from '../texts.ts'
import { rootProof } from './roots.ts'

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

const proofInput = z.strictObject({
  /** The UTC day of a root; without it the last one. */
  day: z.iso.date().refine(isOfOurTime).optional(),
})

/** The file of all roots. */
const roots = z.string()

export const billSchemas = {
  get_bill: { input: billInput, output: bill },
  get_bill_proof: { input: proofInput, output: rootProof },
  bill_roots: { input: empty, output: roots },
} as const
