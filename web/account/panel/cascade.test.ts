import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  multiplierOfSettings,
  withCities,
  withCountries,
  withExcludedAsns,
  withIncludedAsns,
  withStates,
  withZipcodes,
} from './cascade.ts'
import { defaultSettings, type Settings } from './settings.ts'

const us = { code: 'us', name: 'United States' }
const de = { code: 'de', name: 'Germany' }
const texas = { code: 'tx', name: 'Texas', country_code: 'us' }
const ohio = { code: 'oh', name: 'Ohio', country_code: 'us' }
// The same code as Texas in another country: states are identified by both.
const german = { code: 'tx', name: 'Another', country_code: 'de' }
const austin = { code: 'austin', name: 'Austin', state_code: 'tx', country_code: 'us' }
const dayton = { code: 'dayton', name: 'Dayton', state_code: 'oh', country_code: 'us' }
const berlin = { code: 'berlin', name: 'Berlin', state_code: 'tx', country_code: 'de' }
const bonn = { code: 'bonn', name: 'Bonn', state_code: null, country_code: 'de' }
const google = { asn: 15169, name: 'Google' }
const comcast = { asn: 7922, name: 'Comcast' }

const full: Settings = {
  ...defaultSettings,
  countries: [us, de],
  states: [texas, ohio, german],
  cities: [austin, dayton, berlin, bonn],
  zipcodes: ['73301'],
  included_asn: [google],
  excluded_asn: [comcast],
}

describe('the selection cascade', () => {
  it('removing a country removes its states and cities', () => {
    const left = withCountries(full, [de])
    expect(left.states).toEqual([german])
    expect(left.cities).toEqual([berlin, bonn])
    expect(left.zipcodes).toEqual(['73301'])
  })

  it('removing the last country removes everything that needs one', () => {
    const left = withCountries(full, [])
    expect(left).toEqual({ ...defaultSettings, countries: [] })
  })

  it('adding a country changes nothing else', () => {
    const japan = { code: 'jp', name: 'Japan' }
    expect(withCountries(full, [us, de, japan])).toEqual({ ...full, countries: [us, de, japan] })
  })

  it('removing a state removes its cities, identified by state and country', () => {
    const left = withStates(full, [ohio, german])
    expect(left.cities).toEqual([dayton, berlin, bonn])
  })

  it('adding a state removes no cities', () => {
    const start = withCities({ ...full, states: [] }, [dayton, bonn])
    expect(withStates(start, [texas]).cities).toEqual([dayton, bonn])
  })

  it('never leaves a state or city of a country that is not chosen', () => {
    fc.assert(
      fc.property(fc.subarray([us, de]), fc.subarray([texas, ohio, german]), (countries, states) => {
        const left = withStates(
          withCountries(full, countries),
          states.filter((state) => countries.some((c) => c.code === state.country_code)),
        )
        const codes = new Set(left.countries.map((country) => country.code))
        expect([...left.states, ...left.cities].every((place) => codes.has(place.country_code))).toBe(true)
      }),
    )
  })

  it('trims zip codes and drops blank ones and duplicates', () => {
    expect(withZipcodes(full, [' 10001 ', '', '  ', '10001', '94105']).zipcodes).toEqual(['10001', '94105'])
  })

  it('an ASN is included or excluded, whichever was chosen last', () => {
    expect(withExcludedAsns(full, [comcast, google])).toMatchObject({
      included_asn: [],
      excluded_asn: [comcast, google],
    })
    expect(withIncludedAsns(full, [comcast])).toMatchObject({ included_asn: [comcast], excluded_asn: [] })
  })
})

describe('the tariff of settings', () => {
  it('is single for countries and excluded ASNs', () => {
    expect(multiplierOfSettings({ ...defaultSettings, countries: [us], excluded_asn: [google] })).toBe(1)
  })
  it.each([{ states: [texas] }, { cities: [bonn] }, { zipcodes: ['10001'] }, { included_asn: [google] }])(
    'is double for %o',
    (named) => expect(multiplierOfSettings({ ...defaultSettings, countries: [us], ...named })).toBe(2),
  )
})
