/** The schemas of proxy users: logins that a customer gives to others, within limits of their own. */
import * as z from 'zod'
import { proxySecret } from '../teams/secrets.ts'
import { isOfOurTime, labelForm } from '../texts.ts'
import * as rules from '../schemas.rules.ts'
import { done, pool, userNumber } from '../schemas.ts'
import { mostListed, mostMade } from './calls.ts'
import {
  chosenLogin,
  chosenPassword,
  listedStates,
  loginPrefix,
  longestLabel,
  longestValue,
  metadataKey,
  mostAddresses,
  mostMetadata,
  mostUserBytes,
} from './rules.ts'

/** Not only spaces, and only characters that show. */
export const userLabel = z.string().max(longestLabel, 'invalid_label').regex(labelForm, 'invalid_label')

/** Charged bytes; null: no limit, 0: nothing. */
const userLimit = z
  .int('invalid_user_limit')
  .min(0, 'invalid_user_limit')
  .max(mostUserBytes, 'invalid_user_limit')
  .nullable()

/** What the customer's own program calls it. */
export const externalId = z
  .string()
  .max(128, 'invalid_external_id')
  .regex(/^[\x21-\x7e]+$/, 'invalid_external_id')
/** What the customer's own program keeps with it. */
const metadata = z
  .record(
    z.string().regex(metadataKey, 'invalid_metadata'),
    z.string('invalid_metadata').max(longestValue, 'invalid_metadata').regex(labelForm, 'invalid_metadata'),
  )
  .refine((given) => Object.keys(given).length <= mostMetadata, 'invalid_metadata')
/** One key and its value. */
export const metadataFilter = z.strictObject({
  key: z.string().regex(metadataKey, 'invalid_metadata'),
  value: z.string().max(longestValue, 'invalid_metadata'),
})
export const userLogin = z.string().max(32)
/** The login and the password that a customer chooses in place of random ones. */
const chosen = {
  login: z.string().regex(chosenLogin, 'invalid_user_login').optional(),
  password: z.string().regex(chosenPassword, 'invalid_user_password').optional(),
}
const userSettings = {
  external_id: externalId.nullable(),
  total_bytes: userLimit,
  /** Per day and per month of the shop's time zone. */
  day_bytes: userLimit,
  month_bytes: userLimit,
  /** The most connections open at a time. */
  connections: z.int().min(1).max(100_000).nullable(),
  /** The time from which it is refused. */
  expires_at: z.iso
    .datetime({ offset: true, error: 'invalid_expires_at' })
    .refine(isOfOurTime, 'invalid_expires_at')
    .nullable(),
  /** Exact names and addresses, or `*.suffix`. An empty list allows what the account may open. */
  allowed_hosts: rules.hostPatterns,
  /** Codes of two letters. An empty list allows all. */
  countries: z.array(z.string().max(64)).max(250),
  /** Codes of two letters. Exits in these countries are not used, even for lines that name no country. */
  denied_countries: z.array(z.string().max(64)).max(250),
  /** Whether lines of the double tariff (states, cities, zip codes, included ASNs) are refused. */
  no_double_tariff: z.boolean(),
  /** IPv4 and IPv6 addresses and networks that clients may come from. An empty list allows all. */
  addresses: z.array(z.string().max(64)).max(mostAddresses),
  metadata,
}

const newUser = {
  label: userLabel,
  /** Whether `total_bytes` are taken from the free traffic of the account and kept for it; it never changes. */
  reserved: z.boolean().optional(),
  ...chosen,
  ...z.object(userSettings).partial().shape,
}

const createUserInput = z.strictObject({ pool, ...newUser })

const createUsersInput = z.strictObject({
  pool,
  users: z.array(z.strictObject(newUser)).min(1).max(mostMade),
})

/** A page begins behind the number of the last one of the page before. */
const page = {
  after: z
    .int()
    .min(0)
    .max(2 ** 33 - 1)
    .default(0),
  limit: z.int().min(1).max(mostListed).default(mostListed),
}

const listUsersInput = z.strictObject({
  pool,
  ...page,
  /** Whether the answer contains passwords. */
  passwords: z.boolean().default(false),
  number: userNumber.optional(),
  login: userLogin.optional(),
  label: z.string().max(longestLabel).optional(),
  external_id: externalId.optional(),
  metadata: metadataFilter.optional(),
  /** Without `deleted`, none of them is deleted. */
  state: z.enum(listedStates).optional(),
})

const day = z.iso.date().refine(isOfOurTime)

