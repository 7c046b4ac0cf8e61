/** The schemas of proxy users: logins that a customer gives to others, within limits of their own. */
import * as z from 'zod'
import { labelForm } from '../texts.ts'
import * as rules from '../schemas.rules.ts'
import { done, pool, poolInput } from '../schemas.ts'
import { longestLabel, mostAddresses, mostUserBytes } from './rules.ts'

/** Not only spaces, and only characters that show. */
export const userLabel = z.string().max(longestLabel, 'invalid_label').regex(labelForm, 'invalid_label')

/** Charged bytes; null: no limit, 0: nothing. */
const userLimit = z
  .int('invalid_user_limit')
  .min(0, 'invalid_user_limit')
  .max(mostUserBytes, 'invalid_user_limit')
  .nullable()

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

const createUserInput = z.strictObject({
  pool,
  label: userLabel,
  ...z.object(userSettings).partial().shape,
})

/** Omitted fields stay unchanged. */
const changeUserInput = z.strictObject({
  pool,
  number: userNumber,
  label: userLabel.optional(),
  ...z.object(userSettings).partial().shape,
})

const freezeUserInput = z.strictObject({ pool, number: userNumber, frozen: z.boolean() })
const userInput = z.strictObject({ pool, number: userNumber })
const userUsageInput = z.strictObject({ pool, number: userNumber, days: z.int().min(1).max(366) })
const proxyUser = z.object({
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

const proxyUsers = z.object({
  users: z.array(proxyUser),
  /** How many there may be in this pool. */
  most: z.number(),
  /** The zone whose days and months the limits count. */
  time_zone: z.string(),
})

const userUsage = z.object({
  days: z.array(z.object({ day: z.string(), bytes: z.number(), requests: z.number() })),
  total_bytes: z.number(),
})

export const usersSchemas = {
  get_proxy_users: { input: poolInput, output: proxyUsers },
  create_proxy_user: { input: createUserInput, output: proxyUser },
  change_proxy_user: { input: changeUserInput, output: proxyUser },
  freeze_proxy_user: { input: freezeUserInput, output: proxyUser },
  renew_proxy_user_password: { input: userInput, output: proxyUser },
  delete_proxy_user: { input: userInput, output: done },
  proxy_user_usage: { input: userUsageInput, output: userUsage },
} as const
