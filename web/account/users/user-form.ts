/** A proxy user as a form: limits in GB, lists in one line, the expiry in the reader's time. */
import type { Input, Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { chosenLogin, longestValue, metadataKey, mostMetadata } from '#contract/proxy-users/rules'
import { bytesPerGb } from '#contract/wire'
import { gbText, withPoint } from '../decimal-text.ts'

export type ProxyUser = Output<'get_proxy_users'>['users'][number]
/** What a form sends: everything but the pool and the number. */
export type UserInput = Omit<Input<'create_proxy_user'>, 'pool'>

const limits = ['total', 'day', 'month'] as const
type Limit = (typeof limits)[number]
export type UserField = 'label' | Limit | 'connections' | 'expires' | 'login' | 'metadata'

export interface UserForm extends Record<Limit, string> {
  label: string
  reserved: boolean
  connections: string
  /** As `<input type="datetime-local">` has it. */
  expires: string
  hosts: string
  /** Codes; `isExcept`: those that may not be used. */
  countries: readonly string[]
  isExcept: boolean
  /** Lines of the double tariff are refused. */
  isPlain: boolean
  addresses: string
  /** Blank: a random one. */
  login: string
  /** Lines of `key = value`. */
  metadata: string
}

export const emptyForm: UserForm = {
  label: '',
  reserved: false,
  total: '',
  day: '',
  month: '',
  connections: '',
  expires: '',
  hosts: '',
  countries: [],
  isExcept: false,
  isPlain: false,
  addresses: '',
  login: '',
  metadata: '',
}

export function toForm(user: ProxyUser, language: Language): UserForm {
  return {
    label: user.label,
    reserved: user.reserved,
    total: gbText(user.total_bytes, language),
    day: gbText(user.day_bytes, language),
    month: gbText(user.month_bytes, language),
    connections: user.connections === null ? '' : String(user.connections),
    expires: user.expires_at === null ? '' : localTime(new Date(user.expires_at)),
    hosts: user.allowed_hosts.join(', '),
    // Where some are allowed, denying others changes nothing.
    countries: user.countries.length > 0 ? user.countries : user.denied_countries,
    isExcept: user.countries.length === 0 && user.denied_countries.length > 0,
    isPlain: user.no_double_tariff,
    addresses: user.addresses.join(', '),
    login: user.login,
    metadata: Object.entries(user.metadata)
      .map(([key, value]) => `${key} = ${value}`)
      .join('\n'),
  }
}

const two = (number: number) => String(number).padStart(2, '0')

function localTime(at: Date): string {
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** GB as bytes; null: blank, NaN: not a number. */
export function parseGb(text: string): number | null {
  const normalized = withPoint(text)
  if (normalized === '') return null
  return /^\d+(\.\d+)?$/.test(normalized) ? Math.round(Number(normalized) * Number(bytesPerGb)) : Number.NaN
}

function parseCount(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  return /^[1-9]\d{0,5}$/.test(trimmed) ? Number(trimmed) : Number.NaN
}

const parseList = (text: string) => text.split(/[\s,;]+/).filter((each) => each !== '')

/** Metadata from lines of `key = value`; null: a line has none, or a key stands twice. */
function parseMetadata(text: string): Record<string, string> | null {
  const metadata = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const at = line.indexOf('=')
    const [key, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    if (at < 0 || !metadataKey.test(key) || value === '' || value.length > longestValue) return null
    if (metadata.has(key)) return null
    metadata.set(key, value)
  }
  return metadata.size > mostMetadata ? null : Object.fromEntries(metadata)
}

/** A login that is left as it is, and a blank one, are not sent. */
function loginOf({ login }: UserForm, present: string | undefined): { login?: string } {
  const text = login.trim()
  return text === '' || text === present ? {} : { login: text }
}

/** A reserve is set for a new proxy user only. */
function totalOf({ reserved, total }: UserForm, isNew: boolean): Partial<UserInput> {
  if (!reserved) return { total_bytes: parseGb(total) }
  return isNew ? { reserved, total_bytes: parseGb(total) ?? 0 } : {}
}

/** The input of the call, or the first invalid field. */
export function toInput(form: UserForm, isNew: boolean, presentLogin?: string): UserInput | UserField {
  const label = form.label.trim()
  if (label === '') return 'label'
  for (const limit of limits) if (Number.isNaN(parseGb(form[limit]))) return limit
  const connections = parseCount(form.connections)
  if (Number.isNaN(connections)) return 'connections'
  const expires = form.expires === '' ? null : new Date(form.expires)
  if (expires !== null && Number.isNaN(expires.getTime())) return 'expires'
  const { login } = loginOf(form, presentLogin)
  if (login !== undefined && !chosenLogin.test(login)) return 'login'
  const metadata = parseMetadata(form.metadata)
  if (metadata === null) return 'metadata'
  return {
    label,
    ...(login === undefined ? {} : { login }),
    metadata,
    ...totalOf(form, isNew),
    day_bytes: parseGb(form.day),
    month_bytes: parseGb(form.month),
    connections,
    expires_at: expires?.toISOString() ?? null,
    allowed_hosts: parseList(form.hosts),
    countries: form.isExcept ? [] : [...form.countries],
    denied_countries: form.isExcept ? [...form.countries] : [],
    no_double_tariff: form.isPlain,
    addresses: parseList(form.addresses),
  }
}
