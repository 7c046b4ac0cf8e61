/** The schemas of statistics and usage. */
import * as z from 'zod'
import { pools } from '../pools.ts'
import { codes, empty, pool, traffic } from '../schemas.ts'

const statisticInput = z.strictObject({ period: z.enum(['week', 'month']), pool })
const statistic = z.object({
  usage: z.array(z.object({ d_usage: z.string(), traffic, extra_traffic: traffic, request: z.number() })),
  total: z.object({ traffic, extra_traffic: traffic }),
})

const usageParts = ['host', 'country', 'exit_country', 'code', 'user'] as const
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'usage_period')
const usageInput = z.strictObject({
  /** UTC days, both included. */
  from: day,
  to: day,
  by: z.enum(['day', 'hour', ...usageParts]),
  /** Missing: all pools. */
  pool: pool.optional(),
  /** With `by: 'day'`: only requests with this value of a part. */
  only: z.strictObject({ part: z.enum(usageParts), key: z.string().max(300) }).optional(),
})

const sums = { charged_bytes: z.number(), requests: z.number() }
const total = z.object({ ...sums, bonus_bytes: z.number(), refused: z.number() })
const usage = z.object({
  rows: z.array(
    z.object({
      /**
       * `key`: the usage of one key. `other`: that of keys without a row of their own. `withheld`: that of
       * withheld hosts. `difference`: usage in the ledger that has no records; by hour, the usage of hours
       * that are no longer kept.
       */
      kind: z.enum(['key', 'other', 'withheld', 'difference']),
      key: z.string(),
      /** The host, if usage is divided by host. */
      target: z.string().nullable(),
      /** The label of the proxy user, if usage is divided by user; null: it has none, or was deleted. */
      label: z.string().nullable(),
      ...sums,
      bonus_bytes: z.number().nullable(),
      refused: z.number().nullable(),
    }),
  ),
  total,
  /** The total of the same number of days before the period. */
  before: total,
})

const lastHourInput = z.strictObject({ pool, countries: codes })
/** The results of connections through these countries in the last hour. */
const lastHour = z.object({
  attempted: z.number(),
  reached: z.number(),
  /** The median time until the connection was open. */
  median_ms: z.number().nullable(),
})

const activityInput = z.strictObject({ pool: pool.optional() })
/** A customer's activity by minute. `requests` counts requests that began. */
const activity = z.object({
  /** The last 60 minutes, the current one last. */
  minutes: z.array(
    z.object({
      minute: z.string(),
      charged_bytes: z.number(),
      requests: z.number(),
      /** The most connections open at a time. */
      open: z.number(),
    }),
  ),
  /** The last 168 hours, the current one last. Both figures are the maximum within one minute of the hour. */
  hours: z.array(z.object({ hour: z.string(), open: z.number(), requests: z.number() })),
})

/** The overview of a customer's last day. */
const overview = z.object({
  pools: z.array(
    z.object({ pool: z.enum(pools), used_bytes: z.number(), hours_left: z.number().nullable() }),
  ),
  hours: z.array(z.object({ hour: z.string(), used_bytes: z.number(), requests: z.number() })),
  requests: z.object({
    counted: z.number(),
    done: z.number(),
    refused: z.number(),
    is_capped: z.boolean(),
  }),
  refusals: z.array(
    z.object({
      code: z.string(),
      requests: z.number(),
      last_at: z.string(),
      last_id: z.string(),
      pool: z.string().nullable(),
      target: z.string().nullable(),
    }),
  ),
  has_requests: z.boolean(),
})

export const statsSchemas = {
  get_activity: { input: activityInput, output: activity },
  get_last_hour: { input: lastHourInput, output: lastHour },
  get_overview: { input: empty, output: overview },
  get_usage: { input: usageInput, output: usage },
  legacy_get_statistic: { input: statisticInput, output: statistic },
} as const
