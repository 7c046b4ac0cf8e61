/** Parsers of single environment variables. */

/** What is wrong with a variable, for those who set it at the desk in their own language. */
export type VariableFault =
  | { kind: 'missing'; variable: string; needs: string }
  | { kind: 'shape'; variable: string; example: string }

/** An invalid setting, which prevents the start; the message is a sentence for the operator. */
export class SettingFault extends Error {
  /** Null: only the sentence says it. */
  readonly variable: VariableFault | null

  constructor(message: string, variable: VariableFault | null = null) {
    super(message)
    this.variable = variable
  }
}

export type Env = Record<string, string | undefined>

/** An empty variable counts as unset, because compose files and shells cannot always omit one. */
export function text(env: Env, name: string): string | null {
  const value = env[name]?.trim()
  return value === undefined || value === '' ? null : value
}

/** The items of a comma-separated list. */
export function list(env: Env, name: string): string[] {
  return (text(env, name) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** The address of a server, without a path; null when it is unset. */
export function url(env: Env, name: string): URL | null {
  const value = text(env, name)
  if (value === null) return null
  const parsed = URL.canParse(value) ? new URL(value) : null
  const isPlain =
    parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && parsed.search === ''
  if (!isPlain)
    throw new SettingFault(`${name} must be an address such as https://shop.example.net, not “${value}”.`)
  return parsed
}

export function isLocalHost(name: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '')
  return (
    bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127\.\d+\.\d+\.\d+$/.test(bare)
  )
}

/** `host:port`, IPv6 in brackets; null: neither. */
export function readHostAndPort(value: string): { host: string; port: number } | null {
  const [, bracketed, bare, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(value) ?? []
  const host = bracketed ?? bare
  const port = Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port }
}

/** 1 or 0; null: it is not set. */
export function flag(env: Env, name: string): boolean | null {
  const value = text(env, name)
  if (value === null) return null
  if (value !== '0' && value !== '1') throw new SettingFault(`${name} must be 0 or 1, not “${value}”.`)
  return value === '1'
}
