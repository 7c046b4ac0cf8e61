import { describe, expect, it } from 'vitest'
import { withNames } from './place-names.ts'
import { defaultSettings } from './settings.ts'

const settings = {
  ...defaultSettings,
  states: [{ code: 'us_ca', name: 'Калифорния', country_code: 'us' }],
  cities: [
    { code: 'us_ca_fresno', name: 'Фресно', state_code: 'us_ca', country_code: 'us' },
    { code: 'de_bonn', name: 'Бонн', state_code: null, country_code: 'de' },
  ],
}

describe('withNames', () => {
  it('takes names from the lists and keeps those of places not in the lists', () => {
    const named = withNames(settings, {
      states: { data: [{ code: 'us_ca', name: 'California', country_code: 'us', count: 1 }] },
      cities: {
        data: [{ code: 'us_ca_fresno', name: 'Fresno', state_code: 'us_ca', country_code: 'us', count: 1 }],
      },
    })
    expect(named.states[0]?.name).toBe('California')
    expect(named.cities.map((city) => city.name)).toEqual(['Fresno', 'Бонн'])
  })
  it('changes nothing while the lists load', () => {
    expect(withNames(settings, { states: { data: undefined }, cities: { data: undefined } })).toEqual(
      settings,
    )
  })
})
