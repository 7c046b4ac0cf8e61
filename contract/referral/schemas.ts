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
  /** The networks through which the shop pays out. */
  networks: z.array(z.enum(payoutNetworks)),
  least_micros: wholeMicros,
  /** The referral balance, which can be paid out or spent. */
  balance_micros: wholeMicros,
  /** The time before which nothing can be paid out; null: payouts are possible now. */
  hold_until: z.string().nullable(),
  /** The latest payouts, newest first. */
  rows: z.array(
    z.object({
      number: z.int(),
      asked_at: z.string(),
      /** The amount to send: less than `asked_micros` if purchases that earned it were refunded since. */
      micros: wholeMicros,
      asked_micros: wholeMicros,
      network: z.enum(payoutNetworks),
      wallet: z.string(),
      state: z.enum(payoutStates),
      ended_at: z.string().nullable(),
      /** The network's identifier of the payment. */
      reference: z.string().nullable(),
      /** Why the payout was refused; null: no one refused it, or refunds left nothing to pay out. */
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
