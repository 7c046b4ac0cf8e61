/** Traffic, gateways, exits, and the figures of today. */
import * as z from 'zod'
import { amount, day, id, moment, pageOf, pool, reason, time } from './schemas.ts'

export const trafficInput = z.strictObject({ from: day, until: day })
export const traffic = z.object({
  days: z.array(z.object({ day, pool, charged_bytes: amount, bonus_bytes: amount, requests: amount })),
  /** Sold and not used, bonus included. */
  held: z.array(z.object({ pool, paid_bytes: amount, bonus_bytes: amount, leased_bytes: amount })),
})

export const gateways = z.array(
  z.object({
    name: z.string(),
    /** When it was last heard. */
    seen_at: time,
    /** Open leases by the books, whether it was heard lately or not. */
    leases: z.number(),
    leased_bytes: amount,
    accounts: z.number(),
    /** Null, like the next three: a release that does not tell. */
    version: z.string().nullable(),
    /** The machine, and the first of its ports. */
    address: z.string().nullable(),
    reports_waiting: z.number().nullable(),
    connections: z.number().nullable(),
    /** `silent`: it has told nothing for 15 s, without having said that it stops. */
    state: z.enum(['running', 'draining', 'drained', 'stopped', 'silent']),
    started_at: time,
    /** Since when it is to drain; null: it is to serve. */
    drain_asked_at: time.nullable(),
    worker_count: z.number(),
    /** Those that were heard in the last 30 s. Figures are null as long as it has not told them. */
    workers: z.array(
      z.object({
        name: z.string(),
        started_at: time,
        seen_at: time,
        tunnels: z.number().nullable(),
        bits_per_second: amount.nullable(),
        leases: z.number().nullable(),
        leased_bytes: amount.nullable(),
        reports_waiting: z.number().nullable(),
      }),
    ),
  }),
)
export const gatewayInput = z.strictObject({ name: z.string().min(1).max(100), reason: reason.optional() })

export const trafficSumsInput = z.strictObject({
  by: z.enum(['pool', 'exit', 'country', 'hour', 'day']),
  /** A time counts with the whole of its hour, a day as the end with the whole of the day. */
  from: z.union([day, moment]),
  until: z.union([day, moment]),
  pool: pool.optional(),
  exit: id.optional(),
})
/** The largest first, times in their order. By country: of the records of connections, some of which may be lost. */
export const trafficSums = pageOf(
  z.object({
    /** A pool, the id of an exit (0: none or not known), a country (empty: not known), an hour or a day. */
    key: z.string(),
    /** Of an exit that is there. */
    name: z.string().nullable(),
    charged_bytes: amount,
    /** The part that bonus paid for; null: not divided by country. */
    bonus_bytes: amount.nullable(),
    /** Payload, whatever it cost. */
    relayed_bytes: amount,
    requests: amount,
  }),
).extend({ by_records: z.boolean() })

const exit = z.object({
  id,
  pool,
  name: z.string(),
  kind: z.string(),
  enabled: z.boolean(),
  weight: z.number(),
  /** Host and port; null: this machine. */
  endpoint: z.string().nullable(),
  preset: z.string().nullable(),
  has_password: z.boolean(),
  max_connections: z.number().nullable(),
  /** Null: everywhere. */
  places: z.number().nullable(),
  countries: z.array(z.string()),
  fault: z.string().nullable(),
})
export const exits = z.array(exit)
export const setExitInput = z.strictObject({
  id,
  enabled: z.boolean().optional(),
  weight: z.number().int().min(1).max(1000).optional(),
  max_connections: z.number().int().min(1).max(1_000_000).nullable().optional(),
  reason: reason.optional(),
})
export const testExitInput = z.strictObject({
  id,
  /** As a customer's line would ask, such as `cc-us-sid-a`. */
  line: z.string().max(200).optional(),
})
export const exitTest = z.object({
  worked: z.boolean(),
  /** The status that the shop's echo answered through it. */
  status: z.number().nullable(),
  took_ms: z.number(),
  /** The address from which the exit reached the target. */
  seen_from: z.string().nullable(),
  /** Why it failed, in the seller's own words where there are any. */
  fault: z.string().nullable(),
})

/** A figure of today so far, and of the same weekday before up to the same time. */
const figure = z.object({ today: amount, before: amount, hours: z.array(amount) })
export const today = z.object({
  at: time,
  money_in_micros: figure,
  sold_bytes: figure,
  used_bytes: figure,
  new_customers: figure,
  /** Of the records of connections, some of which may be lost. */
  refused_requests: figure.nullable(),
  needs_you: z.array(
    z.object({
      kind: z.enum([
        'dispute',
        'wrong_amount',
        'refund_failed',
        'exit_fault',
        'paid_without_traffic',
        'rate_old',
        'backup_old',
        'letters_stuck',
      ]),
      count: z.number(),
      /** What a click opens: a page of the desk with its filters. */
      href: z.string(),
      examples: z.array(z.string()),
    }),
  ),
  /** What `turnpike doctor` finds that is not in order. */
  before_you_open: z.array(
    z.object({ name: z.string(), level: z.enum(['warning', 'trouble']), sentence: z.string() }),
  ),
})
