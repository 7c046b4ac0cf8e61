/** The schemas of moved gigabytes. Bytes are decimal text: they may be more than a number holds exactly. */
import * as z from 'zod'
import { pools } from '../wire.ts'
import { mostMoveMb } from './rules.ts'

const pool = z.enum(pools)
const megabytes = z.int().min(1).max(mostMoveMb)
const bytes = z.string().regex(/^\d{1,19}$/)

export const giveInput = z.strictObject({ pool, megabytes, to: z.string().max(320) })
export const exchangeInput = z.strictObject({ pool, to_pool: pool, megabytes, to_bytes: bytes })
export const moves = z.object({
  /** Whether the shop lets its customers give traffic to each other. */
  gifts: z.boolean(),
  /** Nothing can be given away until then; null: now. */
  hold_until: z.string().nullable(),
  /** What can still be given away within 24 hours. */
  left_today_bytes: bytes,
  /** Bought traffic that can be moved now: without bonus, and without what open connections may need. */
  pools: z.array(z.object({ pool, movable_bytes: bytes, micros_per_gb: bytes })),
  /** The last ones, the newest first. */
  rows: z.array(
    z.object({
      at: z.string(),
      kind: z.enum(['given', 'received', 'exchanged']),
      /** The other customer's user name; null: an own pool, or a customer without a name. */
      who: z.string().nullable(),
      pool,
      bytes,
      to_pool: pool,
      to_bytes: bytes,
    }),
  ),
})
