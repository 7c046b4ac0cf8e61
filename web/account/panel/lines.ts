/** From settings to the call, and from its answer to lines and their parts. */
import type { Input } from '#contract/contract'
import type { Format, Settings } from './settings.ts'

/** Up to this many lines are shown; more come as a file. */
export const maxShownLines = 20

/** What `get_proxy` is asked: empty lists as null. Quantity 0 is left to the server, where it means 1. */
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

/** The lines of an answer, whatever ends them; blank ones are none. */
export function splitLines(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

export interface Endpoint {
  host: string
  port: string
  /** Null for lines of the format `hostname:port`. */
  credentials: { login: string; password: string } | null
}

const shapes: Record<Format, RegExp> = {
  'login:password:hostname:port': /^(?<login>[^:]+):(?<password>[^:]+):(?<host>.+):(?<port>\d+)$/,
  'login:password@hostname:port': /^(?<login>[^:]+):(?<password>[^@]+)@(?<host>.+):(?<port>\d+)$/,
  'hostname:port@login:password': /^(?<host>.+?):(?<port>\d+)@(?<login>[^:]+):(?<password>.+)$/,
  'hostname:port:login:password': /^(?<host>.+?):(?<port>\d+):(?<login>[^:]+):(?<password>[^:]+)$/,
  'hostname:port': /^(?<host>.+):(?<port>\d+)$/,
}

/** A generated line taken apart again; null when it is not of that format. */
export function parseLine(line: string, format: Format): Endpoint | null {
  const parts = shapes[format].exec(line)?.groups
  const { host, port, login, password } = parts ?? {}
  if (host === undefined || port === undefined) return null
  const credentials = login === undefined || password === undefined ? null : { login, password }
  return { host, port, credentials }
}

const listOrNull = <T>(list: T[]): T[] | null => (list.length === 0 ? null : list)
