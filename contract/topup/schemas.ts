/** The schemas of automatic top-up and saved payment methods. */
import * as z from 'zod'
import { maxOrderGb } from '../price.ts'
import { empty, pool } from '../schemas.ts'
import { chargeStates, declineReasons, offReasons } from './rules.ts'

/** An amount in the currency that a processor collects. */
const price = z.object({ currency: z.string(), amount: z.number() })

/** What is left of a pool when it is topped up, from 1 MB. */
const belowBytes = z.int('invalid_byte_cap').min(1_000_000, 'invalid_byte_cap').max(1e15, 'invalid_byte_cap')

const terms = {
  pool,
  /** The saved method, by its id. */
  method_id: z.string().regex(/^\d{1,18}$/),
  below_bytes: belowBytes,
  /** What is bought. */
  gb: z.int().min(1).max(maxOrderGb),
  /** The most that charges of a calendar month (UTC) may cost together, in USD. */
  month_usd: z.number().min(0.01).max(1_000_000),
}

const topUpConsentInput = z.strictObject(terms)
const topUpConsent = z.object({
  text: z.string(),
  /** Sent back by who agrees. */
  sha256: z.string(),
  cost_usd: z.number(),
  price,
  /** The most that one charge may take. */
  most: price,
  /** Less than the threshold is left now: switching it on charges at once. */
  charges_now: z.boolean(),
})

const setTopUpInput = z.strictObject({ ...terms, consent: z.string().max(64) })
const switchOffTopUpInput = z.strictObject({ pool })
const removeSavedMethodInput = z.strictObject({ id: z.string().regex(/^\d{1,18}$/) })
const charge = z.object({
  made_at: z.string(),
  state: z.enum(chargeStates),
  /** Of a failed one. */
  reason: z.enum(declineReasons).nullable(),
  invoice: z.string(),
  price,
  card: z.string(),
  /** The page on which the customer pays it, while the bank asks for them. */
  payment_url: z.string().nullable(),
})

const topUp = z.object({
  pool,
  on: z.boolean(),
  /** Why it is off. */
  off_reason: z.enum(offReasons).nullable(),
  method_id: z.string().nullable(),
  below_bytes: z.number(),
  gb: z.number(),
  month_usd: z.number(),
  /** What the charges of this month cost so far. */
  charged_usd: z.number(),
  most: price,
  /** Its bound lets nothing be charged before this time; null: it may be charged. */
  not_before: z.string().nullable(),
  last: charge.nullable(),
})

const savedMethod = z.object({
  id: z.string(),
  /** The payment method that charges it. */
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
  /** A paid invoice whose method is not known yet. */
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
