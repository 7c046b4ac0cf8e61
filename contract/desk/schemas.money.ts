/** Invoices, notifications of processors, prices, promo codes, banners. */
import * as z from 'zod'
import { invoiceStates } from './choices.ts'
import { actKey, amount, day, id, moment, page, pageOf, pool, positive, reason, time } from './schemas.ts'

const state = z.enum(invoiceStates)

export const invoicesInput = z.strictObject({
  ...page,
  /** A number, or a customer's name or e-mail. */
  text: z.string().max(320).optional(),
  state: state.optional(),
  pool: pool.optional(),
  method: z.string().max(32).optional(),
  customer_id: id.optional(),
  promo_code: z.string().max(64).optional(),
  disputed: z.enum(['true']).optional(),
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})
export const invoiceRow = z.object({
  number: z.string(),
  state,
  customer_id: id,
  customer_name: z.string().nullable(),
  email: z.string().nullable(),
  pool,
  gb: z.number(),
  method: z.string(),
  cost_micros: amount,
  received_micros: amount,
  refunded_micros: amount,
  promo_code: z.string().nullable(),
  disputed_at: time.nullable(),
  created_at: time,
  settled_at: time.nullable(),
})
export const invoicesPage = pageOf(invoiceRow)

export const invoiceInput = z.strictObject({ number: z.string().max(64) })
export const invoiceEvent = z.object({
  id,
  at: time,
  method: z.string(),
  verdict: z.string().nullable(),
  deliveries: z.number(),
})
export const invoice = invoiceRow.extend({
  per_gb_micros: amount,
  volume_discount_ppm: z.number(),
  promo_discount_ppm: z.number(),
  full_cost_micros: amount,
  /** In the currency that the processor collects. */
  price: z.object({ currency: z.string(), micros: amount, rate_micros: amount.nullable() }),
  credited_bytes: amount,
  taken_back_bytes: amount,
  external_id: z.string().nullable(),
  processor_verdict: z.string().nullable(),
  promo_lost_at: time.nullable(),
  expires_at: time,
  refunded_at: time.nullable(),
  processor_refund: z
    .object({
      state: z.enum(['due', 'sent', 'failed']),
      currency: z.string(),
      micros: amount,
      reference: z.string().nullable(),
      claim_url: z.string().nullable(),
      fault: z.string().nullable(),
    })
    .nullable(),
  payments: z.array(z.object({ external_id: z.string(), received_micros: amount, at: time })),
  events: z.array(invoiceEvent),
})

export const refundInput = z.strictObject({
  number: z.string().max(64),
  what: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('whole') }),
    z.strictObject({ kind: z.literal('unused') }),
    z.strictObject({ kind: z.literal('amount'), micros: positive }),
  ]),
  reason,
})
export const refunded = z.object({
  refunded_micros: amount,
  taken_back_bytes: amount,
  credited_bytes: amount,
  /** How the money goes back: by the processor, to the referral balance, or by hand. */
  way: z.enum(['processor', 'balance', 'by_hand']),
})

export const paymentEventsInput = z.strictObject({
  ...page,
  method: z.string().max(32).optional(),
  verdict: z.string().max(32).optional(),
  invoice: z.string().max(64).optional(),
})
export const paymentEventsPage = pageOf(invoiceEvent.extend({ invoice_number: z.string().nullable() }))
export const paymentEventInput = z.strictObject({ id })
export const paymentEvent = invoiceEvent.extend({
  invoice_number: z.string().nullable(),
  judged_at: time.nullable(),
  ip: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  /** As it came, as far as it is text; secrets of processors are not part of notifications. */
  body: z.string(),
  body_bytes: z.number(),
})

// Prices

const tier = z.strictObject({
  from_gb: z.number().int().min(1).max(99_999_999),
  discount_ppm: z.number().int().min(0).max(999_999),
})
const price = z.strictObject({ pool, per_gb_micros: positive })
export const prices = z.object({ prices: z.array(price), tiers: z.array(tier) })
/** The whole of it, as it shall be: a pool or tier that is left out goes off sale. */
export const pricesInput = z.strictObject({
  prices: z.array(price).max(16),
  tiers: z.array(tier).max(50),
})
export const changePricesInput = pricesInput.extend({
  reason,
  /** What the page showed when the change was begun: refused when they were changed meanwhile. */
  seen: pricesInput,
})
export const pricePreview = z.array(
  z.object({
    pool,
    gb: z.number(),
    now_micros: amount.nullable(),
    then_micros: amount.nullable(),
    then_per_gb_micros: amount.nullable(),
  }),
)

// Promo codes

const codeState = z.enum(['good', 'disabled', 'expired', 'used_up'])
export const promoCodesInput = z.strictObject({
  ...page,
  text: z.string().max(64).optional(),
  state: codeState.optional(),
})
export const promoCode = z.object({
  id,
  code: z.string(),
  state: codeState,
  discount_ppm: z.number().nullable(),
  min_gb: amount.nullable(),
  pool: pool.nullable(),
  bytes: amount.nullable(),
  uses: amount,
  max_uses: amount.nullable(),
  expires_at: time.nullable(),
  created_at: time,
})
export const promoCodesPage = pageOf(promoCode)
export const createPromoInput = z.strictObject({
  /** One code of this name; or so many random ones behind a prefix. */
  codes: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('one'), code: z.string().max(64) }),
    z.strictObject({
      kind: z.literal('batch'),
      prefix: z.string().max(32),
      count: z.number().int().min(1).max(1000),
    }),
  ]),
  grant: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('discount'),
      discount_ppm: z.number().int().min(1).max(999_999),
      min_gb: z.number().int().min(1).max(99_999_999),
    }),
    z.strictObject({ kind: z.literal('traffic'), pool, bytes: positive }),
  ]),
  max_uses: z.number().int().min(1).max(1_000_000_000).nullable(),
  expires_at: moment.nullable(),
  key: actKey,
})
export const createdCodes = z.object({ codes: z.array(z.string()) })
export const stopPromoInput = z.strictObject({ code: z.string().max(64), reason: reason.optional() })

// Banners

export const banners = z.array(
  z.object({
    id,
    name: z.string(),
    link: z.string(),
    content_type: z.string(),
    size_bytes: z.number(),
    position: z.number(),
    starts_at: time.nullable(),
    ends_at: time.nullable(),
    state: z.enum(['shown', 'to_come', 'over']),
  }),
)
export const publishBannerInput = z.strictObject({
  name: z.string().trim().min(1).max(200),
  link: z.string().max(2000),
  /** The picture in base64: PNG, JPEG, WebP, GIF or AVIF of at most 1 MiB. */
  picture: z.base64().max(1_400_000),
  position: z.number().int().min(0).max(1_000_000),
  starts_at: moment.nullable(),
  ends_at: moment.nullable(),
})
export const bannerInput = z.strictObject({ id })
export const madeBanner = z.object({ id })
