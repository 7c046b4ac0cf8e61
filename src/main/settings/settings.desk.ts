/** The operator's desk: where it listens, its address, who may reach it, and the limits of its acts. */
import { bytesPerGb } from '#contract/wire'
import { type Cidr, parseCidr } from '#lib/ip'
import { usdFromText } from '#lib/money'
import { type Env, readHostAndPort, isLocalHost, list, SettingFault, text, url } from './settings.env.ts'

export interface DeskSettings {
  /** Null: there is no desk. */
  listen: { host: string; port: number } | null
  /** The address that staff use; it is local, or https. */
  url: URL
  /** Networks that may reach it; none: all. */
  allow: Cidr[]
  /** What support may give away in a day. */
  supportBytesPerDay: bigint
  /** From so much on, giving traffic needs the second factor once more. */
  stepUpBytes: bigint
  /** From so much on, refunding and giving money do. */
  stepUpMicros: bigint
}

/** Reads DESK_…; throws `SettingFault` naming what is malformed. */
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
    supportBytesPerDay: gigabytes(env, 'DESK_SUPPORT_GB', 5n),
    stepUpBytes: gigabytes(env, 'DESK_STEP_UP_GB', 50n),
    stepUpMicros: usd(env, 'DESK_STEP_UP_USD', '100'),
  }
}

/** Unlike other variables, an empty one is not an unset one: it says that there is no desk. */
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

function gigabytes(env: Env, name: string, otherwise: bigint): bigint {
  const value = text(env, name)
  if (value !== null && !/^\d{1,8}$/.test(value))
    throw new SettingFault(`${name} must be a whole number of GB, not “${value}”.`)
  return (value === null ? otherwise : BigInt(value)) * bytesPerGb
}

function usd(env: Env, name: string, otherwise: string): bigint {
  const value = text(env, name) ?? otherwise
  const micros = usdFromText(value)
  if (micros === null || micros < 0n)
    throw new SettingFault(`${name} must be an amount in USD such as 100, not “${value}”.`)
  return micros
}
