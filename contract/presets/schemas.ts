/** The schemas of stored settings of the generator. */
import * as z from 'zod'
import { done, empty, getProxyInput, pool } from '../schemas.ts'
import { userLabel } from '../proxy-users/schemas.ts'

/** The input of `get_proxy` without the pool. */
const presetSettings = getProxyInput.omit({ pool: true })

const presetNumber = z.int().min(1).max(Number.MAX_SAFE_INTEGER)
const presetInput = z.strictObject({ number: presetNumber })
const savePresetInput = z.strictObject({ pool, label: userLabel, settings: presetSettings })
/** Omitted fields stay unchanged. */
const changePresetInput = z.strictObject({
  number: presetNumber,
  label: userLabel.optional(),
  settings: presetSettings.optional(),
})

const preset = z.object({
  number: z.number(),
  pool,
  label: z.string(),
  settings: presetSettings,
  created_at: z.string(),
  /** The secret link, of which the token is not shown again; null: there is none. */
  link: z.object({ created_at: z.string(), last_used_at: z.string().nullable() }).nullable(),
})

const presets = z.object({ presets: z.array(preset), most: z.number(), most_links: z.number() })
/** The path and query of the new link, shown this once. */
const presetLink = z.object({ path: z.string(), preset })

export const presetsSchemas = {
  get_presets: { input: empty, output: presets },
  save_preset: { input: savePresetInput, output: preset },
  change_preset: { input: changePresetInput, output: preset },
  delete_preset: { input: presetInput, output: done },
  renew_preset_link: { input: presetInput, output: presetLink },
  revoke_preset_link: { input: presetInput, output: preset },
} as const
