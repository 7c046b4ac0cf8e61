/**
 * The login at a seller that expresses the targeting of a customer's line, or null when this seller's logins
 * cannot express it: then the exit does not serve that line. A targeting that allows several values may be
 * narrowed to one of them; no part of it is widened or left out. Pure.
 */
import { createHash } from 'node:crypto'
import type { Targeting } from '#proxies/grammar'
import type { Level, Preset, SessionPart } from './presets/preset.ts'
import { spellCity, spellCountry, spellState, type Spot, spotOfCity, spotOfState } from './spell.ts'

/** The operator's account at the seller. */
export interface UpstreamAccount {
  username: string | null
  password: string | null
  options: Readonly<Record<string, string>>
}

export interface UpstreamLogin {
  username: string
  password: string
  /** The country that the login names, when it names exactly one. */
  country: string | null
}

/** The key of a session and its duration. */
export interface UpstreamSession {
  /**
   * A session key: a login with the same key gets the same address, one with another key another. It also
   * selects among alternatives.
   */
  key: string
  /** Null: a new address for every connection. */
  minutes: number | null
}

/** RFC 1929 encodes the length of each in one byte. */
const mostBytes = 255

type Places = Pick<Targeting, 'countries' | 'states' | 'cities' | 'zips' | 'asns' | 'excludedAsns'>

interface SpotText {
  parts: string[]
  levels: Level[]
}

/** The user name and password to show the upstream. */
export function upstreamLogin(
  preset: Preset,
  account: UpstreamAccount,
  targeting: Places,
  session: UpstreamSession,
): UpstreamLogin | null {
  const places = writePlaces(preset, targeting, session.key)
  const held =
    session.minutes === null ? rotating(preset) : writeSession(preset, session.key, session.minutes)
  const options = writeOptions(preset, account.options)
  if (places === null || held === null || options === null) return null
  const parts = [...places.parts, ...options, ...held]
  if (preset.needsSetting && parts.length === 0) return null
  const tail = parts.length === 0 ? '' : preset.start + parts.join(preset.join)
  const inName = preset.carrier === 'username'
  const username = `${preset.username === null ? '' : (account.username ?? '')}${inName ? tail : ''}`
  const password = `${account.password ?? ''}${inName ? '' : tail}`
  if (Buffer.byteLength(username) > mostBytes || Buffer.byteLength(password) > mostBytes) return null
  return { username, password, country: places.country }
}

function writePlaces(
  preset: Preset,
  targeting: Places,
  key: string,
): { parts: string[]; country: string | null } | null {
  const { zips, asns, excludedAsns } = targeting
  const choices = spotsOf(targeting)
  const named = targeting.countries.length + targeting.states.length + targeting.cities.length
  if (named > 0 && choices.length === 0) return null
  const listed = preset.country !== null && preset.country.several !== null
  const together = targeting.states.length + targeting.cities.length === 0 && listed
  const alternatives: Spot[][] = together
    ? [choices]
    : choices.length === 0
      ? [[]]
      : choices.map((one) => [one])
  // One place of several together with one network or zip code of several: this pair may not exist, although
  // others do.
  if (alternatives.length > 1 && zips.length + asns.length > 0) return null
  const zip = oneOrList(preset.zip, zips, `${key}|zip`)
  const asn = oneOrList(preset.asn, asns, `${key}|asn`)
  if (zip?.picked === true && asns.length > 1) return null
  if (asn?.picked === true && zips.length > 1) return null
  const excluded = oneOrList(preset.excludedAsn, excludedAsns, key)
  if (zip === null || asn === null || excluded === null || excluded.picked) return null

  const written = alternatives.flatMap((spots) => {
    const place = writeSpots(preset, spots)
    if (place === null) return []
    const parts = [...place.parts, ...zip.parts, ...asn.parts, ...excluded.parts]
    const levels: Level[] = [...place.levels]
    if (zips.length > 0) levels.push('zip')
    if (asns.length > 0) levels.push('asn')
    if (excludedAsns.length > 0) levels.push('excludedAsn')
    const countries = new Set(spots.map(({ country }) => country))
    const [only] = countries
    const country = countries.size === 1 && only !== undefined ? only : null
    return isAllowed(preset, levels) ? [{ parts, country }] : []
  })
  return written[pick(written.length, `${key}|place`)] ?? null
}

