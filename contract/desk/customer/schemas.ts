/** One customer: usage, limits, open connections, ways in. */
import * as z from 'zod'
import { accessParts } from '../choices.ts'
import { amount, day, done, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'
import { chargeStates, declineReasons, offReasons } from '../../topup/rules.ts'
import { contact, freeText } from '../../masks.ts'

// Open connections

export const liveInput = z.strictObject({
  id,
  /** Why the member looks at the targets; without a reason they are not shown. */
  reason: reason.optional(),
})

export const live = z.object({
  /** The number of open connections; `rows` has the newest ones. */
  open: z.number(),
  /** How many workers of gateways answered in time, of the `asked` ones that run. */
  answered: z.number(),
  asked: z.number(),
  rows: z.array(
    z.object({
      request_id: z.string(),
      gateway: z.string(),
      pool,
      protocol: z.string(),
      open_ms: z.number(),
      /** The time since the last byte. */
      idle_ms: z.number(),
      relayed_bytes: amount,
      exit: z.string().nullable(),
      country: z.string().nullable(),
      target: z.string().nullable(),
      ip: contact.nullable(),
    }),
  ),
})

export const cutInput = z.strictObject({
  id,
  /** Omitted: all connections of the customer. */
  request_id: z.uuid().optional(),
  reason: reason.optional(),
})

// Automatic top-up

export const topUpsInput = z.strictObject({ id })

export const topUps = z.object({
  saved: z.array(z.object({ card: z.string(), method: z.string(), saved_at: time })),
  pools: z.array(
    z.object({
      pool,
      on: z.boolean(),
      off_reason: z.enum(offReasons).nullable(),
      below_bytes: amount,
      gb: z.number(),
      /** The maximum sum of charges in a month, in micro-USD. */
      month_micros: amount,
      /** The number of failed charges in a row. */
      failures: z.number(),
      changed_at: time,
      /** The latest charges, newest first. */
      charges: z.array(
        z.object({
          state: z.enum(chargeStates),
          reason: z.enum(declineReasons).nullable(),
          invoice: z.string(),
          made_at: time,
        }),
      ),
    }),
  ),
})

export const switchOffTopUpInput = z.strictObject({ id, pool, reason })

export const topUpSwitched = z.object({ changed: z.boolean() })

// Ways in

export const resetAccessInput = z.strictObject({
  id,
  parts: z.array(z.enum(accessParts)).min(1).max(4),
  reason,
})

export const accessReset = z.object({
  /** Pools with a new proxy password, which only the customer sees. */
  pools: z.array(pool),
  sessions: z.number(),
  /** The second factors that were removed, by kind. */
  factors: z.array(z.string()),
  /** A letter with a link for a new password is on its way. */
  letter: z.boolean(),
})

export const seeAsInput = z.strictObject({ id, reason })

/** The page of the shop that opens the view: valid once, until `expires_at`. */
export const seeAsLink = z.object({ url: z.string(), expires_at: time })

export const resendInput = z.strictObject({ id })

// Limits

const cap = z.string().regex(/^[1-9]\d{0,15}$/)

const hosts = z.array(z.string().max(253)).max(100)

const caps = { hour_bytes: cap.nullable(), day_bytes: cap.nullable(), month_bytes: cap.nullable() }

const limits = {
  ...caps,
  connections: z.number().int().min(1).max(100_000).nullable(),
  allowed_hosts: hosts,
  denied_hosts: hosts,
  data_saver: z.boolean(),
}

export const limitsInput = z.strictObject({ id })

export const limitsOfPools = z.array(
  z.object({
    pool,
    ...limits,
    /** Charged so far in this UTC hour, day and month. */
    used: z.object({ hour_bytes: amount, day_bytes: amount, month_bytes: amount }),
  }),
)

/** Omitted fields stay unchanged; null removes a cap. */
export const setLimitsInput = z.strictObject({ id, pool, ...z.object(limits).partial().shape, reason })

// Lists

const period = { from: z.union([day, moment]), until: z.union([day, moment]) }

export const usageByInput = z.strictObject({
  ...page,
  ...period,
  id,
  by: z.enum(['hour', 'country']),
  pool: pool.optional(),
})

/**
 * Usage by hour in the order of time, or by country, the most usage first. Countries are counted from the
 * newest connections only, as in `usage_hosts`.
 */
export const usageByPage = pageOf(
  z.object({ key: z.string(), charged_bytes: amount, relayed_bytes: amount, requests: amount }),
)

export const hostsInput = z.strictObject({ ...page, ...period, id, pool: pool.optional(), reason })

/** The hosts with the most bytes among the newest 100,000 connections of the period. */
export const hostsPage = pageOf(
  z.object({
    host: z.string().nullable(),
    charged_bytes: amount,
    relayed_bytes: amount,
    connections: amount,
  }),
)

export const promoUsesInput = z.strictObject({ ...page, id })

export const promoUsesPage = pageOf(
  z.object({
    code: z.string(),
    kind: z.enum(['discount', 'traffic']),
    /** `held`: an open invoice holds the code. */
    state: z.enum(['held', 'used']),
    at: time,
    invoice_number: z.string().nullable(),
  }),
)

export const lettersInput = z.strictObject({ ...page, id })

/** Letters of the last 30 days to the customer's present address. */
export const lettersPage = pageOf(
  z.object({
    id: z.string(),
    template: z.string(),
    language: z.enum(['ru', 'en']),
    state: z.enum(['waiting', 'sent', 'failed']),
    created_at: time,
    done_at: time.nullable(),
    fault: freeText.nullable(),
  }),
)

// The API

/** The maximum multiple of the usual rate limit that can be agreed with a customer. */
const mostPaceTimes = 100

const apiPace = z.object({
  /** The customer's rate limit as a multiple of the usual one. */
  times: z.number(),
  calls_per_second: z.number(),
  calls_at_once: z.number(),
  /** Null: the usual rate limit applies. */
  agreed_at: time.nullable(),
})

const setApiPaceInput = z.strictObject({ id, times: z.int().min(1).max(mostPaceTimes), reason })

export const customerDeskSchemas = {
  customer_usage_by: { input: usageByInput, output: usageByPage },
  customer_hosts: { input: hostsInput, output: hostsPage },
  customer_promo_uses: { input: promoUsesInput, output: promoUsesPage },
  customer_letters: { input: lettersInput, output: lettersPage },
  customer_limits: { input: limitsInput, output: limitsOfPools },
  set_customer_limits: { input: setLimitsInput, output: done },
  customer_api: { input: z.strictObject({ id }), output: apiPace },
  set_api_pace: { input: setApiPaceInput, output: done },
  customer_top_ups: { input: topUpsInput, output: topUps },
  switch_off_top_up: { input: switchOffTopUpInput, output: topUpSwitched },
  live_connections: { input: liveInput, output: live },
  cut_connections: { input: cutInput, output: done },
  reset_access: { input: resetAccessInput, output: accessReset },
  see_as_customer: { input: seeAsInput, output: seeAsLink },
  resend_confirmation: { input: resendInput, output: done },
} as const
