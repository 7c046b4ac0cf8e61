/** Promo codes, campaigns and the share of inviters. */
import * as z from 'zod'
import {
  actKey,
  amount,
  day,
  done,
  empty,
  id,
  label,
  moment,
  page,
  pageOf,
  pool,
  positive,
  reason,
  time,
} from '../schemas.ts'
import { discountPreview } from '../prices/schemas.ts'
import { pools } from '../../pools.ts'

const maxUses = z.number().int().min(1).max(1_000_000_000).nullable()

/** How often one customer may use a code. */
const usesPerPerson = z.number().int().min(1).max(1000)

/** The limits of discounts. */
const discountLimits = {
  /** The code is valid only for the first purchase that a customer pays. */
  first_purchase: z.boolean(),
  /** Null: the discount applies to all pools. */
  pools: z.array(pool).min(1).max(pools.length).nullable(),
}

const codeState = z.enum(['good', 'disabled', 'expired', 'used_up'])

export const promoCodesInput = z.strictObject({
  ...page,
  text: z.string().max(64).optional(),
  state: codeState.optional(),
  batch: z.string().max(64).optional(),
})

export const promoCode = z.object({
  id,
  code: z.string(),
  /** The name of the batch with which the code was made; null: none. */
  batch: z.string().nullable(),
  state: codeState,
  discount_ppm: z.number().nullable(),
  min_gb: amount.nullable(),
  pool: pool.nullable(),
  bytes: amount.nullable(),
  uses: amount,
  max_uses: amount.nullable(),
  uses_per_person: z.number(),
  first_purchase: z.boolean(),
  /** The pools to which a discount applies; null: all pools. */
  pools: z.array(pool).nullable(),
  expires_at: time.nullable(),
  created_at: time,
})

export const promoCodesPage = pageOf(promoCode)

export const promoCodeUsesInput = z.strictObject({ ...page, id })

/** Who used a code, or holds it by an open invoice. */
export const promoCodeUsesPage = pageOf(
  z.object({
    customer_id: id,
    customer_name: z.string().nullable(),
    state: z.enum(['used', 'held']),
    /** The time of the use; for a held code, the time until which it is held. */
    at: time,
    /** Null: the code grants traffic, so there is no invoice. */
    invoice_number: z.string().nullable(),
  }),
)

/** The days of the shop, both included. */
export const promoCodeDaysInput = z.strictObject({ id, from: day, until: day })

/** All days of the period, the oldest first. */
export const promoCodeDays = z.object({ days: z.array(z.object({ day, uses: amount })) })

export const createPromoInput = z.strictObject({
  /** One given code, or `count` random ones that begin with a prefix. */
  codes: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('one'), code: label(64) }),
    z.strictObject({
      kind: z.literal('batch'),
      /** The name by which the codes are found and stopped together. */
      name: label(64).nullable().default(null),
      prefix: label(32).or(z.literal('')),
      count: z.number().int().min(1).max(1000),
    }),
  ]),
  grant: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('discount'),
      discount_ppm: z.number().int().min(1).max(999_999),
      min_gb: z.number().int().min(1).max(99_999_999),
      first_purchase: discountLimits.first_purchase.default(false),
      pools: discountLimits.pools.default(null),
    }),
    z.strictObject({ kind: z.literal('traffic'), pool, bytes: positive }),
  ]),
  max_uses: maxUses,
  uses_per_person: usesPerPerson.default(1),
  expires_at: moment.nullable(),
  key: actKey,
})

/** A discount to preview before its code is created. */
export const previewDiscountInput = z.strictObject({
  discount_ppm: z.number().int().min(1).max(999_999),
  min_gb: z.number().int().min(1).max(99_999_999),
  pools: discountLimits.pools.default(null),
})

export const createdCodes = z.object({ codes: z.array(z.string()) })

/** The new limits of a code; null: no limit. */
export const changePromoInput = z.strictObject({
  code: z.string().max(64),
  max_uses: maxUses,
  uses_per_person: usesPerPerson,
  ...discountLimits,
  expires_at: moment.nullable(),
  reason: reason.optional(),
})

export const stopPromoInput = z.strictObject({ code: z.string().max(64), reason: reason.optional() })

export const stopPromoBatchInput = z.strictObject({ batch: label(64), reason: reason.optional() })

/** The number of codes that were valid before. */
export const stoppedCodes = z.object({ stopped: z.number() })

// Campaigns and invitations

export const campaignsInput = z.strictObject(page)

/** The most sign-ups first. */
export const campaignsPage = pageOf(
  z.object({
    /** The `source` of the link. */
    campaign: z.string(),
    sign_ups: amount,
    /** The number of these customers who have paid with real money. */
    buyers: amount,
    /** Money received from these customers, less refunds. */
    revenue_micros: amount,
  }),
)

/** The part of invitees' payments that inviters without a share of their own earn, in parts per million. */
export const referralShare = z.object({ share_ppm: z.number() })

export const setReferralShareInput = z.strictObject({
  share_ppm: z.number().int().min(0).max(1_000_000),
  reason,
})

export const promoDeskSchemas = {
  preview_discount: { input: previewDiscountInput, output: discountPreview },
  promo_codes: { input: promoCodesInput, output: promoCodesPage },
  promo_code_uses: { input: promoCodeUsesInput, output: promoCodeUsesPage },
  promo_code_days: { input: promoCodeDaysInput, output: promoCodeDays },
  create_promo_codes: { input: createPromoInput, output: createdCodes },
  change_promo_code: { input: changePromoInput, output: done },
  stop_promo_code: { input: stopPromoInput, output: done },
  stop_promo_batch: { input: stopPromoBatchInput, output: stoppedCodes },
  campaigns: { input: campaignsInput, output: campaignsPage },
  referral_share: { input: empty, output: referralShare },
  set_referral_share: { input: setReferralShareInput, output: done },
} as const
