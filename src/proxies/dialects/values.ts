/** The values in lines of other sellers. Each reader returns our spelling, or throws a GrammarFault. */
import { createHash } from 'node:crypto'
import { countryCodes, countryName } from '#contract/countries'
import { maxSessionMinutes } from '#contract/session-times'
import { nearest } from '#lib/nearest'
import { countryAliases } from '../countries.ts'
import { GrammarFault, quote } from '../grammar.fault.ts'
import { zip as readZip } from '../grammar.values.ts'

const codes: ReadonlySet<string> = new Set(countryCodes)

/** A country by its code in any case; `uk` is no other country's code. */
export function countryByCode(key: string, word: string): string {
  const lower = word.toLowerCase()
  if (codes.has(lower)) return lower
  if (lower === 'uk') return 'gb'
  throw new GrammarFault({
    key,
    value: word,
    nearest: () => nearest(word, countryCodes, countryAliases),
    sentence: `There is no country ${quote(word)}.`,
  })
}

/** Letters and digits without accents, the form that all spellings of one name share. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
}

/** English names that differ from those of the list. */
const otherNames: Readonly<Record<string, string>> = {
  antiguaandbarbuda: 'ag',
  bosniaandherzegovina: 'ba',
  burma: 'mm',
  congo: 'cg',
  czechrepublic: 'cz',
  democraticrepublicofthecongo: 'cd',
  hongkong: 'hk',
  ivorycoast: 'ci',
  macau: 'mo',
  macao: 'mo',
  macedonia: 'mk',
  myanmar: 'mm',
  palestine: 'ps',
  trinidadandtobago: 'tt',
  turkey: 'tr',
  unitedstatesofamerica: 'us',
  vietnam: 'vn',
}

const byName: ReadonlyMap<string, string> = new Map([
  ...countryCodes.map((code): [string, string] => [fold(countryName(code, 'en')), code]),
  ...Object.entries(otherNames),
])

/** A country by its English name, without regard to spaces and capitals. */
export function countryByName(key: string, word: string): string {
  const code = byName.get(fold(word))
  if (code !== undefined && codes.has(code)) return code
  throw new GrammarFault({
    key,
    value: word,
    nearest: () => nearest(word, [...byName.keys()]),
    sentence: `There is no country with the English name ${quote(word)}.`,
  })
}

export const zip = (word: string): string => readZip(word.toLowerCase())

/** An AS number, with or without "AS" in front. */
export function asNumber(key: string, word: string): number {
  const number = Number(/^(?:as)?([1-9][0-9]{0,9})$/i.exec(word)?.[1])
  if (number <= 4_294_967_295) return number
  throw new GrammarFault({ key, value: word, sentence: `The value ${quote(word)} is not an AS number.` })
}

const ours = /^[a-z0-9_]{1,32}$/

/**
 * A session with any name. A name that our grammar cannot spell is replaced by its digest: different names
 * stay different sessions, and the same name is the same session everywhere.
 */
export function session(key: string, word: string): string {
  if (ours.test(word)) return word
  if (word !== '' && word.length <= 128 && /^[\x21-\x7e]+$/.test(word))
    return `x${createHash('sha256').update(word).digest('hex').slice(0, 23)}`
  throw new GrammarFault({
    key,
    value: word,
    sentence: `The value ${quote(word)} is not the name of a session.`,
  })
}

const secondsIn = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/**
 * Whole minutes. A value that is not a whole number of them, or exceeds the maximum, is refused with the
 * nearest valid one.
 */
export function minutes(key: string, word: string, unit: 'minutes' | 'seconds' | 'said'): number {
  const match = (unit === 'said' ? /^([0-9]{1,7})([smhd])$/ : /^([0-9]{1,7})()$/).exec(word)
  const number = Number(match?.[1])
  if (match === null || number === 0) {
    const form = unit === 'said' ? 'a number with its unit, like 30m' : `whole ${unit}`
    throw new GrammarFault({ key, value: word, sentence: `The value ${quote(word)} is not ${form}.` })
  }
  const letter = unit === 'minutes' ? 'm' : unit === 'seconds' ? 's' : (match[2] as keyof typeof secondsIn)
  const seconds = number * secondsIn[letter]
  const whole = Math.min(Math.ceil(seconds / 60), maxSessionMinutes)
  if (whole * 60 === seconds) return whole
  throw new GrammarFault({
    key,
    value: word,
    nearest: unit === 'said' ? `${whole}m` : String(unit === 'seconds' ? whole * 60 : whole),
    sentence: `The time ${quote(word)} cannot be kept: whole minutes, 1 to ${maxSessionMinutes}.`,
  })
}

const pools: Readonly<Record<string, string>> = {
  residential: 'residential',
  datacenter: 'datacenter',
  mobile: 'mobile',
}

/** The pool that a line names. */
export function pool(key: string, word: string): string {
  const known = Object.hasOwn(pools, word.toLowerCase()) ? pools[word.toLowerCase()] : undefined
  if (known !== undefined) return known
  throw new GrammarFault({
    key,
    value: word,
    nearest: nearest(word, Object.keys(pools)),
    sentence: `There is no pool ${quote(word)}.`,
  })
}
