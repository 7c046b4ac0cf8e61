import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anywhere, contradictionsOf, type Targeting } from '#proxies/grammar'
import { findPreset, presets, upstreamLogin, type Preset } from './presets.ts'

/**
 * The grammars that the vendors document, written independently of the presets: the whole login, as the
 * vendor's page shows it.
 */
const grammars: Record<string, RegExp> = {
  bright_data:
    /^brd-customer-\w+-zone-\w+(-country-[a-z]{2}(-state-[a-z]{2})?(-city-[a-z0-9]+)?(-zip-[a-z0-9]+)?)?(-asn-\d+)?(-session-[a-z0-9]{16})?:[^:]+$/,
  dataimpulse:
    /^[A-Za-z0-9]+(__(?=.)(cr\.[a-z]{2}(,[a-z]{2})*)?(;?state\.[a-z]+)?(;?city\.[a-z0-9]+)?(;?zip\.[a-z0-9]+(,[a-z0-9]+)*)?(;?asn\.\d+(,\d+)*)?(;?noasn\.\d+(,\d+)*)?(;?sessid\.[a-z0-9]{16};sessttl\.([1-9]\d?|1[01]\d|120))?)?:[^:]+$/,
  decodo:
    /^user-\w+(-country-[a-z]{2}(-city-[a-z0-9_]+)?)?(-session-[a-z0-9]{16}-sessionduration-([1-9]|[12]\d|30))?:[^:]+$/,
  evomi: /^\w+:\w+?(_country-[A-Z]{2}(_city-[a-z0-9]+)?)?(_session-[a-z0-9]{10}_lifetime-\d{1,3})?$/,
  geonode:
    /^geonode_\w+(-country-[a-z]{2}(-city-[a-z0-9]+)?(-zip-[a-z0-9]+)?)?(-asn-\d+)?(-not\.asn-\d+(,\d+)*)?(-session-[A-Za-z0-9_]{1,25}-lifetime-([3-9]|\d{2,4}))?:[^:]+$/,
  infatica: /^[A-Za-z0-9]+(_c_[A-Z]{2})?(_s_[a-z0-9]+)?:[^:]+$/,
  iproyal:
    /^\w+:\w+?(_country-[a-z]{2}(_state-[a-z]+)?(_city-[a-z0-9]+)?)?(_session-[a-z0-9]{8}_lifetime-([1-9]m|[1-5]\dm|[1-9]h|\d{2}h|1[0-6]\dh))?$/,
  nodemaven:
    /^\w+(-country-[a-z]{2}(-region-[a-z_]+)?(-city-[a-z0-9_]+)?)?(-sid-[a-z0-9]{13}-ttl-\d+m)?:[^:]+$/,
  oxylabs:
    /^customer-\w+(-cc-[A-Z]{2}(-st-us_[a-z_]+)?(-city-[a-z0-9_]+)?)?(-sessid-[a-z0-9]{16}-sesstime-\d{1,4})?:[^:]+$/,
  packetstream: /^\w+:\w+?(_country-[A-Za-z]+)?(_session-[a-z0-9]{8})?$/,
  proxy_seller:
    /^[A-Za-z0-9]+(_c_[A-Z]{2}(_city_[A-Z0-9][a-z0-9]*(-[A-Z0-9][a-z0-9]*)*)?)?(_asn_\d+)?(_s_[1-9]\d{8}_ttl_\d{2,4}s)?:[^:]+$/,
  soax: /^(country-[a-z]{2}(-city-[a-z0-9_]+)?):[^:]+$/,
  soax_packages:
    /^package-\d+(-country-[a-z]{2}(-region-[a-z+]+)?(-city-[a-z0-9+]+)?)?(-sessionid-[a-z0-9]{16}-sessionlength-\d{2,4})?:[^:]+$/,
  thordata:
    /^td-customer-\w+(-country-[a-z]{2}(-state-[a-z]+)?(-city-[a-z0-9]+)?(-asn-AS\d+)?)?(-sessid-[a-z0-9]{12}-sesstime-([1-8]?\d|90))?:[^:]+$/,
  webshare: /^[A-Za-z0-9]+(-[a-z]{2})*(-city_[a-z0-9_]+)?-(rotate|[1-9]\d{8}):[^:]+$/,
}

const account = (preset: Preset) => ({
  username: preset.username?.example ?? null,
  password: 'secretkey',
  options: {},
})
const once = { key: 'once', minutes: null }
const written = (
  preset: Preset,
  parts: Partial<Targeting>,
  session = once as { key: string; minutes: number | null },
) => {
  const login = upstreamLogin(preset, account(preset), { ...anywhere(), ...parts }, session)
  return login === null ? null : `${login.username}:${login.password}`
}
const named = (name: string): Preset => {
  const preset = findPreset(name)
  if (preset === undefined) throw new Error(name)
  return preset
}

