/** Parses one line by the table of one seller. */
import { nearest } from '#lib/nearest'
import { anywhere, contradictionsOf, type Targeting } from '../grammar.ts'
import { GrammarFault, quote } from '../grammar.fault.ts'
import { loginPattern } from '../grammar.values.ts'
import type { Meaning, Seller } from './sellers.ts'
import * as values from './values.ts'

/** A state or a city as another seller's customer names it. Only the inventory can map it to an id. */
export interface PlaceName {
  kind: 'state' | 'city'
  /** The original spelling, for the sentence that refuses it. */
  said: string
  /** Letters and digits only. */
  word: string
}

/** Parsed settings. */
export interface Settings {
  targeting: Targeting
  /** States and cities to be looked up in the countries of the targeting. */
  places: PlaceName[]
  /** The pool that the line names; it must be the pool of the port. */
  pool: string | null
}

/** The result of parsing: settings, or their fault, and the amount parsed before it. */
export type Reading = { settings: Settings } | { fault: () => GrammarFault; understood: number }

class Reader {
  readonly settings: Settings = { targeting: anywhere(), places: [], pool: null }
  readonly #seller: Seller
  readonly #seen = new Set<string>()
  readonly #named: { key: string; kind: PlaceName['kind']; said: string; prefixed: boolean }[] = []

  constructor(seller: Seller) {
    this.#seller = seller
  }

