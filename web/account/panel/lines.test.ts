import { describe, expect, it } from 'vitest'
import { getProxyInput, splitLines } from './lines.ts'
import { defaultSettings } from './settings.ts'

describe('splitLines', () => {
  it('accepts any line ending and drops blank lines', () => {
    expect(splitLines('a:1\nb:2\r\n\r\nc:3\r')).toEqual(['a:1', 'b:2', 'c:3'])
    expect(splitLines('')).toEqual([])
    expect(splitLines('\n \n')).toEqual([])
  })
})

describe('getProxyInput', () => {
  it('sends empty lists as null and the defaults unchanged', () => {
    expect(getProxyInput(defaultSettings)).toEqual({
      anonymous: 'true',
      type: 'rotating',
      protocol: 'https',
      format: 'login:password:hostname:port',
      quantity: 0,
      sessionttl: 0,
      pool: 'residential',
      region: 'eur',
      countries: null,
      states: null,
      cities: null,
      zipcodes: null,
      included_asns: null,
      excluded_asns: null,
    })
  })
  it('sends codes and numbers, not names', () => {
    const input = getProxyInput({
      ...defaultSettings,
      countries: [{ code: 'us', name: 'United States' }],
      states: [{ code: 'tx', name: 'Texas', country_code: 'us' }],
      excluded_asn: [{ asn: 15169, name: 'Google' }],
    })
    expect(input).toMatchObject({ countries: ['us'], states: ['tx'], excluded_asns: [15169] })
  })
})
