/** The schemas of the records of single requests. */
import * as z from 'zod'

export const explainRequestInput = z.strictObject({ id: z.string().max(64) })

const milliseconds = z.number().nullable()
const upAndDown = z.object({ up: z.number(), down: z.number() })
/** The record of a request. Times count from its acceptance; null for a step that was not reached. */
export const explainedRequest = z.object({
  id: z.string(),
  accepted_at: z.string(),
  pool: z.string(),
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
