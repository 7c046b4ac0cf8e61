import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countryCodes, countryName } from '#contract/countries'
import { anywhere, GrammarFault, printUsername, type Targeting } from '../grammar.ts'
import { fold, type Line, readPasswordSettings, readUsername, type Settings } from './dialects.ts'
import { type Meaning, type Seller, sellers } from './sellers.ts'

const read = (username: string): Line | null => readUsername(username)

function settingsOf(line: Line | null): Settings {
  if (line === null) throw new Error('no login was found')
  if (line.read instanceof GrammarFault) throw line.read
  return line.read
}

function understood(username: string, passwordSettings?: string): string {
  const line =
    passwordSettings === undefined ? read(username) : readPasswordSettings(username, passwordSettings)
  const { targeting, places, pool } = settingsOf(line)
  return [
    printUsername({ login: line?.login ?? '', targeting }),
    ...places.map(({ kind, word }) => `${kind}:${word}`),
    ...(pool === null ? [] : [`pool:${pool}`]),
  ].join(' ')
}

describe('lines copied from other sellers', () => {
  it.each([
    ['brd-customer-tp4k2m9x-zone-res1-country-us-session-8f3a2c', 'tp4k2m9x-cc-us-sid-8f3a2c'],
    ['brd-customer-tp4k2m9x-zone-res1', 'tp4k2m9x'],
    ['tp4k2m9x-zone-x-country-us-city-sanfrancisco', 'tp4k2m9x-cc-us city:sanfrancisco'],
    ['lum-customer-tp4k2m9x-zone-gen-country-us-state-ny-asn-56386', 'tp4k2m9x-cc-us-asn-56386 state:ny'],
    ['customer-tp4k2m9x', 'tp4k2m9x'],
    [
      'customer-tp4k2m9x-cc-US-st-us_california-city-los_angeles-sessid-abc-sesstime-10',
      'tp4k2m9x-cc-us-sid-abc-ttl-10 state:california city:losangeles',
    ],
    ['user-tp4k2m9x-country-gb-session-a1-sessionduration-60', 'tp4k2m9x-cc-gb-sid-a1-ttl-60'],
    ['tp4k2m9x-us', 'tp4k2m9x-cc-us'],
    ['tp4k2m9x-us-fr-de-city_los_angeles-15', 'tp4k2m9x-cc-us.fr.de-sid-15 city:losangeles'],
    ['tp4k2m9x-rotate', 'tp4k2m9x'],
    [
      'package-tp4k2m9x-country-us-region-new+york-city-new+york-sessionid-q7-sessionlength-600',
      'tp4k2m9x-cc-us-sid-q7-ttl-10 state:newyork city:newyork',
    ],
    ['tp4k2m9x__cr.us,gb;sessid.a;sessttl.30', 'tp4k2m9x-cc-us.gb-sid-a-ttl-30'],
    ['tp4k2m9x__cr.us;zip.10001;noasn.16509', 'tp4k2m9x-cc-us-zip-10001-xasn-16509'],
    [
      'tp4k2m9x_c_US_city_New-York_asn_12389_s_100_ttl_120s',
      'tp4k2m9x-cc-us-asn-12389-sid-100-ttl-2 city:newyork',
    ],
    ['geonode_tp4k2m9x-type-residential-country-gb-autoReplace-True', 'tp4k2m9x-cc-gb pool:residential'],
    [
      'tp4k2m9x-country-us-region-texas-city-fort_worth-type-mobile-sid-ab-ttl-24h',
      'tp4k2m9x-cc-us-sid-ab-ttl-1440 state:texas city:fortworth pool:mobile',
    ],
    ['tp4k2m9x_c_DE_s_77', 'tp4k2m9x-cc-de-sid-77'],
    ['td-customer-tp4k2m9x-country-uk-sessid-zz-sesstime-10', 'tp4k2m9x-cc-gb-sid-zz-ttl-10'],
  ])('%s', (line, ours) => {
    expect(understood(line)).toBe(ours)
  })

  it.each([
    ['country-us,de_session-ab12cd34_lifetime-30m', 'tp4k2m9x-cc-us.de-sid-ab12cd34-ttl-30'],
    ['country-us_state-iowa_city-desmoines', 'tp4k2m9x-cc-us state:iowa city:desmoines'],
    ['country-US_session-ab12cd_lifetime-30', 'tp4k2m9x-cc-us-sid-ab12cd-ttl-30'],
    ['country-UnitedStates_session-q', 'tp4k2m9x-cc-us-sid-q'],
    ['country-BosniaandHerzegovina', 'tp4k2m9x-cc-ba'],
  ])('%s behind the password', (settings, ours) => {
    expect(understood('tp4k2m9x', settings)).toBe(ours)
  })

  it.each([
    ['tp4k2m9x-country-us-os-windows', 'os'],
    ['brd-customer-tp4k2m9x-zone-a-ip-1.2.3.4', 'ip'],
    ['customer-tp4k2m9x-cc-us-sessid_oneip-a', 'sessid_oneip'],
    ['customer-tp4k2m9x-cc-us-sesstime-10', 'ttl'],
    ['tp4k2m9x-country-us-sid-a-ttl-90s', 'ttl'],
    ['package-tp4k2m9x-country-us-sessionid-a-sessionlength-90', 'sessionlength'],
    ['user-tp4k2m9x-country-us-session-a-sessionduration-10001', 'sessionduration'],
    ['tp4k2m9x-country-us-filter-medium', 'filter'],
    ['tp4k2m9x__cr.us;nocr.gb', 'nocr'],
    ['tp4k2m9x__city.losangeles', 'city'],
    ['tp4k2m9x_c_US_sd_1906', 'sd'],
    ['tp4k2m9x-state-ny', 'state'],
    ['tp4k2m9x-type-isp', 'type'],
    ['tp4k2m9x-country-us-autoReplace-False', 'autoReplace'],
    ['tp4k2m9x-country-us-country-de', 'country'],
    ['tp4k2m9x-country-', 'country'],
    ['tp4k2m9x-country', 'country'],
    ['tp4k2m9x-country-zz', 'country'],
    ['tp4k2m9x-us-us', 'username'],
    ['tp4k2m9x-colour-red', 'colour'],
    ['tp4k2m9x-cc-zz', 'cc'],
    ['tp4k2m9x-cc-us-session-a', 'session'],
    ['tp4k2m9x-cc-de-st', 'st'],
    ['tp4k2m9x-cc-5', 'cc'],
  ])('%s is refused for its %s', (line, key) => {
    const { login, read: fault } = read(line) ?? {}
    expect(login).toBe('tp4k2m9x')
    expect(fault).toBeInstanceOf(GrammarFault)
    expect((fault as GrammarFault).key, (fault as GrammarFault).message).toBe(key)
  })

  it.each([
    ['tp4k2m9x-cc-us-st-california-sid-x', 'st', 'california', 'us_california'],
    ['tp4k2m9x-cc-us-city-los_angeles-ttl-5', 'city', 'los_angeles', 'us_los_angeles'],
    ['tp4k2m9x-cc-us-city-fresno.us_ca_fresno-sid-x', 'city', 'fresno', 'us_fresno'],
    ['tp4k2m9x-cc-UK-sid-x', 'cc', 'UK', 'gb'],
    ['tp4k2m9x-cc-us-st-California-anon-on', 'st', 'California', 'us_california'],
  ])('with Turnpike’s keys only is refused by its own grammar: %s', (line, key, value, nearest) => {
    const fault = read(line)?.read
    expect(fault).toBeInstanceOf(GrammarFault)
    expect(fault).toMatchObject({ key, value, nearest, readAs: null })
    expect((fault as GrammarFault).message).not.toContain('Read as')
  })

  it('with another seller’s key among Turnpike’s is explained by the seller’s grammar', () => {
    const fault = read('customer-tp4k2m9x-cc-us-st-california-sid-x')?.read
    expect(fault).toMatchObject({ key: 'sid', readAs: 'Oxylabs' })
  })

  it.each([
    ['streaming-1'],
    ['hardsession-abcdef'],
    ['country-us_isp-att'],
    ['lifetime-30m'],
    ['x'],
    ['country-XX'],
  ])('%s behind the password is refused', (settings) => {
    expect(readPasswordSettings('tp4k2m9x', settings)?.read).toBeInstanceOf(GrammarFault)
  })

  it('are refused when settings are in both places', () => {
    expect(readPasswordSettings('tp4k2m9x-cc-us', 'country-us')?.read).toBeInstanceOf(GrammarFault)
  })

  it('keep different sessions distinct, whatever their names', () => {
    const sidOf = (name: string) => settingsOf(read(`tp4k2m9x__cr.us;sessid.${name}`)).targeting.session
    const names = ['Abc', 'abc', 'ABC', 'a-b', 'a.b', 'a_b', 'x'.repeat(40)]
    expect(new Set(names.map(sidOf)).size).toBe(names.length)
    expect(sidOf('Abc')).toBe(sidOf('Abc'))
    for (const name of names) expect(sidOf(name)).toMatch(/^[a-z0-9_]{1,32}$/)
  })

  it('yield no login when they contain none', () => {
    for (const text of ['', '-', 'ABC', '--', '__cr.us', 'a-b', 'é-country-us', 'x'.repeat(3)])
      expect(read(text), text).toBeNull()
  })
})

