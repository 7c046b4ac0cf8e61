/** The shapes of what customers set: limits, the whitelist, notices, automatic top-up, proxy users, presets, moved traffic; and trials. */
import * as z from 'zod'
import { maxOrderGb } from './price.ts'
import * as rules from './schemas.rules.ts'
import { labelForm } from './texts.ts'
import { proxyCodes } from './refusals/proxy.ts'
import { mostMoveMb } from './moves/rules.ts'
import { getProxyInput, pool } from './schemas.ts'
import { chargeStates, declineReasons, offReasons } from './topup/rules.ts'
import { longestLabel, mostAddresses, mostUserBytes } from './users/rules.ts'

/** A cap on the bytes charged in an hour, a day or a month, from 1 MB to 1 PB; null: no cap. */
const byteCap = z
  .int('invalid_byte_cap')
  .min(1_000_000, 'invalid_byte_cap')
  .max(1_000_000_000_000_000, 'invalid_byte_cap')
  .nullable()

const limitsOnPool = {
  hour_bytes: byteCap,
  day_bytes: byteCap,
  month_bytes: byteCap,
  /** The most connections open at a time. */
  connections: z.int().min(1).max(100_000).nullable(),
  /** Exact names and addresses, or `*.suffix`. An empty list allows all. */
  allowed_hosts: rules.hostPatterns,
  denied_hosts: rules.hostPatterns,
  data_saver: z.boolean(),
}

/** Omitted fields stay unchanged. */
export const poolLimitsInput = z.strictObject({
  pool,
  ...z.object(limitsOnPool).partial().shape,
})
export const raiseDayInput = z.strictObject({ pool })
export const poolLimits = z.object({
  pool,
  ...limitsOnPool,
  /** The cap of the day as it is raised today; null: it is not raised. */
  raised_day_bytes: z.number().nullable(),
  /** Charged so far in the current UTC hour, day and month. */
  used: z.object({ hour_bytes: z.number(), day_bytes: z.number(), month_bytes: z.number() }),
})

const noticeWaysOn = z.object({ email: z.boolean(), telegram: z.boolean() })
/** The amount under which a notice is sent, from 1 MB to 1 PB; null: none. */
const noticeThreshold = byteCap

/** Omitted fields stay unchanged. */
export const noticesInput = z.strictObject({
  traffic: z.strictObject(noticeWaysOn.shape).partial().optional(),
  cap: z.strictObject(noticeWaysOn.shape).partial().optional(),
  topup: z.strictObject(noticeWaysOn.shape).partial().optional(),
  trouble: z.strictObject(noticeWaysOn.shape).partial().optional(),
  below_bytes: noticeThreshold.optional(),
})
export const notices = z.object({
  traffic: noticeWaysOn,
  cap: noticeWaysOn,
  topup: noticeWaysOn,
  trouble: noticeWaysOn,
  below_bytes: noticeThreshold,
})

export const whitelistInput = z.strictObject({ ip: rules.ipv4, pool })

export const addresses = z.array(z.string())

export const whitelistEntries = z.object({
  entries: z.array(
    z.object({
      ip: z.string(),
      added_at: z.string(),
      /** Null: unproven. */
      proven_at: z.string().nullable(),
      /** The time at which it is removed unless it is proven or used before. */
      expires_at: z.string().nullable(),
    }),
  ),
  /** The addresses removed in the last week other than by the customer. */
  lost: z.array(z.object({ ip: z.string(), reason: z.enum(['taken', 'unproven']), lost_at: z.string() })),
})

// Automatic top-up

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

