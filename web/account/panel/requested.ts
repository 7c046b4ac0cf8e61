/**
 * Settings of the generator in the address:
 * `/account?tab=panel&pool=mobile&countries=de,pl&session=sticky&minutes=10&lines=20`.
 */
import { maxLines } from '#contract/proxy-lines'
import { maxSessionMinutes } from '#contract/session-times'
import type { Pool } from '#contract/wire'
import { tabHref } from '#contract/account-tabs'
import { withCountries } from './cascade.ts'
import { sessionTypes, type Settings } from './settings.ts'

interface Requested {
  countries?: readonly string[]
  pool?: Pool
  session?: Settings['session_type']
  minutes?: number
  lines?: number
}

const maxCountries = 50

/** The parameters that go with the pool. */
export const requestParameters = ['countries', 'session', 'minutes', 'lines'] as const

/** The address of the generator with these settings. */
export function panelHref({ countries = [], pool, session, minutes, lines }: Requested): string {
  const search = new URLSearchParams()
  if (pool !== undefined) search.set('pool', pool)
  if (countries.length > 0) search.set('countries', countries.join(','))
  if (session !== undefined) search.set('session', session)
  if (minutes !== undefined) search.set('minutes', String(minutes))
  if (lines !== undefined) search.set('lines', String(lines))
  const text = search.toString()
  return text === '' ? tabHref('panel') : `${tabHref('panel')}&${text}`
}

function amount(text: string | null, max: number): number | undefined {
  if (text === null || !/^\d{1,6}$/.test(text)) return undefined
  const value = Number(text)
  return value <= max ? value : undefined
}

/**
 * The settings with those of the address. Invalid values are omitted; places that the address does not name
 * are removed.
 */
export function withRequested(settings: Settings, search: URLSearchParams): Settings {
  const codes = (search.get('countries') ?? '').split(',').filter((code) => /^[a-z]{2}$/.test(code))
  const countries = [...new Set(codes)].slice(0, maxCountries).map((code) => ({ code, name: code }))
  const placed = countries.length === 0 ? settings : withCountries(withCountries(settings, []), countries)
  const session = sessionTypes.find((type) => type === search.get('session'))
  return {
    ...placed,
    session_type: session ?? placed.session_type,
    // Minutes belong to a kind of session: one without them has its default.
    interval:
      amount(search.get('minutes'), maxSessionMinutes) ?? (session === undefined ? placed.interval : 0),
    proxy_amount: amount(search.get('lines'), maxLines) ?? placed.proxy_amount,
  }
}
