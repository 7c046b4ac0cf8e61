/** The schemas of a customer’s own caps and hosts. */
import * as z from 'zod'
import * as rules from '../schemas.rules.ts'
import { byteCap, pool, poolInput } from '../schemas.ts'

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
const poolLimitsInput = z.strictObject({
  pool,
  ...z.object(limitsOnPool).partial().shape,
})

const raiseDayInput = z.strictObject({ pool })
const poolLimits = z.object({
  pool,
  ...limitsOnPool,
  /** The cap of the day as it is raised today; null: it is not raised. */
  raised_day_bytes: z.number().nullable(),
  /** Charged so far in the current UTC hour, day and month. */
  used: z.object({ hour_bytes: z.number(), day_bytes: z.number(), month_bytes: z.number() }),
})

export const limitsSchemas = {
  get_pool_limits: { input: poolInput, output: poolLimits },
  set_pool_limits: { input: poolLimitsInput, output: poolLimits },
  raise_day_cap: { input: raiseDayInput, output: poolLimits },
} as const
