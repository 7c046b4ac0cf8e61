/**
 * What the generator is set to: saved in the browser under `panel-settings`, restored on load.
 *
 * The saved text may be of an older version, or anything at all: each field stands for itself, and one that
 * cannot be read falls back to its default without taking the others along.
 */
import { pools } from '#contract/wire'
import * as z from 'zod/mini'
import { readStored, removeStored, writeStored } from '../../app/storage.ts'

export const proxyFormats = [
  'login:password:hostname:port',
  'login:password@hostname:port',
  'hostname:port@login:password',
  'hostname:port:login:password',
  'hostname:port',
] as const
export const regions = ['eur', 'usa', 'jpn', 'aus', 'bra', 'sgp'] as const
export const protocols = ['http', 'https', 'socks5'] as const
export const sessionTypes = ['sticky', 'rotating'] as const

/** The largest quantity of lines, and the longest rotation time in minutes. */
export const maxCount = 10_000

const country = z.object({ code: z.string(), name: z.string() })
const state = z.object({ code: z.string(), name: z.string(), country_code: z.string() })
const city = z.object({
  code: z.string(),
  name: z.string(),
  state_code: z.nullable(z.string()),
  country_code: z.string(),
})
const asn = z.object({ asn: z.number(), name: z.string() })
const count = z.int().check(z.minimum(0), z.maximum(maxCount))

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
  proxy_amount: z.catch(count, 0),
  interval: z.catch(count, 0),
  pool: z.catch(z.enum(pools), 'residential'),
  region: z.catch(z.enum(regions), 'eur'),
})

export type Settings = z.infer<typeof schema>
export type Country = z.infer<typeof country>
export type State = z.infer<typeof state>
export type City = z.infer<typeof city>
export type Asn = z.infer<typeof asn>
export type Protocol = Settings['protocol']
export type Format = Settings['access_format']

export const defaultSettings: Settings = schema.parse({})

export const settingsKey = 'panel-settings'

/** The saved settings; the defaults where nothing, or nothing readable, is saved. */
export function loadSettings(): Settings {
  const parsed = schema.safeParse(json(readStored(settingsKey)))
  return parsed.success ? parsed.data : defaultSettings
}

export function saveSettings(settings: Settings): void {
  writeStored(settingsKey, JSON.stringify(settings))
}

/** Forgets the saved settings. */
export function clearSettings(): void {
  removeStored(settingsKey)
}

/** Typed digits as a count: everything but digits is dropped, blank is 0, too much is 10 000. */
export function countFromText(text: string): number {
  const digits = text.replace(/\D/g, '')
  return digits === '' ? 0 : Math.min(Number(digits), maxCount)
}

function json(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