const few = <T>(one: fc.Arbitrary<T>) => fc.uniqueArray(one, { maxLength: 3 })
const word = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
  minLength: 1,
  maxLength: 9,
})

/** All settings of any seller; each seller supports some of them. */
const wish = fc.record({
  countries: few(fc.constantFrom(...countryCodes)),
  state: fc.option(word),
  city: fc.option(word),
  zips: few(word),
  asns: few(fc.integer({ min: 1, max: 4_294_967_295 })),
  excludedAsns: few(fc.integer({ min: 1, max: 4_294_967_295 })),
  session: fc.option(word),
  minutes: fc.integer({ min: 1, max: 168 }),
})
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never

/** The line that the seller's customer would write, and its meaning in Turnpike's grammar. */
function printAs(seller: Seller, login: string, wanted: Wish): { text: string; means: Settings } {
  const { joints, keys } = seller
  const targeting = anywhere()
  const means: Settings = { targeting, places: [], pool: null }
  const pairs: string[] = []
  const limit = <T>(list: T[]): T[] => (joints.list === null ? list.slice(0, 1) : list)
  const print = (key: string, values: (string | number)[]) => {
    if (values.length > 0) pairs.push(`${key}${joints.value}${values.join(joints.list ?? '')}`)
  }
  const write = (key: string, meaning: Meaning) => {
    switch (meaning.sets) {
      case 'countries':
        targeting.countries = limit(wanted.countries)
        return print(
          key,
          targeting.countries.map((code) =>
            meaning.by === 'code' ? code.toUpperCase() : fold(countryName(code, 'en')),
          ),
        )
      case 'state':
      case 'city': {
        const said = wanted[meaning.sets]
        if (said === null || wanted.countries.length === 0) return
        means.places.push({ kind: meaning.sets, said, word: said })
        return print(key, [said])
      }
      case 'zips':
        targeting.zips = wanted.countries.length === 0 ? [] : limit(wanted.zips)
        return print(key, targeting.zips)
      case 'asns':
        targeting.asns = limit(wanted.asns)
        return print(key, targeting.asns)
      case 'excludedAsns':
        targeting.excludedAsns = limit(wanted.excludedAsns.filter((asn) => !wanted.asns.includes(asn)))
        return print(key, targeting.excludedAsns)
      case 'session':
        targeting.session = wanted.session
        return print(key, wanted.session === null ? [] : [wanted.session])
      case 'minutes':
        targeting.ttlMinutes = wanted.session === null ? null : wanted.minutes
        if (wanted.session === null) return
        return print(key, [
          { minutes: wanted.minutes, seconds: wanted.minutes * 60, said: `${wanted.minutes}m` }[meaning.unit],
        ])
      case 'pool':
      case 'nothing':
        return
    }
  }
  for (const [key, meaning] of Object.entries(keys)) write(key, meaning)
  const before = seller.before.at(-1) ?? ''
  const front = seller.stands === 'username' ? `${before}${login}` : ''
  const text = [front, ...(pairs.length > 0 ? [pairs.join(joints.pairs)] : [])].join(joints.start)
  return { text: seller.stands === 'username' ? text : text.slice(joints.start.length), means }
}

