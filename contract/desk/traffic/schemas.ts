/** Sums of traffic, and the gateways. */
import * as z from 'zod'
import { amount, changed, day, empty, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'

export const gateways = z.array(
  z.object({
    name: z.string(),
    /** When it was last heard. */
    seen_at: time,
    /** Open leases by the books, whether it was heard lately or not. */
    leases: z.number(),
    leased_bytes: amount,
    version: z.string(),
    /** The machine, and the first of its ports. */
    address: z.string(),
    reports_waiting: z.number(),
    connections: z.number(),
    /** Its own token; null: it has none. */
    token: z.enum(['own', 'revoked']).nullable(),
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
  /** All rows come in one page. */
  ...page,
  by: z.enum(['pool', 'exit', 'country', 'hour', 'day']),
  /** A time counts with the whole of its hour, a day as the end with the whole of the day. */
  from: z.union([day, moment]),
  until: z.union([day, moment]),
  pool: pool.optional(),
  exit: id.optional(),
})

/**
 * The largest first, times in their order. By country: of the records of connections, some of which may be
 * lost.
 */
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

export const trafficDeskSchemas = {
  traffic_sums: { input: trafficSumsInput, output: trafficSums },
  gateways: { input: empty, output: gateways },
  drain_gateway: { input: gatewayInput, output: changed },
  undrain_gateway: { input: gatewayInput, output: changed },
  revoke_gateway_token: { input: gatewayInput, output: changed },
} as const
