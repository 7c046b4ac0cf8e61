/** The schemas of what inviters earn, and of its payouts. */
import * as z from 'zod'
import { payoutNetworks, payoutStates } from './payout.ts'
import { earningDays } from './period.ts'

export const earningsInput = z.strictObject({ days: z.literal(earningDays) })

/** Every day of the period, UTC, the earliest first; USD, less what refunds took back. */
export const earnings = z.array(z.object({ day: z.string(), earned_usd: z.number(), payments: z.number() }))

const wholeMicros = z.string().regex(/^\d{1,15}$/)

export const requestPayoutInput = z.strictObject({
  micros: wholeMicros,
  network: z.enum(payoutNetworks),
  wallet: z
    .string()
    .trim()
    .max(128)
    .regex(/^\s*\S+\s*$/),
})
export const cancelPayoutInput = z.strictObject({ number: z.int().min(1) })
export const payouts = z.object({
  /** Whether the shop pays referral balances out. */
  is_on: z.boolean(),
  /** The networks that it sends through. */
  networks: z.array(z.enum(payoutNetworks)),
  least_micros: wholeMicros,
  /** What can be paid out or spent. */
  balance_micros: wholeMicros,
  /** Nothing can be paid out until then; null: now. */
  hold_until: z.string().nullable(),
  /** The last ones, the newest first. */
  rows: z.array(
    z.object({
      number: z.int(),
      asked_at: z.string(),
      /** What is sent; less than what was asked for when purchases that earned it were refunded since. */
      micros: wholeMicros,
      asked_micros: wholeMicros,
      network: z.enum(payoutNetworks),
      wallet: z.string(),
      state: z.enum(payoutStates),
      ended_at: z.string().nullable(),
      /** What the network calls the payment. */
      reference: z.string().nullable(),
      /** Why it was refused; null: refunds left nothing of it. */
      reason: z.string().nullable(),
    }),
  ),
})
