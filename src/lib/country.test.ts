import { describe, expect, it } from 'vitest'
import { countryCode } from './country.ts'

describe('the code of a country', () => {
  it.each([
    ['DE', 'DE'],
    ['de', 'DE'],
    [' gb ', 'GB'],
    ['XK', 'XK'],
    ['XX', null],
    ['T1', null],
    ['EU', null],
    ['UK', null],
    ['', null],
    ['DE, FR', null],
    ['Germany', null],
  ])('%j is %j', (text, code) => expect(countryCode(text)).toBe(code))
})
