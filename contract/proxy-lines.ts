/** The options of the proxy generator, and the text of its lines. */

export const proxyFormats = [
  'login:password:hostname:port',
  'login:password@hostname:port',
  'hostname:port@login:password',
  'hostname:port:login:password',
  'hostname:port',
] as const
export type ProxyFormat = (typeof proxyFormats)[number]

export const protocols = ['http', 'https', 'socks5'] as const

/** The entry points of lines. */
export const regions = ['eur', 'usa', 'jpn', 'aus', 'bra', 'sgp'] as const

/** The maximum number of lines per call. */
export const maxLines = 10_000

/** The longest session, in minutes. */
export const maxSessionMinutes = 10_000

interface Line {
  login: string
  password: string
  hostname: string
  port: number
}

/**
 * A proxy line in one of the formats. `hostname:port` carries no credentials: it works from whitelisted
 * addresses.
 */
export function formatLine(format: ProxyFormat, { login, password, hostname, port }: Line): string {
  switch (format) {
    case 'login:password:hostname:port':
      return `${login}:${password}:${hostname}:${port}`
    case 'login:password@hostname:port':
      return `${login}:${password}@${hostname}:${port}`
    case 'hostname:port@login:password':
      return `${hostname}:${port}@${login}:${password}`
    case 'hostname:port:login:password':
      return `${hostname}:${port}:${login}:${password}`
    case 'hostname:port':
      return `${hostname}:${port}`
  }
}

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