const usersUsageInput = z.strictObject({ pool, from: day, to: day, ...page })

/** Omitted fields stay unchanged. */
const changeUserInput = z.strictObject({
  pool,
  number: userNumber,
  label: userLabel.optional(),
  ...chosen,
  ...z.object(userSettings).partial().shape,
})

/** Another pool in which its login is used, and its limits there. */
const addToPoolInput = z.strictObject({
  pool,
  number: userNumber,
  to: pool,
  reserved: newUser.reserved,
  ...z.object(userSettings).partial().omit({ external_id: true, metadata: true }).shape,
})

/** One of these. Of several with a label or an external id, because they are deleted, the newest. */
const findUserInput = z.strictObject({
  pool,
  number: userNumber.optional(),
  login: userLogin.optional(),
  external_id: externalId.optional(),
  label: z.string().max(longestLabel).optional(),
})
const prefixInput = z.strictObject({
  /** Null: none. */
  prefix: z.string().regex(loginPrefix, 'invalid_login_prefix').nullable(),
})
const freezeUserInput = z.strictObject({ pool, number: userNumber, frozen: z.boolean() })
const userInput = z.strictObject({ pool, number: userNumber })
/** Adds to `total_bytes`, or subtracts from it. */
const amountInput = z.strictObject({
  pool,
  number: userNumber,
  /** Charged bytes. */
  bytes: z.int('invalid_user_bytes').min(1, 'invalid_user_bytes').max(mostUserBytes, 'invalid_user_bytes'),
})
const userUsageInput = z.strictObject({ pool, number: userNumber, days: z.int().min(1).max(366) })
const proxyUser = z.object({
  number: z.number(),
  label: z.string(),
  login: z.string(),
  /** Null: it cannot be read with the shop's present key. A new one can be made. */
  password: proxySecret.nullable(),
  frozen: z.boolean(),
  /** Null: it is not deleted. */
  deleted_at: z.string().nullable(),
  /** Whether it has traffic of its own: `total_bytes`, less what it used. */
  reserved: z.boolean(),
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

/** The answer to a call that is stored with its Idempotency-Key has no password. */
const changedUser = proxyUser.omit({ password: true })
const foundUser = proxyUser.extend({
  /** The traffic given to it and taken from it, the newest first. */
  changes: z.array(z.object({ at: z.string(), bytes: z.number() })),
})

const proxyUsers = z.object({
  /** The password is missing unless it was requested. */
  users: z.array(proxyUser.extend({ password: proxyUser.shape.password.optional() })),
  /** How many there are in this pool. */
  count: z.number(),
  /** How many there may be in this pool. */
  most: z.number(),
  /** The first part of the logins of new ones; null: none. */
  login_prefix: z.string().nullable(),
  /** The last entry before the next page; null: there is no next page. */
  next_after: z.number().nullable(),
  /** The zone whose days and months the limits count. */
  time_zone: z.string(),
})

const userUsage = z.object({
  days: z.array(z.object({ day: z.string(), bytes: z.number(), requests: z.number() })),
  total_bytes: z.number(),
})

const usersUsage = z.object({
  /** Deleted ones too. */
  users: z.array(
    z.object({
      number: z.number(),
      login: z.string(),
      label: z.string(),
      external_id: z.string().nullable(),
      bytes: z.number(),
      requests: z.number(),
    }),
  ),
  /** The last entry before the next page; null: there is no next page. */
  next_after: z.number().nullable(),
  /** The time zone of the days. */
  time_zone: z.string(),
})

export const usersSchemas = {
  get_proxy_users: { input: listUsersInput, output: proxyUsers },
  get_proxy_user: { input: findUserInput, output: foundUser },
  set_proxy_login_prefix: { input: prefixInput, output: done },
  create_proxy_user: { input: createUserInput, output: proxyUser },
  create_proxy_users: { input: createUsersInput, output: z.object({ users: z.array(proxyUser) }) },
  add_proxy_user_to_pool: { input: addToPoolInput, output: proxyUser },
  change_proxy_user: { input: changeUserInput, output: proxyUser },
  freeze_proxy_user: { input: freezeUserInput, output: proxyUser },
  renew_proxy_user_password: { input: userInput, output: proxyUser },
  delete_proxy_user: { input: userInput, output: done },
  give_proxy_user: { input: amountInput, output: changedUser },
  take_proxy_user: { input: amountInput, output: changedUser },
  proxy_user_usage: { input: userUsageInput, output: userUsage },
  proxy_users_usage: { input: usersUsageInput, output: usersUsage },
} as const
