/** The schemas of moved traffic. */
import * as z from 'zod'
import { empty, pool } from '../schemas.ts'
import { mostMoveMb } from './rules.ts'

const megabytes = z.int().min(1).max(mostMoveMb)
const wholeBytes = z.string().regex(/^\d{1,19}$/)
const giveInput = z.strictObject({ pool, megabytes, to: z.string().max(320) })
const quoteInput = z.strictObject({ pool, to_pool: pool, megabytes })
const quote = z.object({ to_bytes: wholeBytes })
const exchangeInput = z.strictObject({ pool, to_pool: pool, megabytes, to_bytes: wholeBytes })
const moves = z.object({
  /** Whether the shop lets its customers give traffic to each other. */
  gifts: z.boolean(),
  /** Nothing can be given away until then; null: now. */
  hold_until: z.string().nullable(),
  /** The security settings changed, or the device, network or country is new; null: there is no hold. */
  hold_reason: z.enum(['changed', 'new_device']).nullable(),
  /** What can still be given away within 24 hours. */
  left_today_bytes: wholeBytes,
  /** Whether the shop lets its customers exchange traffic between their pools. */
  exchanges: z.boolean(),
  /** What can still be exchanged within 24 hours. */
  exchange_left_today_bytes: wholeBytes,
  /** Bought traffic that can be moved now: without bonus, and without what open connections may need. */
  pools: z.array(z.object({ pool, movable_bytes: wholeBytes, micros_per_gb: wholeBytes })),
  /** The last ones, the newest first. */
  rows: z.array(
    z.object({
      at: z.string(),
      kind: z.enum(['given', 'received', 'exchanged']),
      /** The other customer's user name; null: an own pool, or a customer without a name. */
      who: z.string().nullable(),
      pool,
      bytes: wholeBytes,
      to_pool: pool,
      to_bytes: wholeBytes,
    }),
  ),
})

export const movesSchemas = {
  get_moves: { input: empty, output: moves },
  quote_exchange: { input: quoteInput, output: quote },
  give_traffic: { input: giveInput, output: moves },
  exchange_traffic: { input: exchangeInput, output: moves },
} as const
