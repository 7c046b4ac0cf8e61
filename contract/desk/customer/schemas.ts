/** One customer: usage, limits, open connections, ways in. */
import * as z from 'zod'
import { accessParts } from '../choices.ts'
import { amount, day, done, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'
import { chargeStates, declineReasons, offReasons } from '../../topup/rules.ts'
import { contact, freeText } from '../../masks.ts'

// Open connections

export const liveInput = z.strictObject({
  id,
  /** Why the targets are looked at; without it they are not shown. */
  reason: reason.optional(),
})

export const live = z.object({
  /** All that are open; `rows` are the newest. */
  open: z.number(),
  /** Workers of gateways that have answered in time, of those that run. */
  answered: z.number(),
  asked: z.number(),
  rows: z.array(
    z.object({
      request_id: z.string(),
      gateway: z.string(),
      pool,
      protocol: z.string(),
      open_ms: z.number(),
      /** Without a byte. */
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
      /** The bound of a month, in micro-USD. */
      month_micros: amount,
      /** In a row. */
      failures: z.number(),
      changed_at: time,
      /** The last ones, newest first. */
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
 * Hours in their order, countries with the most first; countries of the newest connections only
 * (`usage_hosts`).
 */
export const usageByPage = pageOf(
  z.object({ key: z.string(), charged_bytes: amount, relayed_bytes: amount, requests: amount }),
)

export const hostsInput = z.strictObject({ ...page, ...period, id, pool: pool.optional(), reason })

/** The hosts with the most bytes, of the newest 100,000 connections of the period. */
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
    /** `held`: by an open invoice. */
    state: z.enum(['held', 'used']),
    at: time,
    invoice_number: z.string().nullable(),
  }),
)

export const lettersInput = z.strictObject({ ...page, id })

/** Letters to the address that the customer has now, of the last 30 days. */
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

/** How many times the usual pace may be agreed. */
const mostPaceTimes = 100

const apiPace = z.object({
  /** How many times the usual pace of the API; 1: the usual. */
  times: z.number(),
  calls_per_second: z.number(),
  calls_at_once: z.number(),
  /** Null: the usual pace. */
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
