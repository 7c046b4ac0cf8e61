/**
 * The settings of the generator: saved in local storage under `panel-settings` and restored on load.
 *
 * The saved text is not trusted. Each field is read by itself: one that is invalid falls back to its default
 * and leaves the others as they are.
 */
import { maxLines, type ProxyFormat, protocols, proxyFormats, regions } from '#contract/proxy-lines'
import { maxSessionMinutes } from '#contract/session-times'
import { type Pool, pools } from '#contract/wire'
import { readStored, removeStored, writeStored } from '../../state/storage.ts'

export const sessionTypes = ['sticky', 'rotating'] as const

type Value = string | number | boolean | null
type Fields = Record<string, unknown>
/** Reads one field; undefined: what is saved there is not valid. */
type Read<T> = (saved: unknown) => T | undefined

const isText = (value: unknown): value is string => typeof value === 'string'

const oneOf =
  <T extends Value>(allowed: readonly T[]): Read<T> =>
  (saved) =>
    allowed.find((each) => each === saved)

const countUpTo =
  (max: number): Read<number> =>
  (saved) =>
    typeof saved === 'number' && Number.isInteger(saved) && saved >= 0 && saved <= max ? saved : undefined

/** A list is valid when each of its items is. */
const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (saved) => {
    if (!Array.isArray(saved)) return undefined
    const items = saved.map(read)
    return items.every((item) => item !== undefined) ? items : undefined
  }

/** Reads an item of these fields, and leaves out others. */
const item =
  <T extends object>(fields: { [K in keyof T]: (value: unknown) => value is T[K] }): Read<T> =>
  (saved) => {
    if (typeof saved !== 'object' || saved === null) return undefined
    const known = Object.entries<(value: unknown) => boolean>(fields).map(
      ([name, isValid]) => [name, (saved as Fields)[name], isValid] as const,
    )
    if (!known.every(([, value, isValid]) => isValid(value))) return undefined
    // Each field was checked.
    return Object.fromEntries(known) as T
  }

export interface Country {
  code: string
  name: string
}
export interface State extends Country {
  country_code: string
}
export interface City extends State {
  state_code: string | null
}
export interface Asn {
  asn: number
  name: string
}

const country = item<Country>({ code: isText, name: isText })
const state = item<State>({ code: isText, name: isText, country_code: isText })
const city = item<City>({
  code: isText,
  name: isText,
  state_code: (value) => value === null || isText(value),
  country_code: isText,
})
const asn = item<Asn>({ asn: (value) => typeof value === 'number', name: isText })

export interface Settings {
  countries: Country[]
  states: State[]
  cities: City[]
  zipcodes: string[]
  included_asn: Asn[]
  excluded_asn: Asn[]
  anon: boolean
  session_type: (typeof sessionTypes)[number]
  access_format: ProxyFormat
  protocol: (typeof protocols)[number]
  proxy_amount: number
  interval: number
  pool: Pool
  region: (typeof regions)[number]
}

/** The settings of these fields; the defaults for those that are not valid. */
function settingsOf(saved: Fields): Settings {
  return {
    countries: listOf(country)(saved['countries']) ?? [],
    states: listOf(state)(saved['states']) ?? [],
    cities: listOf(city)(saved['cities']) ?? [],
    zipcodes: listOf((code) => (isText(code) ? code : undefined))(saved['zipcodes']) ?? [],
    included_asn: listOf(asn)(saved['included_asn']) ?? [],
    excluded_asn: listOf(asn)(saved['excluded_asn']) ?? [],
    anon: oneOf([true, false])(saved['anon']) ?? true,
    session_type: oneOf(sessionTypes)(saved['session_type']) ?? 'rotating',
    access_format: oneOf(proxyFormats)(saved['access_format']) ?? 'login:password:hostname:port',
    protocol: oneOf(protocols)(saved['protocol']) ?? 'https',
    proxy_amount: countUpTo(maxLines)(saved['proxy_amount']) ?? 0,
    interval: countUpTo(maxSessionMinutes)(saved['interval']) ?? 0,
    pool: oneOf(pools)(saved['pool']) ?? 'residential',
    region: oneOf(regions)(saved['region']) ?? 'eur',
  }
}

export const defaultSettings: Settings = settingsOf({})

export const settingsKey = 'panel-settings'

/** The saved settings; the defaults where nothing valid is saved. */
export const loadSettings = (): Settings => settingsIn(readStored(settingsKey))

/** The settings in a saved text. */
export function settingsIn(text: string | null): Settings {
  const saved = parseJson(text)
  return typeof saved === 'object' && saved !== null ? settingsOf(saved as Fields) : defaultSettings
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
