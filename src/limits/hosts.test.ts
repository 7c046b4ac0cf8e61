import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HostRules, readHostPattern, trackerHosts } from './hosts.ts'

const labelOf = (length: number) =>
  fc
    .array(fc.constantFrom(...'abcxyz019'), { minLength: 1, maxLength: length })
    .map((letters) => letters.join(''))
const name = fc
  .tuple(fc.array(labelOf(6), { minLength: 1, maxLength: 3 }), fc.constantFrom('com', 'net', 'co', 'example'))
  .map(([labels, last]) => [...labels, last].join('.'))
const below = fc.tuple(labelOf(4), name).map(([label, parent]) => `${label}.${parent}`)

const rules = (lists: Partial<ConstructorParameters<typeof HostRules>[0]>) =>
  new HostRules({ allowed_hosts: [], denied_hosts: [], data_saver: false, ...lists })

describe('a pattern', () => {
  it('has one canonical spelling, which is itself a pattern', () => {
    fc.assert(
      fc.property(name, fc.boolean(), fc.boolean(), (host, starred, dotted) => {
        const written = `${starred ? '*.' : ''}${host.toUpperCase()}${dotted ? '.' : ''}`
        const read = readHostPattern(written)
        expect(read).toBe(`${starred ? '*.' : ''}${host}`)
        expect(readHostPattern(read ?? '')).toBe(read)
      }),
    )
  })

  it.each([
    [' Example.COM ', 'example.com'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['*.münchen.de', '*.xn--mnchen-3ya.de'],
    ['192.0.2.7', '192.0.2.7'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['localhost', 'localhost'],
  ])('reads %j as %j', (written, read) => {
    expect(readHostPattern(written)).toBe(read)
  })

  it.each([
    '',
    ' ',
    '*',
    '*.',
    '*.*.com',
    'a.*.com',
    'exa mple.com',
    'http://example.com',
    'example.com/path',
    'example.com:80',
    'user@example.com',
    'example..com',
    '.example.com',
    '-a.example',
    '1.2.3',
    '1.2.3.256',
    '*.1.2.3.4',
    'a'.repeat(64),
    `${'a'.repeat(60)}.`.repeat(5),
    'exam%70le.com',
  ])('is not %j', (written) => {
    expect(readHostPattern(written)).toBeNull()
  })

  it('is parsed without an exception, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const read = readHostPattern(text)
        if (read !== null) expect(readHostPattern(read)).toBe(read)
      }),
    )
  })
})

describe('a host is refused', () => {
  it('by its exact name, and no parent, child or sibling of it is', () => {
    fc.assert(
      fc.property(name, below, (denied, host) => {
        const judged = rules({ denied_hosts: [denied] })
        expect(judged.faultOf(denied)).toBe('denied')
        expect(judged.faultOf(`www.${denied}`)).toBeNull()
        expect(judged.faultOf(`x${denied}`)).toBeNull()
        expect(judged.faultOf(host)).toBe(host === denied ? 'denied' : null)
      }),
    )
  })

  it('by *.name exactly when it is below that name', () => {
    fc.assert(
      fc.property(name, name, (suffix, host) => {
        const fault = rules({ denied_hosts: [`*.${suffix}`] }).faultOf(host)
        expect(fault).toBe(host.endsWith(`.${suffix}`) ? 'denied' : null)
      }),
    )
  })

  it('when others are allowed and it is not', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), name, (allowed, host) => {
        const judged = rules({ allowed_hosts: allowed })
        expect(judged.faultOf(host)).toBe(allowed.includes(host) ? null : 'not_allowed')
      }),
    )
  })

  it('when it is denied, even if it is allowed too', () => {
    const both = rules({ allowed_hosts: ['*.example.com'], denied_hosts: ['ads.example.com'] })
    expect(both.faultOf('www.example.com')).toBeNull()
    expect(both.faultOf('ads.example.com')).toBe('denied')
  })

  it('as an address by that address only', () => {
    const judged = rules({ denied_hosts: ['192.0.2.7', '*.2.7', '*.7', '2001:db8::1'] })
    expect(judged.faultOf('192.0.2.7')).toBe('denied')
    expect(judged.faultOf('2001:db8::1')).toBe('denied')
    expect(judged.faultOf('10.0.2.7')).toBeNull()
  })
})

describe('the data saver', () => {
  it('blocks the hosts of the list and those below them, unless they are allowed', () => {
    const saver = rules({ data_saver: true })
    for (const host of [
      'doubleclick.net',
      'stats.g.doubleclick.net',
      'www.google-analytics.com',
      'mc.yandex.ru',
    ])
      expect(saver.faultOf(host)).toBe('data_saver')
    for (const host of ['example.com', 'notdoubleclick.net', 'net', 'google.com', 'yandex.ru', '192.0.2.1'])
      expect(saver.faultOf(host)).toBeNull()
    expect(rules({}).faultOf('doubleclick.net')).toBeNull()
    const allowing = rules({ data_saver: true, allowed_hosts: ['*.doubleclick.net', 'example.com'] })
    expect(allowing.faultOf('ad.doubleclick.net')).toBeNull()
  })

  it('has a sorted list of canonical names, none of which covers another', () => {
    const lines = [...trackerHosts()]
    expect(lines.length).toBeGreaterThan(300)
    expect(lines).toEqual(lines.toSorted())
    for (const line of lines) {
      expect(readHostPattern(line)).toBe(line)
      const above = line
        .split('.')
        .slice(1)
        .map((_, index, labels) => labels.slice(index).join('.'))
      expect(above.filter((host) => trackerHosts().has(host))).toEqual([])
    }
  })
})
