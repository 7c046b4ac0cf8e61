/** The options of the proxy generator, and the text of its lines. */

/** The formats with credentials; each is the template of its lines. */
export const credentialFormats = [
  'login:password:hostname:port',
  'login:password@hostname:port',
  'hostname:port@login:password',
  'hostname:port:login:password',
] as const

/** All formats: lines without credentials work from whitelisted addresses. */
export const proxyFormats = [...credentialFormats, 'hostname:port'] as const
export type ProxyFormat = (typeof proxyFormats)[number]

export const protocols = ['http', 'https', 'socks5'] as const

/** The entry points of lines. */
export const regions = ['eur', 'usa', 'jpn', 'aus', 'bra', 'sgp'] as const

/** The maximum number of lines per call. */
export const maxLines = 10_000

interface Line {
  login: string
  password: string
  hostname: string
  port: number
}

/** A proxy line in one of the formats. */
export const formatLine = (format: ProxyFormat, line: Line): string =>
  format.replace(/login|password|hostname|port/g, (part) => String(line[part as keyof Line]))

const patterns: Record<ProxyFormat, RegExp> = {
  'login:password:hostname:port': /^(?<login>[^:]+):(?<password>[^:]+):(?<hostname>.+):(?<port>\d{1,5})$/,
  'login:password@hostname:port': /^(?<login>[^:]+):(?<password>[^@]+)@(?<hostname>.+):(?<port>\d{1,5})$/,
  'hostname:port@login:password': /^(?<hostname>.+?):(?<port>\d{1,5})@(?<login>[^:]+):(?<password>.+)$/,
  'hostname:port:login:password': /^(?<hostname>.+?):(?<port>\d{1,5}):(?<login>[^:]+):(?<password>[^:]+)$/,
  'hostname:port': /^(?<hostname>.+):(?<port>\d{1,5})$/,
}

export interface ProxyEndpoint {
  hostname: string
  port: number
  /** Null for lines of the format `hostname:port`. */
  credentials: { login: string; password: string } | null
}

/** The parts of a line: the inverse of `formatLine`. Null when the line is not of that format. */
export function parseLine(format: ProxyFormat, line: string): ProxyEndpoint | null {
  const { hostname, port, login, password } = patterns[format].exec(line)?.groups ?? {}
  if (hostname === undefined || port === undefined) return null
  const credentials = login === undefined || password === undefined ? null : { login, password }
  return { hostname, port: Number(port), credentials }
}
