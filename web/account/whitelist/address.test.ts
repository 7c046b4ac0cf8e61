import { describe, expect, it } from 'vitest'
import { ipv4Seen, isIpv4, plainIpv4 } from './address.ts'

describe('isIpv4', () => {
  it.each(['203.0.113.7', '0.0.0.0', '255.255.255.255', '001.002.003.004'])('takes %s', (text) =>
    expect(isIpv4(text)).toBe(true),
  )
  it.each([
    '',
    '203.0.113',
    '203.0.113.7.1',
    '203.0.113.256',
    '203.0.113.1000',
    '203.0.113.',
    '203.0.113.x',
    '203.0.113.-1',
    '203. 0.113.7',
    '2001:db8::1',
    '::ffff:203.0.113.7',
    '203.0.113.7/24',
    '１.1.1.1',
  ])('refuses %j', (text) => expect(isIpv4(text)).toBe(false))
})

describe('plainIpv4', () => {
  it('drops leading zeros', () => expect(plainIpv4('203.000.113.007')).toBe('203.0.113.7'))
})

describe('ipv4Seen', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', null],
    ['::1', null],
  ])('%s is %s', (seen, address) => expect(ipv4Seen(seen)).toBe(address))
})
