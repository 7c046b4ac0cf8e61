import { describe, expect, it } from 'vitest'
import { defaultSettings, type Settings } from './settings.ts'
import { matchingAddresses, unusedCountries } from './matching.ts'

const us = { code: 'us', name: 'USA' }
const de = { code: 'de', name: 'Germany' }
const california = { code: 'us_ca', name: 'California', country_code: 'us' }
const losAngeles = {
  code: 'us_ca_los_angeles',
  name: 'Los Angeles',
  state_code: 'us_ca',
  country_code: 'us',
}
const att = { asn: 7018, name: 'AT&T' }
const offered = {
  countries: [
    { code: 'us', count: 100 },
    { code: 'de', count: 50 },
    { code: 'fr', count: 5 },
  ],
  states: [{ code: 'us_ca', count: 40 }],
  cities: [{ code: 'us_ca_los_angeles', count: 30 }],
  zipcodes: [{ code: '90001', count: 7 }],
  asns: [{ asn: 7018, count: 12 }],
}
const chosen = (some: Partial<Settings>): Settings => ({ ...defaultSettings, ...some })

describe('matching addresses', () => {
  it.each<[Partial<Settings>, number, boolean]>([
    [{}, 155, false],
    [{ countries: [us, de] }, 150, false],
    [{ countries: [us, de], states: [california] }, 40, false],
    [{ countries: [us], states: [california], cities: [losAngeles] }, 30, false],
    [{ countries: [us], zipcodes: ['90001'] }, 7, false],
    [{ countries: [us], included_asn: [att] }, 12, false],
    [{ countries: [us], excluded_asn: [att] }, 88, false],
    [{ countries: [us], zipcodes: ['90001'], included_asn: [att] }, 7, true],
  ])('of %j are %d', (some, addresses, isAtMost) => {
    expect(matchingAddresses(chosen(some), offered)).toEqual({ addresses, isAtMost })
  })

  it('are not known before the lists that they depend on', () => {
    expect(matchingAddresses(chosen({}), {})).toBeNull()
    const { zipcodes: _none, ...others } = offered
    expect(matchingAddresses(chosen({ countries: [us], zipcodes: ['90001'] }), others)).toBeNull()
  })
})

it('a country is unused when states or cities are chosen in others alone', () => {
  expect(unusedCountries(chosen({ countries: [us, de] }))).toEqual([])
  expect(unusedCountries(chosen({ countries: [us, de], states: [california] }))).toEqual([de])
  expect(unusedCountries(chosen({ countries: [us, de], cities: [losAngeles] }))).toEqual([de])
  expect(unusedCountries(chosen({ countries: [us], states: [california] }))).toEqual([])
})
