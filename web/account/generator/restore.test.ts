import { describe, expect, it } from 'vitest'
import { restoreFrom } from './restore.ts'
import { storedOf } from './wish.ts'

const offered = {
  countries: [{ code: 'DE', name: 'Germany', count: 5 }],
  states: [{ code: 'de_be', name: 'Berlin', count: 2, country_code: 'DE' }],
  cities: [{ code: 'de_be_berlin', name: 'Berlin', count: 2, state_code: 'de_be', country_code: 'DE' }],
  asns: [{ asn: 3320, name: 'Telekom', count: 1 }],
  zipcodes: [{ code: '10115', name: '10115', count: 1 }],
  users: [{ number: 2 }],
}
const settings = {
  anonymous: 'false',
  type: 'sticky',
  protocol: 'socks5',
  format: 'login:password@hostname:port',
  quantity: 5,
  sessionttl: 30,
  countries: ['de'],
  states: ['de_be'],
  cities: ['de_be_berlin'],
  zipcodes: ['10115'],
  included_asns: [3320],
  excluded_asns: null,
  region: 'usa',
  proxy_user: 2,
} as const
const preset = (more: object = {}) => ({ pool: 'mobile', settings: { ...settings, ...more } }) as never

describe('restoreFrom', () => {
  it('returns what was stored', () => {
    const restored = restoreFrom(preset(), offered)
    expect(restored).toMatchObject({ missing: [], isUserGone: false, proxyUser: 2 })
    expect(storedOf(restored)).toEqual({
      ...settings,
      countries: ['DE'],
    })
  })
  it('omits and names what is not offered', () => {
    const lost = {
      countries: ['de', 'fr'],
      states: ['fr_idf'],
      included_asns: ['AS3215', 3320],
      proxy_user: 9,
    }
    const restored = restoreFrom(preset(lost), offered)
    expect(restored).toMatchObject({ missing: ['FR', 'fr_idf', 'AS3215'], isUserGone: true, proxyUser: null })
    expect(restored.settings.countries).toEqual([{ code: 'DE', name: 'Germany' }])
    expect(restored.settings.included_asn).toEqual([{ asn: 3320, name: 'Telekom' }])
  })
})
