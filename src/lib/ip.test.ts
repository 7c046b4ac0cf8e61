import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalIp,
  contains,
  embeddedIpv4,
  formatIp,
  isPublic,
  isWithin,
  networksOf,
  parseCidr,
  parseIp,
  parseIpAnySpelling,
  siteOf,
  type Ip,
} from './ip.ts'

const four = fc.bigInt({ min: 0n, max: 0xffff_ffffn }).map((value): Ip => ({ family: 4, value }))
const six = fc
  .oneof(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), fc.constantFrom(0n, 1n, 0xffffn << 112n, 1n << 64n))
  .filter((value) => value >> 32n !== 0xffffn)
  .map((value): Ip => ({ family: 6, value }))

function need<T>(value: T | null): T {
  if (value === null) throw new Error('expected a value')
  return value
}

describe('addresses', () => {
  it('are printed and parsed back to themselves, in a spelling that Node accepts as well', () => {
    fc.assert(
      fc.property(fc.oneof(four, six), (ip) => {
        const text = formatIp(ip)
        expect(parseIp(text)).toEqual(ip)
        expect(isIP(text)).toBe(ip.family)
      }),
    )
  })

  it('are parsed exactly where Node accepts them, except zones', () => {
    const char = fc.constantFrom(...'0123456789abcf:.'.split(''))
    const text = fc.oneof(
      fc.string({ unit: char, maxLength: 20 }),
      fc
        .array(fc.constantFrom('1', 'ffff', '', '1.2.3.4', '0'), { maxLength: 9 })
        .map((parts) => parts.join(':')),
    )
    fc.assert(
      fc.property(text, (candidate) => {
        expect(parseIp(candidate) !== null).toBe(isIP(candidate) !== 0)
      }),
      { numRuns: 2000 },
    )
  })

  it('have one canonical spelling', () => {
    expect(canonicalIp('::ffff:1.2.3.4')).toBe('1.2.3.4')
    expect(canonicalIp('::FFFF:102:304')).toBe('1.2.3.4')
    expect(canonicalIp('2001:DB8:0:0:1:0:0:1')).toBe('2001:db8::1:0:0:1')
    expect(canonicalIp('::')).toBe('::')
    for (const bad of [
      '',
      '1.2.3',
      '01.2.3.4',
      '256.1.1.1',
      '1::2::3',
      ':::',
      'fe80::1%eth0',
      '1:2:3:4:5:6:7',
      'x',
    ]) {
      expect(canonicalIp(bad), bad).toBeNull()
    }
  })

  it('are parsed in every spelling of inet_aton', () => {
    const same = [
      '127.0.0.1',
      '127.1',
      '127.0.1',
      '0x7f000001',
      '0x7f.1',
      '0177.0.0.01',
      '2130706433',
      '017700000001',
    ]
    for (const text of same) expect(parseIpAnySpelling(text), text).toEqual({ family: 4, value: 0x7f000001n })
    expect(parseIpAnySpelling('0')).toEqual({ family: 4, value: 0n })
    for (const bad of ['', '1.2.3.4.5', '256.1', '08.1.1.1', '4294967296', '1..2', 'a.b']) {
      expect(parseIpAnySpelling(bad), bad).toBeNull()
    }
  })

  it('are matched by ranges', () => {
    fc.assert(
      fc.property(six, fc.nat(128), (ip, prefix) => {
        const cidr = need(parseCidr(`${formatIp(ip)}/${prefix}`))
        expect(contains(cidr, ip)).toBe(true)
        if (prefix > 0) {
          const flipped: Ip = { family: 6, value: ip.value ^ (1n << BigInt(128 - prefix)) }
          expect(contains(cidr, flipped)).toBe(false)
        }
      }),
    )
    expect(contains(need(parseCidr('::ffff:10.0.0.0/104')), need(parseIp('10.9.9.9')))).toBe(true)
    for (const bad of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '::/129', 'x/8', '1.2.3.4/08']) {
      expect(parseCidr(bad), bad).toBeNull()
    }
  })
})

