/** The settings of the feed between process trees: the servers of a gateway, and the address of a server. */
import path from 'node:path'
import { gatewayOfToken } from '#feed/keys'
import { type Env, readHostAndPort, list, SettingFault, text } from './settings.env.ts'

/** A unix socket of this machine, or a port for TLS. */
export type FeedAddress = { path: string } | { host: string; port: number }

export interface FeedSettings {
  /** Null: a gateway uses the database of this machine's settings. */
  connect: {
    /** At least one: the preferred first, the others as fallbacks. All serve the same database. */
    addresses: FeedAddress[]
    token: string
    caFile: string | null
  } | null
  /** Null: gateways on other machines are not served. */
  listen: {
    address: FeedAddress
    /** The secret of all gateways; null: only those are served that have an own token. */
    token: string | null
    files: { cert: string; key: string } | null
  } | null
}

/** Reads FEED_…; throws `SettingFault` naming the malformed or missing variable. */
export function readFeed(env: Env, cwd: string): FeedSettings {
  const token = feedToken(env)
  const from = feedAddresses(env, cwd)
  const listens = text(env, 'FEED_LISTEN')
  const at = listens === null ? null : feedAddress(listens, 'FEED_LISTEN', cwd)
  const caFile = file(env, 'FEED_CA', cwd)
  return {
    connect: from.length === 0 ? null : { addresses: from, token: needed(token, 'FEED_URL'), caFile },
    listen: at === null ? null : { address: at, token: sharedToken(token), files: certificate(env, at, cwd) },
  }
}

/** The parts that have no web server. */
export type MetricsPart = 'worker' | 'gateway' | 'feed' | 'bot' | 'desk'

/**
 * The port of each part when METRICS_LISTEN names none: several parts of one machine read the same settings.
 */
export const metricsPorts: Readonly<Record<MetricsPart, number>> = {
  worker: 9464,
  gateway: 9465,
  feed: 9466,
  bot: 9467,
  desk: 9468,
}

export interface MetricsListen {
  host: string
  /** The port for all parts; missing: each part uses its own. */
  port?: number
}

/** The ports of this machine on which parts may listen: another part may read the same settings. */
export const metricsPortsOf = ({ port }: MetricsListen): number[] =>
  port === undefined ? Object.values(metricsPorts) : [port]

/** Where /healthz and /metrics of a part without a web server listen; null: nowhere. */
export function readMetricsListen(env: Env): MetricsListen | null {
  const value = text(env, 'METRICS_LISTEN')
  if (value === null) return null
  const found = readHostAndPort(value) ?? hostAlone(value)
  if (found === null)
    throw new SettingFault(
      `METRICS_LISTEN must be a host, such as 127.0.0.1, or a host and a port, such as 127.0.0.1:9464, not “${value}”.`,
    )
  return found
}

function hostAlone(value: string): { host: string } | null {
  const [, bracketed, bare] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]*[A-Za-z.][\w.-]*))$/.exec(value) ?? []
  const host = bracketed ?? bare
  return host === undefined ? null : { host }
}

function feedToken(env: Env): string | null {
  const token = text(env, 'FEED_TOKEN')
  if (token !== null && !/^[\x21-\x7e]{32,512}$/.test(token))
    throw new SettingFault(
      'FEED_TOKEN must have at least 32 characters and no blanks, e.g. the output of: openssl rand -hex 32',
    )
  return token
}

function needed(token: string | null, name: string): string {
  if (token === null)
    throw new SettingFault(
      `${name} needs FEED_TOKEN: the gateway's own token, which turnpike gateways add prints, or the secret that the server has.`,
    )
  return token
}

/** The server's secret for all gateways: not the own token of one. */
function sharedToken(token: string | null): string | null {
  if (token !== null && gatewayOfToken(token) !== null)
    throw new SettingFault(
      'FEED_LISTEN: FEED_TOKEN is the own token of a gateway, which belongs on its machine. Leave it out here.',
    )
  return token
}

/** The longest path of a unix socket. */
const longestPathBytes = 107

/** Parses an address of FEED_URL or FEED_LISTEN. */
export function printFeedAddress(address: FeedAddress): string {
  if ('path' in address) return `unix:${address.path}`
  const { host, port } = address
  return `tls://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The servers of FEED_URL, in their order. Refuses duplicates. */
function feedAddresses(env: Env, cwd: string): FeedAddress[] {
  const addresses = list(env, 'FEED_URL').map((part) => feedAddress(part, 'FEED_URL', cwd))
  const names = addresses.map(printFeedAddress)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new SettingFault(`FEED_URL names ${twice} twice.`)
  return addresses
}

function feedAddress(value: string, name: string, cwd: string): FeedAddress {
  const [, socket] = /^unix:(.+)$/.exec(value) ?? []
  if (socket !== undefined) {
    const full = path.resolve(cwd, socket)
    if (Buffer.byteLength(full) > longestPathBytes)
      throw new SettingFault(`${name}: the path of a socket has at most ${longestPathBytes} bytes.`)
    return { path: full }
  }
  const [, rest = ''] = /^tls:\/\/([^/?#]+)\/?$/.exec(value) ?? []
  const found = readHostAndPort(rest)
  if (found === null)
    throw new SettingFault(`${name} must be tls://host:port or unix:/path/feed.sock, not “${value}”.`)
  return found
}

function file(env: Env, name: string, cwd: string): string | null {
  const value = text(env, name)
  return value === null ? null : path.resolve(cwd, value)
}

function certificate(env: Env, address: FeedAddress, cwd: string): { cert: string; key: string } | null {
  const cert = file(env, 'FEED_TLS_CERT', cwd)
  const key = file(env, 'FEED_TLS_KEY', cwd)
  if (cert !== null && key !== null) return { cert, key }
  if ('path' in address && cert === null && key === null) return null
  throw new SettingFault(
    'FEED_LISTEN=tls://… needs FEED_TLS_CERT and FEED_TLS_KEY: only TLS leaves this machine.',
  )
}
