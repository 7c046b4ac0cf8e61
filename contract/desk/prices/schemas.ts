/** Prices and discounts by volume. */
import * as z from 'zod'
import { amount, changed, done, empty, id, label, page, pageOf, pool, reason, time } from '../schemas.ts'

const tier = z.strictObject({
  from_gb: z.number().int().min(1).max(99_999_999),
  discount_ppm: z.number().int().min(0).max(999_999),
})

/** Micro-USD per GB. Below a million dollars, so that no order overflows the database's column. */
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
  /** The prices that the page showed when the member began. Refused if they were changed since. */
  seen: pricesInput,
})

export const pricePreview = z.array(
  z.object({
    pool,
    gb: z.number(),
    now_micros: amount.nullable(),
    then_micros: amount.nullable(),
    then_per_gb_micros: amount.nullable(),
    /** The processors' fees and inviters' shares in a GB, as in the last 30 days. Null: no cost is known. */
    taken_per_gb_micros: amount.nullable(),
    /** The cost of a GB sold now, by exits’ prices of today, monthly costs and bonus. Null: not known. */
    cost_per_gb_micros: amount.nullable(),
    /** The cost of a paid GB in the last 30 days. Null: too little was used. */
    past_cost_per_gb_micros: amount.nullable(),
    /** The margin of a GB: the new price less fees, shares and the present cost. */
    margin_per_gb_micros: amount.nullable(),
    /** The margin of a GB that the dearest exit carries. Below zero: a GB may be sold below its cost. */
    least_margin_per_gb_micros: amount.nullable(),
    /** The cost of a GB through the pool's dearest exit today, and its name. Null: no cost is known. */
    dearest_per_gb_micros: amount.nullable(),
    dearest_exit: z.string().nullable(),
    /** The order earns less than its traffic costs, on average or through the dearest exit. */
    below_cost: z.boolean(),
  }),
)

/** An order of the smallest amount of each tier, in each pool with a known cost. */
export const discountPreview = z.array(
  z.object({
    pool,
    gb: z.number(),
    per_gb_micros: amount,
    /** The margin of a GB that the dearest exit carries, after fees and shares. */
    least_margin_per_gb_micros: amount,
    /** The order earns less than its traffic costs, on average or through the dearest exit. */
    below_cost: z.boolean(),
    /** The minimum price of a GB that covers its cost, and the fees and inviters' shares in the price. */
    least_per_gb_micros: amount,
    dearest_per_gb_micros: amount.nullable(),
    dearest_exit: z.string().nullable(),
  }),
)

export const priceChangesInput = z.strictObject(page)

/**
 * Changes of prices and tiers, the newest first: a row for each price and each tier. A null value before or
 * after: the pool was not on sale, or the tier did not exist.
 */
export const priceChangesPage = pageOf(
  z.object({
    id,
    at: time,
    by: z.string(),
    reason: z.string().nullable(),
    /** The pool and the values of a changed price; null for a tier. */
    pool: pool.nullable(),
    before_micros: amount.nullable(),
    after_micros: amount.nullable(),
    /** The start and the values of a changed tier; null for a price. */
    from_gb: z.number().nullable(),
    before_ppm: z.number().nullable(),
    after_ppm: z.number().nullable(),
  }),
)

/** A list's price of a pool: a fixed price of a GB, or a discount off the shop’s price. */
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
  /** The number of customers who have the list. */
  customers: z.number(),
  /** Orders of some size would earn less than they cost. */
  below_cost: z.boolean(),
})

export const previewPriceListInput = z.strictObject({
  /** The list to change; null: a new list, which is compared with the shop’s prices. */
  id: id.nullable(),
  ...listTerms,
})

export const createPriceListInput = z.strictObject({ name: listName, ...listTerms, reason })

/** Refused if the list has another version by now, because someone has changed it. */
export const changePriceListInput = z.strictObject({ id, version, name: listName, ...listTerms, reason })

export const removePriceListInput = z.strictObject({ id, version, reason })

/** `id`: a customer; `list_id` null: the shop’s prices. */
export const assignPriceListInput = z.strictObject({ id, list_id: id.nullable(), reason })

/** Changes of price lists, the newest first. `before` null: the list was made; `after` null: removed. */
export const priceListChangesPage = pageOf(
  z.object({
    id,
    at: time,
    by: z.string(),
    reason: z.string().nullable(),
    /** Null: the list was removed since. */
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