describe('the public internet', () => {
  it('does not contain private, reserved or wrapped addresses', () => {
    const refused = [
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '100.100.100.200',
      '127.0.0.2',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.192',
      '192.168.1.1',
      '198.18.0.1',
      '198.19.255.255',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '168.63.129.16',
      '::',
      '::1',
      '::169.254.169.254',
      '::ffff:127.0.0.1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::a9fe:a9fe',
      '100::1',
      '2001:0:a9fe:a9fe::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '3fff::1',
      '5f00::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fec0::1',
      'ff02::1',
      '2a00::5efe:10.0.0.1',
    ]
    for (const text of refused) expect(isPublic(need(parseIp(text))), text).toBe(false)
  })

  it('contains all others', () => {
    const open = [
      '1.1.1.1',
      '8.8.8.8',
      '100.63.255.255',
      '100.128.0.0',
      '172.15.0.1',
      '172.32.0.1',
      '11.0.0.1',
      '223.255.255.255',
      '2606:4700:4700::1111',
      '2a00:1450:4001::1',
      '2001:200::1',
    ]
    for (const text of open) expect(isPublic(need(parseIp(text))), text).toBe(true)
  })

  it('judges a mapped address as the address it wraps', () => {
    fc.assert(
      fc.property(four, (ip) => {
        expect(isPublic({ family: 6, value: (0xffffn << 32n) | ip.value })).toBe(isPublic(ip))
      }),
    )
  })
})

describe('the networks of an address', () => {
  it('are the address itself for IPv4, and its site’s /48 for IPv6', () => {
    expect(siteOf('203.0.113.7')).not.toBe(siteOf('203.0.113.8'))
    expect(siteOf('2001:db8:5:5::1')).toBe(siteOf('2001:db8:5:ffff::9'))
    expect(siteOf('2001:db8:5::1')).not.toBe(siteOf('2001:db8:6::1'))
  })

  it('are nested', () => {
    const levels = (one: string, other: string) => {
      const theirs = networksOf(other)
      return networksOf(one).filter((network, level) => network === theirs[level]).length
    }
    expect(levels('203.0.113.7', '203.0.113.7')).toBe(3)
    expect(levels('203.0.113.7', '203.0.113.8')).toBe(2)
    expect(levels('203.0.113.7', '203.0.114.7')).toBe(1)
    expect(levels('203.0.113.7', '203.1.113.7')).toBe(0)
    expect(levels('2001:db8:5:5::1', '2001:db8:5:5:ffff::2')).toBe(3)
    expect(levels('2001:db8:5:5::1', '2001:db8:5:6::1')).toBe(2)
    expect(levels('2001:db8:5:5::1', '2001:db8:6:5::1')).toBe(1)
    expect(levels('2001:db8:5:5::1', '2001:db9:5:5::1')).toBe(0)
  })

  it('include the first matching range, or none', () => {
    const ranges = ['185.71.76.0/27', '2a02:5180::/32'].map((text) => need(parseCidr(text)))
    const inside = ['185.71.76.31', '::ffff:185.71.76.1', '2a02:5180:0:1509::1']
    const outside = ['185.71.76.32', '2a02:5181::1', 'nobody', '']
    expect(inside.map((text) => isWithin(ranges, text))).toEqual([true, true, true])
    expect(outside.map((text) => isWithin(ranges, text))).toEqual([false, false, false, false])
  })
})

it('an IPv4 address is found in the IPv6 address that wraps it', () => {
  for (const [text, inside] of [
    ['64:ff9b::a00:7', '10.0.0.7'],
    ['64:ff9b:1:2::10.0.0.7', '10.0.0.7'],
    ['::10.0.0.7', '10.0.0.7'],
    ['2002:a00:7::1', '10.0.0.7'],
    ['2606:4700::5efe:a00:7', '10.0.0.7'],
    ['2606:4700::a00:7', null],
    ['10.0.0.7', null],
  ] as const) {
    const found = embeddedIpv4(need(parseIp(text)))
    expect(found === null ? null : formatIp(found), text).toBe(inside)
  }
})
