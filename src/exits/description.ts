/** The operator's description of an exit, and its faults. */
import type { Pool } from '#contract/wire'
import type { FeedExit, FeedPlace } from '#feed'
import { findPreset } from './presets.ts'

/** An invalid description; the message is a sentence for the operator. */
export class ExitFault extends Error {}

/** What is wrong with an exit whose password does not open. */
export const unsealable =
  'Its password is sealed with another SECRET_KEY, or damaged: no gateway uses it. Set the password anew.'

interface Described {
  pool: Pool
  /** Unique in the pool. */
  name: string
  /**
   * The exit's share of the pool's traffic is its weight divided by the sum of the weights of all exits that serve the
   * targeting; 1 by default.
   */
  weight?: number
  /** The places of its addresses; null: every targeting that its preset can express. */
  places: FeedPlace[] | null
  /** Concurrent connections on one machine; unlimited by default. */
  maxConnections?: number | null
  /** Connections that each gateway worker opens to the proxy in advance; none by default. */
  warmConnections?: number
}

export interface DirectExit extends Described {
  kind: 'direct'
  /** The local address to leave from; null: the system's choice. */
  bindAddress: string | null
}

export interface ChainedExit extends Described {
  kind: 'http' | 'socks5'
  host: string
  port: number
  credentials: { username: string; password: string } | null
  /** The name of the preset of the seller whose login format the exit uses. */
  preset?: string | null
  /** Settings specific to that seller. */
  options?: Record<string, string>
  /** The connection to the proxy itself is TLS. */
  tls?: boolean
  /** PEM of the authority of its certificate; the system's authorities by default. */
  tlsCa?: string | null
  /** Who looks up the names of targets; `auto` by default. */
  names?: FeedExit['names']
  /** How requests to http:// addresses go; through tunnels by default. */
  plainHttp?: FeedExit['plain_http']
  /** host:port that health checks open a tunnel to. */
  probeTarget?: string | null
}

/** The values of an exit after its preset is applied. */
export interface Chain {
  kind: string
  preset: string | null
  options: Record<string, string>
  username: string | null
  tls: boolean
  tls_ca: string | null
  plain_http: string
  warm_connections: number
}

/** Throws an ExitFault for a description that the gateways could not use. */
export function checkChain(chain: Chain): void {
  const { kind, preset: name, options, username } = chain
  if (chain.tls_ca !== null && !chain.tls) throw new ExitFault('An authority is of use with TLS only.')
  if (kind !== 'http' && chain.plain_http === 'forward')
    throw new ExitFault('Only an HTTP proxy forwards requests; others are given tunnels.')
  if (kind === 'direct' && chain.warm_connections > 0)
    throw new ExitFault('Only connections to a proxy can be kept open ahead of customers.')
  if (name === null) {
    if (Object.keys(options).length > 0) throw new ExitFault('Options are those of a preset; name one.')
    return
  }
  if (kind === 'direct') throw new ExitFault('A direct exit has no preset.')
  const preset = findPreset(name)
  if (preset === undefined) throw new ExitFault(`There is no preset ${name}: see \`turnpike exits presets\`.`)
  if (kind === 'socks5' && preset.socks5 === null)
    throw new ExitFault(`How ${preset.title} speaks SOCKS5 is not known: use its HTTP port.`)
  if (preset.username === null) {
    if (username !== null && username !== '')
      throw new ExitFault(`${preset.title} takes no user name, only a password.`)
  } else if (username === null || !preset.username.pattern.test(username)) {
    throw new ExitFault(
      `The user name at ${preset.title} is written like ${preset.username.example}, without any setting behind it.`,
    )
  }
  for (const [key, value] of Object.entries(options)) {
    const option = Object.hasOwn(preset.options, key) ? preset.options[key] : undefined
    if (option === undefined) {
      const known = Object.keys(preset.options).join(', ') || 'none'
      throw new ExitFault(`${preset.title} has no option ${key}; known here: ${known}.`)
    }
    if (!option.pattern.test(value))
      throw new ExitFault(`The option ${key} of ${preset.title} takes ${option.meaning}.`)
  }
}