export const topUpConsentInput = z.strictObject(terms)
export const topUpConsent = z.object({
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

export const setTopUpInput = z.strictObject({ ...terms, consent: z.string().max(64) })
export const switchOffTopUpInput = z.strictObject({ pool })

export const removeSavedMethodInput = z.strictObject({ id: z.string().regex(/^\d{1,18}$/) })

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

export const topUp = z.object({
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

export const savedMethod = z.object({
  id: z.string(),
  /** The payment method that charges it. */
  method: z.string(),
  brand: z.string(),
  last4: z.string().nullable(),
  /** YYYY-MM */
  expires: z.string().nullable(),
  saved_at: z.string(),
})

export const topUps = z.object({
  /** The payment methods whose cards can be saved; empty: the shop has no automatic top-up. */
  methods: z.array(z.string()),
  /** What a customer agrees to with `save_consent` of `create_invoice_web`. */
  save_consent: z.object({ text: z.string(), sha256: z.string() }),
  /** A paid invoice whose method is not known yet. */
  saving: z.boolean(),
  saved: z.array(savedMethod),
  pools: z.array(topUp),
})

// Proxy users: logins that a customer gives to others, within limits of their own

/** Charged bytes; null: no limit, 0: nothing. */
const userLimit = z
  .int('invalid_user_limit')
  .min(0, 'invalid_user_limit')
  .max(mostUserBytes, 'invalid_user_limit')
  .nullable()

/** Not only spaces, and only characters that show. */
const userLabel = z.string().max(longestLabel, 'invalid_label').regex(labelForm, 'invalid_label')

const userNumber = z.int().min(1).max(1_048_575)

const userSettings = {
  total_bytes: userLimit,
  /** Per day and per month of the shop's time zone. */
  day_bytes: userLimit,
  month_bytes: userLimit,
  /** The most connections open at a time. */
  connections: z.int().min(1).max(100_000).nullable(),
  /** The time from which it is refused. */
  expires_at: z.iso.datetime({ offset: true, error: 'invalid_expires_at' }).nullable(),
  /** Exact names and addresses, or `*.suffix`. An empty list allows what the account may open. */
  allowed_hosts: rules.hostPatterns,
  /** Codes of two letters. An empty list allows all. */
  countries: z.array(z.string().max(64)).max(250),
  /** IPv4 and IPv6 addresses and networks that clients may come from. An empty list allows all. */
  addresses: z.array(z.string().max(64)).max(mostAddresses),
}

export const createUserInput = z.strictObject({
  pool,
  label: userLabel,
  ...z.object(userSettings).partial().shape,
})
/** Omitted fields stay unchanged. */
export const changeUserInput = z.strictObject({
  pool,
  number: userNumber,
  label: userLabel.optional(),
  ...z.object(userSettings).partial().shape,
})
export const freezeUserInput = z.strictObject({ pool, number: userNumber, frozen: z.boolean() })
export const userInput = z.strictObject({ pool, number: userNumber })
export const userUsageInput = z.strictObject({ pool, number: userNumber, days: z.int().min(1).max(366) })

export const proxyUser = z.object({
  number: z.number(),
  label: z.string(),
  login: z.string(),
  /** Null: it cannot be read with the shop's present key. A new one can be made. */
  password: z.string().nullable(),
  frozen: z.boolean(),
  created_at: z.string(),
  ...userSettings,
  expires_at: z.string().nullable(),
  used: z.object({
    total_bytes: z.number(),
    day_bytes: z.number(),
    month_bytes: z.number(),
    requests: z.number(),
    last_at: z.string().nullable(),
  }),
})

export const proxyUsers = z.object({
  users: z.array(proxyUser),
  /** How many there may be in this pool. */
  most: z.number(),
  /** The zone whose days and months the limits count. */
  time_zone: z.string(),
})

export const userUsage = z.object({
  days: z.array(z.object({ day: z.string(), bytes: z.number(), requests: z.number() })),
  total_bytes: z.number(),
})

// Presets of the generator, their links, and a line that is tried

/** The input of `get_proxy` without the pool. */
const presetSettings = getProxyInput.omit({ pool: true })

const presetNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

export const presetInput = z.strictObject({ number: presetNumber })
export const savePresetInput = z.strictObject({ pool, label: userLabel, settings: presetSettings })
/** Omitted fields stay unchanged. */
export const changePresetInput = z.strictObject({
  number: presetNumber,
  label: userLabel.optional(),
  settings: presetSettings.optional(),
})

export const preset = z.object({
  number: z.number(),
  pool,
  label: z.string(),
  settings: presetSettings,
  created_at: z.string(),
  /** The secret link, of which the token is not shown again; null: there is none. */
  link: z.object({ created_at: z.string(), last_used_at: z.string().nullable() }).nullable(),
})
export const presets = z.object({ presets: z.array(preset), most: z.number(), most_links: z.number() })
/** The path and query of the new link, shown this once. */
export const presetLink = z.object({ path: z.string(), preset })

export const trial = z.object({
  /** Whether the target answered. */
  ok: z.boolean(),
  /** The status of the target, or of the gateway's refusal; null: the gateway could not be reached, or did not answer in time. */
  status: z.number().nullable(),
  /** Why there is no answer of the target; null: there is one. */
  code: z.enum([...proxyCodes, 'gateway_unreachable', 'trial_timeout', 'unexpected_answer']).nullable(),
  /** What the gateway said. */
  sentence: z.string().nullable(),
  /** The address that the target saw. */
  address: z.string().nullable(),
  country: z.string().nullable(),
  /**
   * The autonomous system that announces the address, by a table that the release brings; where the table does not have it, the AS number
   * of the settings if they name one only.
   */
  asn: z.number().nullable(),
  as_name: z.string().nullable(),
  /** Until the gateway had opened the tunnel, and until the whole answer was there. */
  connect_ms: z.number().nullable(),
  latency_ms: z.number(),
  request_id: z.string().nullable(),
})

const megabytes = z.int().min(1).max(mostMoveMb)
const wholeBytes = z.string().regex(/^\d{1,19}$/)

export const giveInput = z.strictObject({ pool, megabytes, to: z.string().max(320) })
export const quoteInput = z.strictObject({ pool, to_pool: pool, megabytes })
export const quote = z.object({ to_bytes: wholeBytes })
export const exchangeInput = z.strictObject({ pool, to_pool: pool, megabytes, to_bytes: wholeBytes })
export const moves = z.object({
  /** Whether the shop lets its customers give traffic to each other. */
  gifts: z.boolean(),
  /** Nothing can be given away until then; null: now. */
  hold_until: z.string().nullable(),
  /** What can still be given away within 24 hours. */
  left_today_bytes: wholeBytes,
  /** Whether the shop lets its customers exchange traffic between their pools. */
  exchanges: z.boolean(),
  /** What can still be exchanged within 24 hours. */
  exchange_left_today_bytes: wholeBytes,
  /** Bought traffic that can be moved now: without bonus, and without what open connections may need. */
  pools: z.array(z.object({ pool, movable_bytes: wholeBytes, micros_per_gb: wholeBytes })),
  /** The last ones, the newest first. */
  rows: z.array(
    z.object({
      at: z.string(),
      kind: z.enum(['given', 'received', 'exchanged']),
      /** The other customer's user name; null: an own pool, or a customer without a name. */
      who: z.string().nullable(),
      pool,
      bytes: wholeBytes,
      to_pool: pool,
      to_bytes: wholeBytes,
    }),
  ),
})
