/** Converts the form of a new exit to the input of the call. */
import type { DeskInput, DeskOutput } from '#contract/desk/contract'
import type { Pool } from '#contract/wire'
import { wholeNumberIn } from '../../../ui/fields/whole-number.ts'

export type Preset = DeskOutput<'exit_presets'>[number]

export interface Form {
  pool: Pool
  name: string
  /** Empty: no preset. */
  preset: string
  /** `direct`: this machine itself. */
  kind: 'direct' | 'http' | 'socks5'
  host: string
  port: string
  username: string
  password: string
  options: Readonly<Record<string, string>>
  tls: boolean
  weight: string
  limit: string
  countries: string
}

export const emptyForm: Form = {
  pool: 'residential',
  name: '',
  preset: '',
  kind: 'http',
  host: '',
  port: '',
  username: '',
  password: '',
  options: {},
  tls: false,
  weight: '1',
  limit: '',
  countries: '',
}

/** A list of country codes; null: one of them is invalid. */
export function countriesIn(text: string): string[] | null {
  const codes = text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter((code) => code !== '')
  return codes.every((code) => /^[a-z]{2}$/.test(code)) ? [...new Set(codes)] : null
}

const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

/** What this machine as an exit has instead of address and login. */
const bare = {
  kind: 'direct',
  preset: null,
  host: null,
  port: null,
  username: null,
  password: null,
  options: {},
  tls: false,
} as const

/** The exit of the form; null: a field is missing or not a number. */
export function exitIn(
  form: Form,
  preset: Preset | undefined,
): Omit<DeskInput<'test_new_exit'>, 'line'> | null {
  const weight = wholeNumberIn(form.weight, 1000)
  const limit = form.limit.trim() === '' ? null : wholeNumberIn(form.limit, 1_000_000)
  const port = form.port.trim() === '' ? null : wholeNumberIn(form.port, 65_535)
  const countries = countriesIn(form.countries)
  const host = orNull(form.host)
  const isOwn = host === null && form.port.trim() === ''
  const { kind } = form
  if (form.name.trim() === '' || countries === null) return null
  if (weight === null || weight === 0 || (limit === null && form.limit.trim() !== '')) return null
  // The places of a seller's addresses follow from its preset; those of this machine do not.
  if (kind === 'direct' && countries.length === 0) return null
  const common = {
    pool: form.pool,
    name: form.name.trim(),
    weight,
    max_connections: limit,
    countries: countries.length === 0 ? null : countries,
  }
  if (kind === 'direct') return { ...common, ...bare }
  if (isOwn ? preset?.[kind] == null : host === null || port === null) return null
  const options = Object.entries(form.options).filter(
    ([key, value]) => value.trim() !== '' && preset?.options.some((option) => option.key === key),
  )
  return {
    ...common,
    kind,
    preset: orNull(form.preset),
    host,
    port,
    username: preset?.takes_username === false ? null : orNull(form.username),
    password: form.password === '' ? null : form.password,
    options: Object.fromEntries(options.map(([key, value]) => [key, value.trim()])),
    tls: form.tls,
  }
}
