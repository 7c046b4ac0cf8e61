/** Converts settings to the input of `get_proxy`, and its answer to lines. */
import type { Input } from '#contract/contract'
import type { Pool } from '#contract/wire'
import type { Settings } from './settings.ts'

/** The maximum number of lines that are shown; more are downloaded. */
export const maxShownLines = 20

/** The input of `get_proxy`. Empty lists are null; a quantity of 0 means 1 to the server. */
export function getProxyInput(settings: Settings): Input<'get_proxy'> {
  return {
    anonymous: String(settings.anon),
    type: settings.session_type,
    protocol: settings.protocol,
    format: settings.access_format,
    quantity: settings.proxy_amount,
    sessionttl: settings.interval,
    pool: settings.pool,
    region: settings.region,
    countries: listOrNull(settings.countries.map((country) => country.code)),
    states: listOrNull(settings.states.map((state) => state.code)),
    cities: listOrNull(settings.cities.map((city) => city.code)),
    zipcodes: listOrNull(settings.zipcodes),
    included_asns: listOrNull(settings.included_asn.map((asn) => asn.asn)),
    excluded_asns: listOrNull(settings.excluded_asn.map((asn) => asn.asn)),
  }
}

export const exampleFormat = 'login:password:hostname:port'

/** The input for one line of a pool with the settings that were used last. */
export function exampleInput(settings: Settings, pool: Pool): Input<'get_proxy'> {
  // The settings of the generator are places of its own pool: another pool may not have them.
  const places =
    settings.pool === pool
      ? settings
      : {
          ...settings,
          countries: [],
          states: [],
          cities: [],
          zipcodes: [],
          included_asn: [],
          excluded_asn: [],
        }
  return getProxyInput({ ...places, pool, proxy_amount: 1, access_format: exampleFormat })
}

/** The key of this read: a new password changes the line. */
export const exampleKey = (input: Input<'get_proxy'>, password: string | null) =>
  ['get_proxy', input, password] as const

/** The lines of an answer, with any line ending, without blank ones. */
export function splitLines(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Whether lines are the same line several times: rotating ones are. */
export const areEqual = (lines: readonly string[]): boolean => lines.length > 1 && new Set(lines).size === 1

const listOrNull = <T>(list: T[]): T[] | null => (list.length === 0 ? null : list)
