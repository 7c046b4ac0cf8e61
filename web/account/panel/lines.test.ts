import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getProxyInput, parseLine, splitLines } from './lines.ts'
import { defaultSettings, proxyFormats } from './settings.ts'

describe('splitLines', () => {
  it('takes any line end and drops blank lines', () => {
    expect(splitLines('a:1\nb:2\r\n\r\nc:3\r')).toEqual(['a:1', 'b:2', 'c:3'])
    expect(splitLines('')).toEqual([])
    expect(splitLines('\n \n')).toEqual([])
  })
})

describe('getProxyInput', () => {
  it('sends empty lists as null and the defaults as they are', () => {
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

describe('parseLine', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/)
  const host = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,30}$/)
  it('reads back every format', () => {
    fc.assert(
      fc.property(
        word,
        word,
        host,
        fc.integer({ min: 1, max: 65_535 }),
        (login, password, hostname, port) => {
          for (const format of proxyFormats) {
            const line = format.replace(/login|password|hostname|port/g, (part) =>
              String({ login, password, hostname, port }[part]),
            )
            const credentials = format === 'hostname:port' ? null : { login, password }
            expect(parseLine(line, format)).toEqual({ host: hostname, port: String(port), credentials })
          }
        },
      ),
    )
  })
  it('refuses a line of another shape', () => {
    expect(parseLine('hello', 'hostname:port')).toBeNull()
    expect(parseLine('a.example:20000', 'login:password@hostname:port')).toBeNull()
  })
})
