/** The schemas of automatic top-up and saved payment methods. */
import * as z from 'zod'
import { maxOrderGb } from '../price.ts'
import { empty, pool } from '../schemas.ts'
import { chargeStates, declineReasons, offReasons } from './rules.ts'

/** An amount in the currency that a processor collects. */
const price = z.object({ currency: z.string(), amount: z.number() })

/** The threshold: a pool is topped up once fewer bytes are left; at least 1 MB. */
const belowBytes = z.int('invalid_byte_cap').min(1_000_000, 'invalid_byte_cap').max(1e15, 'invalid_byte_cap')

const terms = {
  pool,
  /** The saved method, by its id. */
  method_id: z.string().regex(/^\d{1,18}$/),
  below_bytes: belowBytes,
  /** The GB that each charge buys. */
  gb: z.int().min(1).max(maxOrderGb),
  /** The maximum sum of the charges in a calendar month (UTC), in USD. */
  month_usd: z.number().min(0.01).max(1_000_000),
}

const topUpConsentInput = z.strictObject(terms)
const topUpConsent = z.object({
  text: z.string(),
  /** The customer agrees by sending this back as `consent`. */
  sha256: z.string(),
  cost_usd: z.number(),
  price,
  /** The maximum of one charge. */
  most: price,
  /** Less than the threshold is left now, so switching top-up on makes a charge at once. */
  charges_now: z.boolean(),
})

const setTopUpInput = z.strictObject({ ...terms, consent: z.string().max(64) })
const switchOffTopUpInput = z.strictObject({ pool })
const removeSavedMethodInput = z.strictObject({ id: z.string().regex(/^\d{1,18}$/) })
const charge = z.object({
  made_at: z.string(),
  state: z.enum(chargeStates),
  /** Why the charge failed; null: it has not failed. */
  reason: z.enum(declineReasons).nullable(),
  invoice: z.string(),
  price,
  card: z.string(),
  /** The payment page, while the bank requires the customer; else null. */
  payment_url: z.string().nullable(),
})

const topUp = z.object({
  pool,
  on: z.boolean(),
  /** Why top-up is off. */
  off_reason: z.enum(offReasons).nullable(),
  method_id: z.string().nullable(),
  below_bytes: z.number(),
  gb: z.number(),
  month_usd: z.number(),
  /** What the charges of this month cost so far. */
  charged_usd: z.number(),
  most: price,
  /** Nothing is charged before this time: the month's limit is reached, or a charge failed. Null: no wait. */
  not_before: z.string().nullable(),
  last: charge.nullable(),
})

const savedMethod = z.object({
  id: z.string(),
  /** The payment method through which it is charged. */
  method: z.string(),
  brand: z.string(),
  last4: z.string().nullable(),
  /** YYYY-MM */
  expires: z.string().nullable(),
  saved_at: z.string(),
})

const topUps = z.object({
  /** The payment methods whose cards can be saved; empty: the shop has no automatic top-up. */
  methods: z.array(z.string()),
  /** What a customer agrees to with `save_consent` of `create_invoice_web`. */
  save_consent: z.object({ text: z.string(), sha256: z.string() }),
  /** A payment method is being saved: its invoice is paid, but the method is not known yet. */
  saving: z.boolean(),
  saved: z.array(savedMethod),
  pools: z.array(topUp),
})

export const topUpSchemas = {
  get_top_ups: { input: empty, output: topUps },
  top_up_consent: { input: topUpConsentInput, output: topUpConsent },
  set_top_up: { input: setTopUpInput, output: topUps },
  switch_off_top_up: { input: switchOffTopUpInput, output: topUps },
  remove_saved_method: { input: removeSavedMethodInput, output: topUps },
} as const
