/** The schemas of what inviters earn, and of its payouts. */
import * as z from 'zod'
import { empty, fraction, usd } from '../schemas.ts'
import { payoutNetworks, payoutStates } from './payout.ts'
import { earningDays } from './period.ts'

const earningsInput = z.strictObject({ days: z.literal(earningDays) })

/** Every day of the period, UTC, the earliest first; USD, less what refunds took back. */
const earnings = z.array(z.object({ day: z.string(), earned_usd: z.number(), payments: z.number() }))

const wholeMicros = z.string().regex(/^\d{1,15}$/)

const requestPayoutInput = z.strictObject({
  micros: wholeMicros,
  network: z.enum(payoutNetworks),
  wallet: z
    .string()
    .trim()
    .max(128)
    .regex(/^\s*\S+\s*$/),
})
const cancelPayoutInput = z.strictObject({ number: z.int().min(1) })
const payouts = z.object({
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

const referralInfo = z.object({
  balance: usd,
  ref_num: z.number(),
  percent: fraction,
  links: z.object({ website: z.string(), telegram: z.string().nullable() }),
})

const referralInfos = z.array(referralInfo)
export const referralSchemas = {
  legacy_referal_info: { input: empty, output: referralInfos },
  referral_earnings: { input: earningsInput, output: earnings },
  get_payouts: { input: empty, output: payouts },
  request_payout: { input: requestPayoutInput, output: payouts },
  cancel_payout: { input: cancelPayoutInput, output: payouts },
} as const