  meaningOf(key: string): Meaning {
    const { keys, cannot, name } = this.#seller
    const meaning = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (meaning === undefined) {
      const sentence = cannot.includes(key)
        ? `What "${key}" asks for cannot be honoured here: remove it.`
        : `${name} has no ${quote(key)} that could be honoured here.`
      throw new GrammarFault({ key, value: key, nearest: () => nearest(key, Object.keys(keys)), sentence })
    }
    if (this.#seen.has(meaning.sets === 'nothing' ? key : meaning.sets))
      throw new GrammarFault({ key, value: key, sentence: `The key "${key}" stands here twice.` })
    this.#seen.add(meaning.sets === 'nothing' ? key : meaning.sets)
    return meaning
  }

  take(key: string, meaning: Meaning, value: string): void {
    const { targeting } = this.settings
    switch (meaning.sets) {
      case 'countries': {
        const read = meaning.by === 'code' ? values.countryByCode : values.countryByName
        targeting.countries = this.#list(key, value, (word) => read(key, word))
        return
      }
      case 'state':
      case 'city':
        for (const said of this.#list(key, value, (word) => word))
          this.#named.push({ key, kind: meaning.sets, said, prefixed: meaning.prefixed === true })
        return
      case 'zips':
        targeting.zips = this.#list(key, value, values.zip)
        return
      case 'asns':
      case 'excludedAsns':
        targeting[meaning.sets] = this.#list(key, value, (word) => values.asNumber(key, word))
        return
      case 'session':
        targeting.session = values.session(key, value)
        return
      case 'minutes':
        targeting.ttlMinutes = values.minutes(key, value, meaning.unit)
        return
      case 'pool':
        this.settings.pool = values.pool(key, value)
        return
      case 'nothing':
        if (meaning.value === null || meaning.value === value) return
        throw new GrammarFault({
          key,
          value,
          nearest: meaning.value,
          sentence: `What ${quote(`${key} ${value}`)} asks for cannot be honoured here.`,
        })
    }
  }

  /** Checks that require all settings. */
  finish(): Settings {
    const { targeting } = this.settings
    for (const place of this.#named) {
      const { key, kind, said } = place
      const word = values.fold(this.#bare(place))
      const fault = (sentence: string) => new GrammarFault({ key, value: said, sentence })
      if (word === '' || word.length > 64) throw fault(`The value ${quote(said)} is not the name of a place.`)
      if (targeting.countries.length === 0)
        throw fault(`The ${kind} ${quote(said)} needs a country in the same line.`)
      this.settings.places.push({ kind, said, word })
    }
    if (targeting.ttlMinutes !== null && targeting.session === null) {
      const sentence = 'A time is named and no session that it could be for.'
      throw new GrammarFault({ key: 'ttl', value: String(targeting.ttlMinutes), sentence })
    }
    const [contradiction] = contradictionsOf(targeting)
    if (contradiction !== undefined) throw new GrammarFault(contradiction)
    return this.settings
  }

  #list<T>(key: string, text: string, read: (word: string) => T): T[] {
    const { list } = this.#seller.joints
    const words = list === null ? [text] : text.split(list)
    const found = words.map((word) => read(word))
    if (new Set(found.map((item) => JSON.stringify(item))).size === found.length) return found
    throw new GrammarFault({ key, value: text, sentence: `The list of "${key}" names something twice.` })
  }

  /** The name without its country prefix; the countries themselves may follow later in the line. */
  #bare({ said, prefixed }: { said: string; prefixed: boolean }): string {
    const { countries } = this.settings.targeting
    const isNamed = countries.some((code) => said.toLowerCase().startsWith(`${code}_`))
    return prefixed && isNamed ? said.slice(3) : said
  }
}

/** Keys and values alternate; where both separators are the same they are told apart by position. */
function pairsOf({ joints }: Seller, text: string): [key: string, value: string | null][] {
  const parts = text.split(joints.pairs)
  const pairs: [string, string | null][] = []
  if (joints.pairs === joints.value) {
    for (let at = 0; at < parts.length; at += 2) pairs.push([parts[at] ?? '', parts[at + 1] ?? null])
    return pairs
  }
  for (const part of parts) {
    const at = part.indexOf(joints.value)
    pairs.push(at < 0 ? [part, null] : [part.slice(0, at), part.slice(at + joints.value.length)])
  }
  return pairs
}

/** Parses the settings after the login. Returns a fault instead of throwing it. */
export function readSettings(seller: Seller, text: string): Reading {
  const pairs = text === '' ? [] : pairsOf(seller, text)
  // Most readings of a line fail because of a key that the seller does not have, which is checked before
  // parsing.
  const strange = pairs.findIndex(([key]) => !Object.hasOwn(seller.keys, key))
  if (strange >= 0) return { understood: 2 * strange, fault: () => faultIn(seller, pairs) }
  try {
    return { settings: settingsOf(seller, pairs) }
  } catch (fault) {
    if (!(fault instanceof GrammarFault)) throw fault
    fault.readAs = seller.name
    return { understood: fault.understood, fault: () => fault }
  }
}

type Pairs = readonly [key: string, value: string | null][]

function settingsOf(seller: Seller, pairs: Pairs): Settings {
  if (pairs.length === 0) return { targeting: anywhere(), places: [], pool: null }
  const reader = new Reader(seller)
  let understood = 0
  try {
    for (const [key, value] of pairs) {
      const meaning = reader.meaningOf(key)
      understood += 1
      if (value === null || value === '')
        throw new GrammarFault({ key, value: '', sentence: `The key "${key}" has no value behind it.` })
      reader.take(key, meaning, value)
      understood += 1
    }
    return reader.finish()
  } catch (fault) {
    if (fault instanceof GrammarFault) fault.understood = understood
    throw fault
  }
}

/** The fault of a line that has a key unknown to the seller. */
function faultIn(seller: Seller, pairs: Pairs): GrammarFault {
  try {
    settingsOf(seller, pairs)
  } catch (fault) {
    if (!(fault instanceof GrammarFault)) throw fault
    fault.readAs = seller.name
    return fault
  }
  throw new Error('a key that no seller has was understood')
}

/** The possible logins, each with the text after it: one for each of the seller's prefixes that matches. */
export function splitLogin(seller: Seller, username: string): { login: string; rest: string }[] {
  const { start } = seller.joints
  return seller.before.flatMap((before) => {
    if (!username.startsWith(before)) return []
    const behind = username.slice(before.length)
    const at = behind.indexOf(start)
    const login = at < 0 ? behind : behind.slice(0, at)
    if (!loginPattern.test(login)) return []
    return [{ login, rest: at < 0 ? '' : behind.slice(at + start.length) }]
  })
}
