/** Prices and discounts by volume. */
import * as z from 'zod'
import { amount, changed, done, empty, id, label, page, pageOf, pool, reason, time } from '../schemas.ts'

const tier = z.strictObject({
  from_gb: z.number().int().min(1).max(99_999_999),
  discount_ppm: z.number().int().min(0).max(999_999),
})

/** Below a million dollars, so that no order exceeds what the database holds. */
const perGb = z.string().regex(/^[1-9]\d{0,11}$/)

const price = z.strictObject({ pool, per_gb_micros: perGb })

export const prices = z.object({ prices: z.array(price), tiers: z.array(tier) })

/** The complete new price list: a pool or tier that is omitted goes off sale. */
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
    /** What fees of processors and shares of inviters take of it, as they did in the last 30 days. Null: no cost is known. */
    taken_per_gb_micros: amount.nullable(),
    /** What a paid GB that is sold now costs: by the exits’ prices of this day, with monthly costs and bonus. Null: not known. */
    cost_per_gb_micros: amount.nullable(),
    /** History: what a paid GB cost in the last 30 days. Null: too little was used. */
    past_cost_per_gb_micros: amount.nullable(),
    /** What the price of then leaves of each GB, less fees and shares, at the cost of now. */
    margin_per_gb_micros: amount.nullable(),
    /** The same of a GB that the dearest exit carries; below zero: it may be sold below its cost. */
    least_margin_per_gb_micros: amount.nullable(),
    /** What a GB costs by the dearest exit of the pool on this day, and its name. Null: no cost is known. */
    dearest_per_gb_micros: amount.nullable(),
    dearest_exit: z.string().nullable(),
    /** The order brings less than the pool costs, or than its dearest exit would take. */
    below_cost: z.boolean(),
  }),
)

/** Orders by the smallest amount of each tier, in pools of which a cost is known. */
export const discountPreview = z.array(
  z.object({
    pool,
    gb: z.number(),
    per_gb_micros: amount,
    /** What is left of a GB that the dearest exit carries, less fees and shares. */
    least_margin_per_gb_micros: amount,
    /** It brings less than its pool costs, or than its dearest exit would take. */
    below_cost: z.boolean(),
    /** What a GB must bring to pay for its cost, and for the fees and shares of inviters in it. */
    least_per_gb_micros: amount,
    dearest_per_gb_micros: amount.nullable(),
    dearest_exit: z.string().nullable(),
  }),
)

export const priceChangesInput = z.strictObject(page)

/** Changes of prices and tiers, the newest first: a row for each price and each tier; null: not on sale, no tier. */
export const priceChangesPage = pageOf(
  z.object({
    id,
    at: time,
    by: z.string(),
    reason: z.string().nullable(),
    /** Of a price. */
    pool: pool.nullable(),
    before_micros: amount.nullable(),
    after_micros: amount.nullable(),
    /** Of a tier. */
    from_gb: z.number().nullable(),
    before_ppm: z.number().nullable(),
    after_ppm: z.number().nullable(),
  }),
)

/** What a list has of a pool: a fixed price of a GB, or what is taken off the shop’s. */
const listPrice = z.union([
  z.strictObject({ pool, per_gb_micros: perGb }),
  z.strictObject({ pool, off_ppm: z.number().int().min(1).max(999_999) }),
])

const version = z.number().int().min(1)

const isOnePerKey = (keys: readonly unknown[]) => new Set(keys).size === keys.length

/** A pool that is omitted has the shop’s price; `tiers` null: the shop’s discounts apply. */
const listTerms = {
  prices: z
    .array(listPrice)
    .max(16)
    .refine((prices) => isOnePerKey(prices.map(({ pool: one }) => one))),
  tiers: z
    .array(tier)
    .max(50)
    .refine((tiers) => isOnePerKey(tiers.map(({ from_gb: gb }) => gb)))
    .nullable(),
}

const listName = label(60)

export const priceList = z.object({
  id,
  name: z.string(),
  version,
  ...listTerms,
  /** How many customers have it. */
  customers: z.number(),
  /** Orders of some size would bring less than they cost. */
  below_cost: z.boolean(),
})

export const previewPriceListInput = z.strictObject({
  /** The list before the change; null: a new one, compared with the shop’s prices. */
  id: id.nullable(),
  ...listTerms,
})

export const createPriceListInput = z.strictObject({ name: listName, ...listTerms, reason })

/** Refused when the list has another version by now: somebody has changed it. */
export const changePriceListInput = z.strictObject({ id, version, name: listName, ...listTerms, reason })

export const removePriceListInput = z.strictObject({ id, version, reason })

/** Of a customer; `list_id` null: the shop’s prices. */
export const assignPriceListInput = z.strictObject({ id, list_id: id.nullable(), reason })

/** Changes of price lists, the newest first. Null before: it was made; null after: it was removed. */
export const priceListChangesPage = pageOf(
  z.object({
    id,
    at: time,
    by: z.string(),
    reason: z.string().nullable(),
    /** Null: it was removed since. */
    list_id: id.nullable(),
    name: z.string(),
    before: z.object(listTerms).nullable(),
    after: z.object(listTerms).nullable(),
  }),
)

export const pricesDeskSchemas = {
  prices: { input: empty, output: prices },
  price_changes: { input: priceChangesInput, output: priceChangesPage },
  preview_prices: { input: pricesInput, output: pricePreview },
  change_prices: { input: changePricesInput, output: prices },
  price_lists: { input: empty, output: z.array(priceList) },
  price_list_changes: { input: priceChangesInput, output: priceListChangesPage },
  preview_price_list: { input: previewPriceListInput, output: pricePreview },
  create_price_list: { input: createPriceListInput, output: priceList },
  change_price_list: { input: changePriceListInput, output: priceList },
  remove_price_list: { input: removePriceListInput, output: done },
  assign_price_list: { input: assignPriceListInput, output: changed },
} as const
