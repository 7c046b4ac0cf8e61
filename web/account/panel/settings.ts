/**
 * The settings of the generator: saved in local storage under `panel-settings` and restored on load.
 *
 * The saved text is not trusted. Each field is read by itself: one that is invalid falls back to its default and leaves
 * the others as they are.
 */
import { maxLines, maxSessionMinutes, protocols, proxyFormats, regions } from '#contract/proxy-lines'
import { pools } from '#contract/wire'
import * as z from 'zod/mini'
import { readStored, removeStored, writeStored } from '../../state/storage.ts'

export const sessionTypes = ['sticky', 'rotating'] as const

const country = z.object({ code: z.string(), name: z.string() })
const state = z.object({ code: z.string(), name: z.string(), country_code: z.string() })
const city = z.object({
  code: z.string(),
  name: z.string(),
  state_code: z.nullable(z.string()),
  country_code: z.string(),
})
const asn = z.object({ asn: z.number(), name: z.string() })
const countUpTo = (max: number) => z.int().check(z.minimum(0), z.maximum(max))

const schema = z.object({
  countries: z.catch(z.array(country), []),
  states: z.catch(z.array(state), []),
  cities: z.catch(z.array(city), []),
  zipcodes: z.catch(z.array(z.string()), []),
  included_asn: z.catch(z.array(asn), []),
  excluded_asn: z.catch(z.array(asn), []),
  anon: z.catch(z.boolean(), true),
  session_type: z.catch(z.enum(sessionTypes), 'rotating'),
  access_format: z.catch(z.enum(proxyFormats), 'login:password:hostname:port'),
  protocol: z.catch(z.enum(protocols), 'https'),
  proxy_amount: z.catch(countUpTo(maxLines), 0),
  interval: z.catch(countUpTo(maxSessionMinutes), 0),
  pool: z.catch(z.enum(pools), 'residential'),
  region: z.catch(z.enum(regions), 'eur'),
})

export type Settings = z.infer<typeof schema>
export type Country = z.infer<typeof country>
export type State = z.infer<typeof state>
export type City = z.infer<typeof city>
export type Asn = z.infer<typeof asn>

export const defaultSettings: Settings = schema.parse({})

export const settingsKey = 'panel-settings'

/** The saved settings; the defaults where nothing valid is saved. */
export function loadSettings(): Settings {
  const parsed = schema.safeParse(parseJson(readStored(settingsKey)))
  return parsed.success ? parsed.data : defaultSettings
}

export function saveSettings(settings: Settings): void {
  writeStored(settingsKey, JSON.stringify(settings))
}

/** Removes the saved settings. */
export function clearSettings(): void {
  removeStored(settingsKey)
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
