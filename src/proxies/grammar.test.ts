import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { multiplierOf } from '#contract/traffic'
import { countryCodes } from '#contract/countries'
import { sized } from '#test/size'
import {
  anywhere,
  GrammarFault,
  maxUsernameBytes,
  parseUsername,
  printUsername,
  type Targeting,
  withStored,
} from './grammar.ts'

const chars = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })

const lettersAndDigits = 'abcdefghijklmnopqrstuvwxyz0123456789'
const login = chars(lettersAndDigits, 4, 12)
const asn = fc.integer({ min: 1, max: 4_294_967_295 })
const few = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.uniqueArray(one, { maxLength: 3 })

/** Consistent places: states of the chosen countries, cities of the chosen states. */
const places = fc
  .record({
    countries: few(fc.constantFrom(...countryCodes)),
    stateCodes: few(chars(lettersAndDigits, 1, 4)),
    cityNames: few(chars(`${lettersAndDigits}_`, 1, 10)),
    zips: few(chars(lettersAndDigits, 1, 6)),
  })
  .map(({ countries, stateCodes, cityNames, zips }) => {
    const states = countries.length === 0 ? [] : stateCodes.map((code) => `${countries[0]}_${code}`)
    const cities = states.length === 0 ? [] : cityNames.map((name) => `${states[0]}_${name}`)
    return { countries, states, cities, zips: countries.length === 0 ? [] : zips }
  })

const manner = {
  session: fc.option(chars(`${lettersAndDigits}_`, 1, 32)),
  ttlMinutes: fc.option(fc.integer({ min: 1, max: 10_000 })),
  anonymous: fc.boolean(),
}

const targeting: fc.Arbitrary<Targeting> = fc.oneof(
  fc
    .record({ places, asns: few(asn), excludedAsns: few(asn), ...manner })
    .map(({ places: named, asns, excludedAsns, ...rest }) => ({
      ...named,
      asns,
      excludedAsns: excludedAsns.filter((number) => !asns.includes(number)),
      ...rest,
      set: null,
    })),
  fc.record({ set: chars(lettersAndDigits, 6, 32), ...manner }).map((rest) => ({ ...anywhere(), ...rest })),
)

const username = fc
  .record({ login, targeting })
  .filter((value) => printUsername(value).length <= maxUsernameBytes)

function faultOf(text: string): GrammarFault | null {
  try {
    parseUsername(text)
    return null
  } catch (error) {
    if (error instanceof GrammarFault) return error
    throw error
  }
}

