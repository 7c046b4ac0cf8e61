/** Payouts of referral balances, which staff send by hand. */
import * as z from 'zod'
import { payoutNetworks, payoutStates } from './payout.ts'
import { amount, day, id, moment, page, pageOf, reason, time } from '../desk/schemas.ts'

export const payoutsInput = z.strictObject({
  ...page,
  /** `open`: requested or being sent. */
  state: z.enum(['open', ...payoutStates]).optional(),
  network: z.enum(payoutNetworks).optional(),
  customer: id.optional(),
  /** By the time of the request. */
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})
export const payoutsPage = pageOf(
  z.object({
    id,
    asked_at: time,
    state: z.enum(payoutStates),
    micros: amount,
    /** More than `micros` when refunds have undone a part of it. */
    asked_micros: amount,
    network: z.enum(payoutNetworks),
    /** Whole for those who may send to it. */
    address: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    taken_at: time.nullable(),
    ended_at: time.nullable(),
    reference: z.string().nullable(),
    /** Of a refusal, as the customer was told; null: refunds left nothing of it. */
    reason: z.string().nullable(),
  }),
)

/** `micros`: what the member saw. */
export const takePayoutInput = z.strictObject({ id, micros: amount })
export const payPayoutInput = z.strictObject({ id, reference: z.string().trim().min(3).max(128) })
export const refusePayoutInput = z.strictObject({ id, reason })