const byKind = (settings: Settings): Settings => ({
  ...settings,
  places: settings.places.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
})

describe.each(sellers.map((seller) => [seller.name, seller] as const))('%s', (_name, seller) => {
  it('is parsed to the settings it was written from', () => {
    fc.assert(
      fc.property(wish, (wanted) => {
        const { text, means } = printAs(seller, 'tp4k2m9x', wanted)
        const line = seller.stands === 'username' ? read(text) : readPasswordSettings('tp4k2m9x', text)
        expect(line?.login, text).toBe('tp4k2m9x')
        expect(byKind(settingsOf(line)), text).toEqual(byKind(means))
      }),
      { numRuns: 300 },
    )
  })
})

describe('lines in Turnpike’s grammar', () => {
  const own: fc.Arbitrary<Targeting> = wish.map((wanted) => ({
    ...anywhere(),
    countries: wanted.countries,
    states: wanted.countries.slice(0, 1).map((country) => `${country}_ca`),
    zips: wanted.countries.length > 0 ? wanted.zips : [],
    asns: wanted.asns,
    excludedAsns: wanted.excludedAsns.filter((asn) => !wanted.asns.includes(asn)),
    session: wanted.session,
    ttlMinutes: wanted.minutes,
  }))

  it('are never parsed as another seller’s line', () => {
    fc.assert(
      fc.property(
        word.filter((login) => login.length >= 4),
        own,
        (login, targeting) => {
          const line = read(printUsername({ login, targeting }))
          expect(line).toEqual({ login, isForeign: false, read: { targeting, places: [], pool: null } })
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('and all others yield a result, for any text', () => {
    const parts = [
      'tp4k2m9x',
      'brd-customer-',
      'customer-',
      'country',
      'cr',
      'us',
      'US',
      '-',
      '_',
      '__',
      '.',
      ',',
      ';',
      'sid',
      'session',
      'ttl',
      '10m',
      'city',
      'new_york',
      '',
      '0',
      'é',
      '\0',
      '__proto__',
      'constructor',
      'toString',
    ]
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((list) => list.join('')),
    )
    fc.assert(
      fc.property(noise, noise, (username, settings) => {
        for (const line of [read(username), readPasswordSettings(username, settings)]) {
          if (line === null) continue
          // Logins of proxy users that customers choose have dots.
          expect(line.login).toMatch(/^(?=.{4,32}$)[a-z0-9]+(?:\.[a-z0-9]+){0,3}$/)
          if (line.read instanceof GrammarFault) expect(line.read.message).toMatch(/^[\x20-\x7e]+$/)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
