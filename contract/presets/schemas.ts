/** The shapes of presets of the generator, of their links, and of a line that is tried. */
import * as z from 'zod'
import { proxyCodes } from '../refusals/proxy.ts'
import { userLabel } from '../schemas.limits.ts'
import { getProxyInput, pool } from '../schemas.ts'

/** The input of `get_proxy` without the pool. */
const settings = getProxyInput.omit({ pool: true })

const number = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

export const presetInput = z.strictObject({ number })
export const savePresetInput = z.strictObject({ pool, label: userLabel, settings })
/** Omitted fields stay unchanged. */
export const changePresetInput = z.strictObject({
  number,
  label: userLabel.optional(),
  settings: settings.optional(),
})

export const preset = z.object({
  number: z.number(),
  pool,
  label: z.string(),
  settings,
  created_at: z.string(),
  /** The secret link, of which the token is not shown again; null: there is none. */
  link: z.object({ created_at: z.string(), last_used_at: z.string().nullable() }).nullable(),
})
export const presets = z.object({ presets: z.array(preset), most: z.number(), most_links: z.number() })
/** The path and query of the new link, shown this once. */
export const presetLink = z.object({ path: z.string(), preset })

export const trial = z.object({
  /** Whether the target answered. */
  ok: z.boolean(),
  /** The status of the target, or of the gateway's refusal; null: the gateway could not be reached, or did not answer in time. */
  status: z.number().nullable(),
  /** Why there is no answer of the target; null: there is one. */
  code: z.enum([...proxyCodes, 'gateway_unreachable', 'trial_timeout', 'unexpected_answer']).nullable(),
  /** What the gateway said. */
  sentence: z.string().nullable(),
  /** The address that the target saw. */
  address: z.string().nullable(),
  country: z.string().nullable(),
  /** Known where the settings name one AS number only. */
  asn: z.number().nullable(),
  /** Until the gateway had opened the tunnel, and until the whole answer was there. */
  connect_ms: z.number().nullable(),
  latency_ms: z.number(),
  request_id: z.string().nullable(),
})
