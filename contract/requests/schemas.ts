/** The schemas of records of single requests. */
import * as z from 'zod'
import { pools } from '../pools.ts'
import { empty } from '../schemas.ts'
import { isOfOurTime } from '../texts.ts'

const explainRequestInput = z.strictObject({ id: z.string().max(64) })
const milliseconds = z.number().nullable()
const upAndDown = z.object({ up: z.number(), down: z.number() })
/** The record of a request. Times count from its acceptance; null for a step that was not reached. */
const explainedRequest = z.object({
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

const hostPrivacy = z.object({ withholds_hosts: z.boolean() })
const hostPrivacyInput = z.strictObject(hostPrivacy.shape)
const time = z.iso.datetime().refine(isOfOurTime)
/** The filter of the list: requests must match every given field. */
const requestsInput = z.strictObject({
  pool: z.enum(pools).optional(),
  host: z.string().min(1).max(300).optional(),
  country: z
    .string()
    .regex(/^[a-z]{2}$/)
    .optional(),
  code: z.string().min(1).max(64).optional(),
  outcome: z.enum(['done', 'refused', 'failed']).optional(),
  /** The login of a proxy user; `account`: only requests with the login of the account itself. */
  user: z.string().max(64).optional(),
  from: time.optional(),
  to: time.optional(),
  after: z.string().max(64).optional(),
})

/** A request in a list. `charged_bytes` counts both directions. */
const listedRequest = z.object({
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
  /**
   * The login of the proxy user and its label; null: the request used the login of the account itself; empty:
   * the proxy user no longer exists.
   */
  user: z.string().nullable(),
  user_label: z.string().nullable(),
})

export type ListedRequest = z.infer<typeof listedRequest>
const requestPage = z.object({
  requests: z.array(listedRequest),
  next: z.string().nullable(),
  position: z.string(),
})

export const requestsSchemas = {
  explain_request: { input: explainRequestInput, output: explainedRequest },
  get_requests: { input: requestsInput, output: requestPage },
  get_host_privacy: { input: empty, output: hostPrivacy },
  set_host_privacy: { input: hostPrivacyInput, output: hostPrivacy },
} as const
