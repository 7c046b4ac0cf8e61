/** Sums of traffic, and the gateways. */
import * as z from 'zod'
import { amount, changed, day, empty, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'

export const gateways = z.array(
  z.object({
    name: z.string(),
    /** The time of the gateway's last heartbeat. */
    seen_at: time,
    /** The gateway's open leases in the database, whether or not it is reachable now. */
    leases: z.number(),
    leased_bytes: amount,
    version: z.string(),
    /** The host, and the first of the gateway's ports. */
    address: z.string(),
    reports_waiting: z.number(),
    connections: z.number(),
    /** The state of its own token; null: it has none. */
    token: z.enum(['own', 'revoked']).nullable(),
    /** `silent`: it has sent nothing for 15 s, and has not announced a stop. */
    state: z.enum(['running', 'draining', 'drained', 'stopped', 'silent']),
    started_at: time,
    /** When staff asked it to drain; null: it is to serve. */
    drain_asked_at: time.nullable(),
    worker_count: z.number(),
    /** The workers that sent a heartbeat in the last 30 s. Figures are null until the worker reports them. */
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
  /** The period: it includes the whole hour of a time, and the whole day of a day. */
  from: z.union([day, moment]),
  until: z.union([day, moment]),
  pool: pool.optional(),
  exit: id.optional(),
})

/**
 * The largest sum first; hours and days in the order of time. Sums by country are counted from the records of
 * connections, some of which may be lost.
 */
export const trafficSums = pageOf(
  z.object({
    /** A pool, the id of an exit (0: none or not known), a country (empty: not known), an hour or a day. */
    key: z.string(),
    /** The name of an exit that still exists. */
    name: z.string().nullable(),
    charged_bytes: amount,
    /** The part that bonus paid for; null: not divided by country. */
    bonus_bytes: amount.nullable(),
    /** Payload, regardless of its tariff. */
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