const states = ['us_ca', 'us_ny', 'us_nh', 'de_be', 'gb_eng']
const cities = [
  'us_ny_new_york',
  'us_ca_los_angeles',
  'us_me_portland',
  'de_be_berlin',
  'sg_singapore',
  'hk_tsuen_wan',
  'br_rj_rio_de_janeiro',
]
const some = <T>(values: readonly T[], most: number) =>
  fc.uniqueArray(fc.constantFrom(...values), { maxLength: most })
const places = fc
  .record({
    countries: some(['us', 'de', 'gb', 'sg', 'hk', 'br'], 3),
    states: some(states, 2),
    cities: some(cities, 2),
    zips: some(['10001', '90001', 'sw1a', 'sw1a_1aa'], 2),
    asns: some([7922, 3320, 4_294_967_295], 2),
    excludedAsns: some([16509, 14061], 2),
  })
  .map((parts): Targeting => ({ ...anywhere(), ...parts }))
  .filter((targeting) => contradictionsOf(targeting).length === 0)
const sessions = fc.record({
  key: fc.string({ maxLength: 40 }),
  minutes: fc.option(fc.integer({ min: 1, max: 10_000 })),
})

describe('a login at an upstream seller', () => {
  it('has a grammar in this test for every preset', () => {
    expect(presets.map(({ name }) => name).toSorted()).toEqual(Object.keys(grammars).toSorted())
    for (const preset of presets) {
      expect(preset.username?.pattern.test(preset.username.example) ?? true, preset.name).toBe(true)
      for (const rule of preset.errors)
        expect(rule.status !== undefined || rule.word !== undefined).toBe(true)
    }
  })

  it.each(presets.map((preset) => [preset.name, preset] as const))(
    'obeys the grammar of %s, fits into SOCKS5, and names everything requested',
    (name, preset) => {
      fc.assert(
        fc.property(places, sessions, (targeting, session) => {
          const login = upstreamLogin(preset, account(preset), targeting, session)
          if (login === null) return
          const { username, password } = login
          expect(`${username}:${password}`).toMatch(grammars[name] ?? /never/)
          expect(Math.max(Buffer.byteLength(username), Buffer.byteLength(password))).toBeLessThanOrEqual(255)
          // Nothing is left out: every level of the request and the session are in the login.
          const bare = upstreamLogin(preset, account(preset), anywhere(), once)
          const { countries, states: inStates, cities: inCities, zips, asns, excludedAsns } = targeting
          const levels = [
            countries.length + inStates.length + inCities.length,
            zips.length,
            asns.length,
            excludedAsns.length,
          ]
          const asked = levels.filter((count) => count > 0).length + (session.minutes === null ? 0 : 1)
          if (asked > 0) expect(login).not.toEqual(bare)
          if (zips.length > 0) expect(zips.some((zip) => username.includes(zip))).toBe(true)
          if (asns.length > 0)
            expect(asns.some((asn) => `${username}${password}`.includes(String(asn)))).toBe(true)
          for (const asn of excludedAsns) expect(username).toContain(String(asn))
          // The same request yields the same login, on every gateway.
          expect(upstreamLogin(preset, account(preset), targeting, session)).toEqual(login)
        }),
        { numRuns: 400 },
      )
    },
  )

  it('is written as the vendors show it', () => {
    const session = { key: 'k', minutes: 30 }
    const inCity = { countries: ['us'], states: ['us_ny'], cities: ['us_ny_new_york'] }
    expect(written(named('bright_data'), inCity)).toBe(
      'brd-customer-hl_1a2b3c4d-zone-residential-country-us-state-ny-city-newyork:secretkey',
    )
    expect(written(named('oxylabs'), inCity)).toBe(
      'customer-shop-cc-US-st-us_new_york-city-new_york:secretkey',
    )
    expect(written(named('dataimpulse'), { countries: ['us', 'gb'] })).toBe(
      '0a1b2c3d4e5f__cr.us,gb:secretkey',
    )
    expect(
      written(named('dataimpulse'), { ...inCity, zips: ['10001'], asns: [7922], excludedAsns: [1, 2] }),
    ).toBe('0a1b2c3d4e5f__cr.us;state.newyork;city.newyork;zip.10001;asn.7922;noasn.1,2:secretkey')
    expect(written(named('iproyal'), { countries: ['us'] }, { key: 'k', minutes: 90 })).toMatch(
      /^shop:secretkey_country-us_session-[a-z0-9]{8}_lifetime-2h$/,
    )
    expect(written(named('proxy_seller'), { cities: ['br_rj_rio'], asns: [12389] }, session)).toMatch(
      /^shop_c_BR_city_Rio_asn_12389_s_\d{9}_ttl_1800s:secretkey$/,
    )
    expect(written(named('packetstream'), { countries: ['us'] })).toBe('shop:secretkey_country-UnitedStates')
    expect(written(named('webshare'), { countries: ['us', 'fr', 'de'] })).toBe(
      'shop-us-fr-de-rotate:secretkey',
    )
    expect(written(named('soax'), { countries: ['us'] })).toBe('country-us:secretkey')
    expect(
      written(named('thordata'), { countries: ['us'], states: ['us_ny'], asns: [1221] }, session),
    ).toMatch(
      /^td-customer-shop-country-us-state-newyork-asn-AS1221-sessid-[a-z0-9]{12}-sesstime-30:secretkey$/,
    )
    expect(written(named('geonode'), { countries: ['us'] }, { key: 'k', minutes: 1 })).toMatch(/-lifetime-3:/)
  })

  const unsaid: [name: string, parts: Partial<Targeting>, minutes: number | null, what: string][] = [
    ['soax', {}, null, 'no setting at all'],
    ['soax', { countries: ['us'] }, 10, 'a session whose spelling is not known'],
    ['dataimpulse', { countries: ['us'] }, 121, 'a session longer than it lasts'],
    ['thordata', { countries: ['us'] }, 91, 'a session longer than it lasts'],
    ['oxylabs', { asns: [1] }, null, 'a network'],
    ['oxylabs', { countries: ['us'], zips: ['10001'] }, null, 'a zip code'],
    ['decodo', { states: ['us_ny'] }, null, 'a state'],
    ['oxylabs', { states: ['de_be'] }, null, 'a state outside of the United States'],
    ['webshare', { cities: ['us_ny_new_york'] }, null, 'a city of the United States without its state'],
    ['evomi', { cities: ['br_rj_rio_de_janeiro'] }, null, 'a city of several words'],
    ['proxy_seller', { cities: ['br_rj_rio_de_janeiro'] }, null, 'a city whose capitals are not known'],
    ['packetstream', { countries: ['ci'] }, null, 'a country with more than one name'],
    [
      'bright_data',
      { countries: ['us'], states: ['us_ny'], zips: ['10001'] },
      null,
      'levels that exclude each other',
    ],
    ['bright_data', { countries: ['us'], excludedAsns: [1] }, null, 'an excluded network'],
    ['geonode', { countries: ['us'], zips: ['10001'], asns: [7922] }, null, 'what a zip code overrides'],
    ['dataimpulse', { asns: [7922] }, null, 'a network without a country'],
    ['dataimpulse', { countries: ['gb'], zips: ['sw1a_1aa'] }, null, 'a zip code with a blank'],
    [
      'thordata',
      { countries: ['us', 'de'], asns: [3320] },
      null,
      'one of several countries beside a network',
    ],
  ]
  it.each(unsaid)('cannot be expressed at %s: %o for %s minutes (%s)', (name, parts, minutes) => {
    expect(written(named(name), parts, { key: 'k', minutes })).toBeNull()
  })

  it('names one of several places where the seller accepts only one, the same within a session, and only places that it can spell', () => {
    const preset = named('oxylabs')
    const countries = ['us', 'de', 'fr', 'gb']
    const of = (key: string) => written(preset, { countries }, { key, minutes: 10 })?.split('-')[3]
    const chosen = Array.from({ length: 100 }, (_, index) => of(`session ${index}`))
    expect(new Set(chosen)).toEqual(new Set(['US', 'DE', 'FR', 'GB']))
    expect(chosen).toEqual(Array.from({ length: 100 }, (_, index) => of(`session ${index}`)))
    for (let index = 0; index < 20; index++) {
      const key = `session ${index}`
      // The first state cannot be spelled, so the second is always chosen.
      expect(written(preset, { states: ['de_be', 'us_nh'] }, { key, minutes: null })).toBe(
        'customer-shop-cc-US-st-us_new_hampshire:secretkey',
      )
    }
  })

  it('gets every session an address of its own, and another after its minutes have passed', () => {
    for (const preset of presets.filter(({ session }) => session !== null)) {
      const logins = Array.from({ length: 200 }, (_, index) =>
        written(preset, {}, { key: `s${index}`, minutes: 10 }),
      )
      expect(new Set(logins).size, preset.name).toBe(200)
    }
  })

  it('contains the operator’s own options, and no unknown one', () => {
    const preset = named('nodemaven')
    const login = (options: Record<string, string>) =>
      upstreamLogin(preset, { ...account(preset), options }, anywhere(), once)?.username
    expect(login({ filter: 'medium', type: 'mobile' })).toBe('shop-filter-medium-type-mobile')
    expect(login({ filter: 'best' })).toBeUndefined()
    expect(login({ constructor: 'x' })).toBeUndefined()
  })
})
