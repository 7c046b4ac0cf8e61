/** The operator's desk: where it listens, its address, who may reach it. */
import { type Cidr, parseCidr } from '#lib/ip'
import { readZone } from '#lib/zone'
import { type Env, readHostAndPort, isLocalHost, list, SettingFault, text, url } from './settings.env.ts'

export interface DeskSettings {
  /** Null: there is no desk. */
  listen: { host: string; port: number } | null
  /** The address that staff use; it is local, or https. */
  url: URL
  /** Networks that may reach it; none: all. */
  allow: Cidr[]
  /** The time zone whose days, weeks and months the desk counts in. */
  zone: string
}

/** Reads DESK_… and TIME_ZONE; throws `SettingFault` naming what is malformed. */
export function readDesk(env: Env, port: number): DeskSettings {
  const listen = readListen(env, port)
  const deskUrl = url(env, 'DESK_URL') ?? new URL(`http://localhost:${listen?.port ?? port}`)
  if (deskUrl.protocol !== 'https:' && !isLocalHost(deskUrl.hostname))
    throw new SettingFault(
      `DESK_URL must be an https address: over ${deskUrl.href} the sign-ins of staff would be readable on the way.`,
    )
  return {
    listen,
    url: deskUrl,
    allow: networks(env),
    zone: zone(env),
  }
}

function zone(env: Env): string {
  const name = text(env, 'TIME_ZONE')
  const known = readZone(name ?? 'UTC')
  if (known === null)
    throw new SettingFault(`TIME_ZONE must be the name of a time zone such as Europe/Moscow, not “${name}”.`)
  return known
}

/** Unlike other variables, an empty one is not an unset one: it means that there is no desk. */
function readListen(env: Env, port: number): DeskSettings['listen'] {
  const value = env['DESK_LISTEN']?.trim()
  if (value === undefined) return { host: '127.0.0.1', port: port < 65_535 ? port + 1 : port - 1 }
  if (value === '') return null
  const found = readHostAndPort(value)
  if (found === null)
    throw new SettingFault(
      `DESK_LISTEN must be a host and a port such as 127.0.0.1:3001, or empty for no desk, not “${value}”.`,
    )
  return found
}

function networks(env: Env): Cidr[] {
  return list(env, 'DESK_ALLOW').map((part) => {
    const network = parseCidr(part)
    if (network === null)
      throw new SettingFault(`DESK_ALLOW lists addresses or networks; “${part}” is neither.`)
    return network
  })
}