/** All places that the targeting allows, at its narrowest level; empty when it names no place. */
function spotsOf({ countries, states, cities }: Places): Spot[] {
  const chosen = (country: string) => countries.length === 0 || countries.includes(country)
  if (cities.length > 0) {
    return cities
      .filter((id) => states.length === 0 || states.some((state) => id.startsWith(`${state}_`)))
      .map(spotOfCity)
      .filter(({ country }) => chosen(country))
  }
  if (states.length > 0) return states.map(spotOfState).filter(({ country }) => chosen(country))
  return countries.map((country) => ({ country, state: null, city: null }))
}

/** One place, or several countries. */
function writeSpots(preset: Preset, spots: readonly Spot[]): SpotText | null {
  const [first] = spots
  if (first === undefined) return { parts: [], levels: [] }
  const { country, state, city } = preset
  if (country === null) return null
  const codes = spots.map((spot) => spellCountry(spot.country, country.spelling))
  if (codes.includes(null)) return null
  const written: SpotText = {
    parts: [fill(country.write, codes.join(country.several ?? ''))],
    levels: ['country'],
  }
  const add = (level: Level, template: string | undefined, word: string | null): boolean => {
    if (template === undefined || word === null) return false
    written.parts.push(fill(template, word))
    written.levels.push(level)
    return true
  }
  // Cities with the same name are common in the United States, so the state is required there.
  const needsState = first.state !== null && (first.city === null || first.country === 'us')
  if (needsState && !add('state', state?.write, state && spellState(first.state ?? '', state.spelling)))
    return null
  if (first.city !== null && !add('city', city?.write, city && spellCity(first.city, city.spelling)))
    return null
  return written
}

function isAllowed(preset: Preset, levels: readonly Level[]): boolean {
  if (preset.apart.some(([one, other]) => levels.includes(one) && levels.includes(other))) return false
  return levels.includes('country') || !preset.needCountry.some((level) => levels.includes(level))
}

/** All of the values where the seller accepts lists, otherwise one of them. */
function oneOrList(
  part: { write: string; several: string | null } | null,
  values: readonly (string | number)[],
  key: string,
): { parts: string[]; picked: boolean } | null {
  if (values.length === 0) return { parts: [], picked: false }
  if (part === null) return null
  // An underscore in a zip code stands for a space or a dash; how sellers write it is not documented.
  if (values.some((value) => !/^[a-z0-9]+$/.test(String(value)))) return null
  if (part.several !== null) return { parts: [fill(part.write, values.join(part.several))], picked: false }
  const value = values[pick(values.length, key)] ?? ''
  return { parts: [fill(part.write, String(value))], picked: values.length > 1 }
}

function rotating(preset: Preset): string[] {
  return preset.rotating === null ? [] : [preset.rotating]
}

function writeSession({ session }: Preset, key: string, minutes: number): string[] | null {
  if (session === null) return null
  const parts = [fill(session.write, sessionId(session, key))]
  if (session.minutes === null) return parts
  const { write, unit, min, max } = session.minutes
  if (minutes > max) return null
  const lasting = Math.max(min, Math.ceil(minutes))
  if (unit === 'minutes') return [...parts, fill(write, String(lasting))]
  if (unit === 'seconds') return [...parts, fill(write, String(lasting * 60))]
  return [...parts, fill(write, lasting <= 59 ? `${lasting}m` : `${Math.ceil(lasting / 60)}h`)]
}

/** An id that reveals nothing about the customer and whose collisions cannot be constructed. */
function sessionId({ alphabet, length }: SessionPart, key: string): string {
  const value = BigInt(`0x${digest(`session|${key}`)}`)
  if (alphabet === 'digits') {
    // No leading zero: some sellers parse it as a number.
    const smallest = 10n ** BigInt(length - 1)
    return String(smallest + (value % (9n * smallest)))
  }
  return value.toString(36).padStart(length, '0').slice(-length)
}

function writeOptions(preset: Preset, options: UpstreamAccount['options']): string[] | null {
  const parts: string[] = []
  for (const [name, value] of Object.entries(options)) {
    const option = Object.hasOwn(preset.options, name) ? preset.options[name] : undefined
    if (option === undefined || !option.pattern.test(value)) return null
    parts.push(fill(option.write, value))
  }
  return parts
}

const fill = (template: string, value: string) => template.replace('{}', () => value)
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function pick(count: number, key: string): number {
  return count <= 1 ? 0 : Number(BigInt(`0x${digest(`pick|${key}`)}`) % BigInt(count))
}
