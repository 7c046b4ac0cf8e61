/** The operator's description of an exit, and its faults. */
import type { Pool } from '#contract/wire'
import type { Said } from '#contract/desk/faults'
import type { FeedExit, FeedPlace } from '#feed'
import { Fault } from '#lib/fault'
import { findPreset } from './presets.ts'

/** An invalid description. */
export class ExitFault extends Fault {}

/** What is wrong with an exit whose password does not open. */
export const unsealable: Said = { code: 'exit_sealed', facts: {} }

interface Described {
  pool: Pool
  /** Unique in the pool. */
  name: string
  /**
   * The exit's share of the pool's traffic is its weight divided by the sum of the weights of all exits that
   * serve the targeting; 1 by default.
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

/**
 * The login at a proxy; null: none. For a preset that takes no user name, only the password. Throws an
 * ExitFault for a password without a user name and without a preset.
 */
export function credentialsOf({
  username,
  password,
  preset,
}: {
  username?: string | null | undefined
  password?: string | null | undefined
  preset?: string | null | undefined
}): ChainedExit['credentials'] {
  if (password != null && username == null && preset == null) throw new ExitFault('exit_password_alone')
  return username == null && password == null ? null : { username: username ?? '', password: password ?? '' }
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
  if (chain.tls_ca !== null && !chain.tls) throw new ExitFault('exit_authority')
  if (kind !== 'http' && chain.plain_http === 'forward') throw new ExitFault('exit_forward')
  if (kind === 'direct' && chain.warm_connections > 0) throw new ExitFault('exit_warm')
  if (name === null) {
    if (Object.keys(options).length > 0) throw new ExitFault('exit_options_alone')
    return
  }
  if (kind === 'direct') throw new ExitFault('exit_direct_preset')
  const preset = findPreset(name)
  if (preset === undefined) throw new ExitFault('exit_preset_unknown', { preset: name })
  const { title: seller } = preset
  if (kind === 'socks5' && preset.socks5 === null) throw new ExitFault('exit_preset_socks5', { seller })
  if (preset.username === null) {
    if (username !== null && username !== '') throw new ExitFault('exit_preset_password', { seller })
  } else if (username === null || !preset.username.pattern.test(username)) {
    throw new ExitFault('exit_preset_username', { seller, example: preset.username.example })
  }
  for (const [key, value] of Object.entries(options)) {
    const option = Object.hasOwn(preset.options, key) ? preset.options[key] : undefined
    if (option === undefined) {
      const known = Object.keys(preset.options).join(', ') || 'none'
      throw new ExitFault('exit_option_unknown', { seller, option: key, known })
    }
    if (!option.pattern.test(value))
      throw new ExitFault('exit_option_value', { seller, option: key, meaning: option.meaning })
  }
}
