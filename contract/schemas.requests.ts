/** The schemas of the records of single requests, of usage, of the hosts that are kept, and of the bill. */
import * as z from 'zod'
import { pool } from './schemas.ts'
import { pools } from './pools.ts'

export const explainRequestInput = z.strictObject({ id: z.string().max(64) })

const milliseconds = z.number().nullable()
const upAndDown = z.object({ up: z.number(), down: z.number() })
/** The record of a request. Times count from its acceptance; null for a step that was not reached. */
export const explainedRequest = z.object({
  id: z.string(),
  accepted_at: z.string(),
  pool: z.string(),
  user: z.string().nullable(),
  user_label: z.string().nullable(),
  protocol: z.string(),
  target: z.string().nullable(),
  settings: z.string().nullable(),
  country: z.string().nullable(),
  timeline_ms: z.object({
    authenticated: milliseconds,
    exit_chosen: milliseconds,
    connected: milliseconds,
    first_byte: milliseconds,
    ended: milliseconds,
  }),
  outcome: z.string(),
  refusal: z.object({ status: z.number().nullable(), code: z.string(), sentence: z.string() }).nullable(),
  exit_said: z.object({ status: z.number().nullable(), word: z.string().nullable() }).nullable(),
  multiplier: z.number(),
  bytes: upAndDown,
  charged_bytes: upAndDown,
  forgiven_bytes: z.number(),
  unkept_in_this_minute: z.number(),
})

const usageParts = ['host', 'country', 'exit_country', 'code', 'user'] as const

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'usage_period')

export const usageInput = z.strictObject({
  /** UTC days, both included. */
  from: day,
  to: day,
  by: z.enum(['day', 'hour', ...usageParts]),
  /** Missing: all. */
  pool: pool.optional(),
  /** Only requests with this value of a part, by day. */
  only: z.strictObject({ part: z.enum(usageParts), key: z.string().max(300) }).optional(),
})

const sums = { charged_bytes: z.number(), requests: z.number() }
const total = z.object({ ...sums, bonus_bytes: z.number() })
export const usage = z.object({
  rows: z.array(
    z.object({
      /** What the row is about: its key, keys beyond those told, withheld hosts, or what the books have beyond the records. */
      kind: z.enum(['key', 'other', 'withheld', 'difference']),
      key: z.string(),
      /** By host, the host. */
      target: z.string().nullable(),
      /** By user, the name of the proxy user; null: it has none, or was deleted. */
      label: z.string().nullable(),
      ...sums,
      bonus_bytes: z.number().nullable(),
      refused: z.number().nullable(),
    }),
  ),
  total,
  /** The same number of days before. */
  before: total,
})

export const hostPrivacy = z.object({ withholds_hosts: z.boolean() })
export const hostPrivacyInput = z.strictObject(hostPrivacy.shape)

export const billInput = z.strictObject({
  /** The number of a line; what is after it is answered. */
  after: z.int().min(0).max(1e15).optional(),
  limit: z.int().min(0).max(1000).optional(),
})
export const bill = z.object({
  /** Lines of the file, whole. */
  lines: z.array(z.string()),
  /** All lines. */
  count: z.number(),
  /** The hash of the last of all lines. */
  head: z.string(),
})

const time = z.iso.datetime()

/** What requests must have; what is missing may be anything. */
export const requestsInput = z.strictObject({
  pool: z.enum(pools).optional(),
  host: z.string().min(1).max(300).optional(),
  country: z
    .string()
    .regex(/^[a-z]{2}$/)
    .optional(),
  code: z.string().min(1).max(64).optional(),
  outcome: z.enum(['done', 'refused', 'failed']).optional(),
  /** The login of a proxy user, or `account`: that of the account itself. */
  user: z.string().max(64).optional(),
  from: time.optional(),
  to: time.optional(),
  after: z.string().max(64).optional(),
})

/** A request in a list. `charged_bytes` is in both directions. */
export const listedRequest = z.object({
  id: z.string(),
  accepted_at: z.string(),
  ended_at: z.string(),
  pool: z.string().nullable(),
  protocol: z.string(),
  target: z.string().nullable(),
  country: z.string().nullable(),
  outcome: z.string(),
  code: z.string().nullable(),
  status: z.number().nullable(),
  multiplier: z.number(),
  connected_ms: milliseconds,
  first_byte_ms: milliseconds,
  duration_ms: z.number(),
  up_bytes: z.number(),
  down_bytes: z.number(),
  charged_bytes: z.number(),
  /** The login of the proxy user and its name; null: the login of the account itself. Blank: a proxy user that is gone. */
  user: z.string().nullable(),
  user_label: z.string().nullable(),
})
export type ListedRequest = z.infer<typeof listedRequest>

export const requestPage = z.object({
  requests: z.array(listedRequest),
  next: z.string().nullable(),
  position: z.string(),
})

/** The data of an event of the stream of new requests; its id is the position after it. */
export interface RequestNews {
  requests: ListedRequest[]
  /** Some were left out: the list has them. */
  is_partial: boolean
}

/** How a customer's last day went. */
export const overview = z.object({
  pools: z.array(
    z.object({ pool: z.enum(pools), used_bytes: z.number(), hours_left: z.number().nullable() }),
  ),
  hours: z.array(z.object({ hour: z.string(), used_bytes: z.number(), requests: z.number() })),
  requests: z.object({
    counted: z.number(),
    done: z.number(),
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