describe('the user name grammar', () => {
  it('parses its own output', () => {
    fc.assert(
      fc.property(username, (value) => {
        expect(parseUsername(printUsername(value))).toEqual(value)
      }),
      { numRuns: sized(600, 3000) },
    )
  })

  it('prints the same text for any order of the keys', () => {
    fc.assert(
      fc.property(username, fc.infiniteStream(fc.nat()), (value, order) => {
        const [first = '', ...parts] = printUsername(value).split('-')
        const pairs = []
        for (let index = 0; index < parts.length; index += 2) {
          pairs.push({ at: order.next().value ?? 0, text: `${parts[index]}-${parts[index + 1]}` })
        }
        const shuffled = [first, ...pairs.toSorted((a, b) => a.at - b.at).map((pair) => pair.text)].join('-')
        expect(parseUsername(shuffled)).toEqual(value)
      }),
    )
  })

  it('parses the documented example', () => {
    expect(parseUsername('tp4k2m9x-cc-us.de-sid-8f3a2c-ttl-30')).toEqual({
      login: 'tp4k2m9x',
      targeting: { ...anywhere(), countries: ['us', 'de'], session: '8f3a2c', ttlMinutes: 30 },
    })
  })

  it('throws only faults that name their key, in printable ASCII', () => {
    const noise = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(fc.constantFrom('tp4k2m9x', 'cc', 'us', 'st', 'us_ca', '-', '.', '', 'ttl', '0', 'é', '\r\n'))
        .map((a) => a.join('')),
    )
    fc.assert(
      fc.property(noise, (text) => {
        const fault = faultOf(text)
        if (fault === null) return
        expect(fault.key).not.toBe(undefined)
        expect(fault.message).toMatch(/^[\x20-\x7e]+$/)
        expect(fault.message.length).toBeLessThan(400)
      }),
      { numRuns: sized(600, 3000) },
    )
  })

  it('names the fault of every line broken by one edit', () => {
    const edit = fc.record({
      at: fc.nat(300),
      text: fc.constantFrom('-', '.', '', 'A', '%', ' ', '0', 'é', '_', '-zz', '..'),
      cut: fc.nat(3),
    })
    fc.assert(
      fc.property(username, edit, (value, { at, text, cut }) => {
        const line = printUsername(value)
        const place = at % (line.length + 1)
        const broken = line.slice(0, place) + text + line.slice(place + cut)
        const fault = faultOf(broken)
        // Either it is valid, and then means exactly its text, or the fault is named.
        if (fault === null) {
          const read = parseUsername(broken)
          expect(parseUsername(printUsername(read))).toEqual(read)
        } else {
          const shown = broken.replace(/[^\x20-\x7e]/g, '?')
          expect(
            ['login', 'username'].includes(fault.key) || shown.includes(fault.key.replace(/\.\.\.$/, '')),
          ).toBe(true)
          expect(fault.message).toMatch(/\.( Did you mean "[a-z0-9_]+"\?)?$/)
        }
      }),
      { numRuns: sized(600, 3000) },
    )
  })

  it.each([
    ['', 'login', null],
    ['TP4K2M9X', 'login', 'tp4k2m9x'],
    ['tp4k2m9x-', '', null],
    ['tp4k2m9x-cc', 'cc', null],
    ['tp4k2m9x-cc-', 'cc', null],
    ['tp4k2m9x--cc-us', '', null],
    ['tp4k2m9x-country-us', 'country', 'cc'],
    ['tp4k2m9x-session-abc', 'session', 'sid'],
    ['tp4k2m9x-contry-us', 'contry', 'cc'],
    ['tp4k2m9x-CC-us', 'CC', 'cc'],
    ['tp4k2m9x-xasm-1', 'xasm', 'xasn'],
    ['tp4k2m9x-cc-US', 'cc', 'us'],
    ['tp4k2m9x-cc-uk', 'cc', 'gb'],
    ['tp4k2m9x-cc-us.us', 'cc', null],
    ['tp4k2m9x-cc-us.', 'cc', null],
    ['tp4k2m9x-cc-us-cc-de', 'cc', null],
    ['tp4k2m9x-cc-us-st-ca', 'st', 'us_ca'],
    ['tp4k2m9x-st-US_CA', 'st', 'us_ca'],
    ['tp4k2m9x-st-us_new_york', 'st', null],
    ['tp4k2m9x-cc-de-st-us_ca', 'st', null],
    ['tp4k2m9x-cc-us-st-us_ny-city-us_ca_fresno', 'city', null],
    ['tp4k2m9x-city-zz_paris', 'city', null],
    ['tp4k2m9x-zip-90001', 'zip', null],
    ['tp4k2m9x-asn-AS7018', 'asn', '7018'],
    ['tp4k2m9x-asn-007', 'asn', '7'],
    ['tp4k2m9x-asn-4294967296', 'asn', null],
    ['tp4k2m9x-asn-7018-xasn-7018', 'xasn', null],
    ['tp4k2m9x-ttl-30m', 'ttl', '30'],
    ['tp4k2m9x-ttl-0', 'ttl', null],
    ['tp4k2m9x-ttl-10001', 'ttl', '10000'],
    ['tp4k2m9x-sid-AB', 'sid', 'ab'],
    ['tp4k2m9x-anon-false', 'anon', 'off'],
    ['tp4k2m9x-set-k3j', 'set', null],
    ['tp4k2m9x-cc-us-set-k3j4x9', 'set', null],
    [`tp4k2m9x-sid-${'a'.repeat(300)}`, 'username', null],
  ])('refuses %s', (text, key, nearest) => {
    expect(faultOf(text)).toMatchObject({ key, nearest })
  })

  it('terminates for the longest worst-case names', () => {
    const worst = `tp4k2m9x-cc-${'u'.repeat(30)}`.padEnd(255, '.zz')
    // A grammar with backtracking would not finish this within the time of a test.
    for (let round = 0; round < 200; round += 1) expect(faultOf(worst)).toMatchObject({ key: 'cc' })
  })
})

describe('the double tariff', () => {
  it.each([
    ['tp4k2m9x-cc-us-xasn-7018-sid-a', 1],
    ['tp4k2m9x-st-us_ca', 2],
    ['tp4k2m9x-city-us_ca_fresno', 2],
    ['tp4k2m9x-cc-us-zip-90001', 2],
    ['tp4k2m9x-asn-7018', 2],
  ])('of %s is ×%i', (text, multiplier) => {
    expect(multiplierOf(parseUsername(text).targeting)).toBe(multiplier)
  })

  it('applies to stored settings once they are inserted', () => {
    const line = parseUsername('tp4k2m9x-sid-abc-set-k3j4x9').targeting
    const stored = parseUsername('tp4k2m9x-cc-us-st-us_ca-ttl-5').targeting
    expect(withStored(line, stored)).toEqual({ ...stored, session: 'abc', ttlMinutes: null })
    expect(multiplierOf(withStored(line, stored))).toBe(2)
  })
})
