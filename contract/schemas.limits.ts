/** The shapes of what customers set for their pools: limits, the whitelist, notices. */
import * as z from 'zod'
import * as rules from './schemas.rules.ts'
import { pool } from './schemas.ts'

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
export const poolLimits = z.object({
  pool,
  ...limitsOnPool,
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
  below_bytes: noticeThreshold.optional(),
})
export const notices = z.object({
  traffic: noticeWaysOn,
  cap: noticeWaysOn,
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

// Statistics and content
