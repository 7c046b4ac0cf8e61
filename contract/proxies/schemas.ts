/** The schemas of proxy lines, passwords and trials. */
import * as z from 'zod'
import { proxyCodes } from '../gateway/refusals.ts'
import { done, getProxyInput, pool, poolInput, text, userNumber } from '../schemas.ts'

const newPassword = z.object({ password: z.string() })
const trial = z.object({
  /** Whether the target answered. */
  ok: z.boolean(),
  /**
   * The status of the target, or of the gateway's refusal; null: the gateway could not be reached, or did not
   * answer in time.
   */
  status: z.number().nullable(),
  /** The reason why there is no answer of the target; null: there is one. */
  code: z.enum([...proxyCodes, 'gateway_unreachable', 'trial_timeout', 'unexpected_answer']).nullable(),
  /** What the gateway said. */
  sentence: z.string().nullable(),
  /** The address that the target saw. */
  address: z.string().nullable(),
  /** What the exit's seller promises: that of the settings, or of the exit. */
  country: z.string().nullable(),
  /** Where the address is registered, according to a table in the release: another source, to compare. */
  registered_country: z.string().nullable(),
  /**
   * The autonomous system that announces the address, by a table that the release brings; where the table
   * does not have it, the AS number of the settings if they name one only.
   */
  asn: z.number().nullable(),
  as_name: z.string().nullable(),
  /** Until the gateway had opened the tunnel, and until the whole answer was there. */
  connect_ms: z.number().nullable(),
  latency_ms: z.number(),
  request_id: z.string().nullable(),
})

/** Without a session and an id: all connections of the login. */
const endConnectionsInput = z.strictObject({
  pool,
  /** The number of a proxy user; missing: those of the account's own login. */
  proxy_user: userNumber.nullish(),
  /** The `sid` of the lines whose sticky session is ended: it takes another exit. */
  session: z
    .string()
    .regex(/^[a-z0-9_]{1,32}$/, 'invalid_session')
    .nullish(),
  /** The `X-Request-Id` of a connection. */
  request_id: z.uuid('invalid_request_id').nullish(),
})

/** The JSON answers of text calls. */
export const proxiesJson = {
  get_proxy: z.object({
    lines: z.array(z.string()),
    /** How many times each byte through these lines is charged: 1 or 2. */
    multiplier: z.number(),
    /** The bytes of payload that the traffic left is worth with these lines. */
    payload_bytes: z.number(),
  }),
} as const

export const proxiesSchemas = {
  get_proxy: { input: getProxyInput, output: text },
  try_line: { input: getProxyInput, output: trial },
  end_connections: { input: endConnectionsInput, output: done },
  reset_password: { input: poolInput, output: newPassword },
} as const
