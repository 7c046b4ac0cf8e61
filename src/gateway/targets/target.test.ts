import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatIp, parseIp } from '#lib/ip'
import { ProxyRefusal } from '../responses/refusal.ts'
import { staticNames } from '../testing/names.ts'
import { parseAllow } from './allow.list.ts'
import { resolveTarget, type TargetRules } from './rules.ts'
import { parseAuthority } from './target.ts'

const names: Record<string, string[]> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07::1'],
  'private.example': ['10.0.0.7'],
  'mixed.example': ['93.184.215.14', '::1'],
  'metadata.example': ['169.254.169.254'],
}

function rules(allow = '', refusePorts = [25, 465, 587]): TargetRules & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    allow: parseAllow(allow),
    refusePorts,
    names: staticNames((name) => {
      asked.push(name)
      return names[name]
    }),
  }
}

async function outcome(authority: string, given = rules()): Promise<string> {
  try {
    return (await resolveTarget(parseAuthority(authority, 80), given, { account: 1n }))
      .map(formatIp)
      .join(' ')
  } catch (fault) {
    if (fault instanceof ProxyRefusal) return `${fault.parts.status} ${fault.parts.code}`
    throw fault
  }
}

describe('a target', () => {
  it('in any forbidden spelling is refused without being resolved', async () => {
    const spellings = [
      '169.254.169.254',
      '0xa9fea9fe',
      '0251.0376.0251.0376',
      '169.254.43518',
      '169.254.169.254.',
      '[::ffff:a9fe:a9fe]',
      '[::169.254.169.254]',
      '[64:ff9b:1::a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[2001:0:a9fe:a9fe::1]',
      '[2002:a9fe:a9fe::]',
      '[fd00:ec2::254]',
      '[fc00::1]',
      '[::]',
      '100.100.100.200',
      '192.0.0.192',
      '169.254.20.10',
      '172.16.0.1',
      '192.168.1.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '0',
      '127.2',
      '2130706434',
      '[::ffff:7f00:2]',
      '[::1]',
      '127.0.0.1',
      '0x7f.1',
      '017700000001',
      '0x0',
      '10.1',
      '[fe80::1]',
      '[ff02::1]',
      '[::FFFF:127.0.0.1]',
      '0X7F000001',
      '127.0.0.1.',
      '[0:0:0:0:0:ffff:7f00:1]',
    ]
    for (const spelling of spellings) {
      const given = rules()
      expect(await outcome(`${spelling}:80`, given), spelling).toBe('403 target_forbidden')
      expect(given.asked, spelling).toEqual([])
    }
  })

  it('that is not a valid host is refused', async () => {
    const malformed = [
      '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
      '%31%36%39.254.169.254',
      '[fe80::1%eth0]',
      'a b',
      'a_\0',
      '',
      '-a.example',
      'a-.example',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(127)}aa`,
      '1.2.3.4.5',
      '256.1.1.1',
      'example.0x7f',
      '..',
      'a..b',
      '[1.2.3.4]',
      '[::1',
      '::1',
      'ex%61mple',
      'exämple',
      '127.0.0.1\0.example',
      '08.1.1.1',
    ]
    for (const host of malformed)
      await expect(
        () =>
          outcome(`${host}:80`).then((text) => {
            if (text.startsWith('4')) throw new Error(text)
            return text
          }),
        JSON.stringify(host),
      ).rejects.toThrow(/bad_target/)
  })

  it('is reached at the addresses that were judged, all of them public', async () => {
    expect(await outcome('Public.Example.:443')).toBe('93.184.215.14 2606:2800:21f:cb07::1')
    expect(await outcome('1.1.1.1')).toBe('1.1.1.1')
    expect(await outcome('[2606:4700::1]:8080')).toBe('2606:4700::1')
    expect(await outcome('private.example:80')).toBe('403 target_forbidden')
    expect(await outcome('metadata.example:80')).toBe('403 target_forbidden')
    expect(await outcome('mixed.example:80')).toBe('403 target_forbidden')
    expect(await outcome('nowhere.example:80')).toBe('502 dns_error')
  })

  it('is refused on the ports of mail', async () => {
    for (const port of [25, 465, 587])
      expect(await outcome(`public.example:${port}`)).toBe('403 port_forbidden')
    expect(await outcome('public.example:25', rules('public.example:25'))).toContain('93.')
  })

  it('is never a private address, for any number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 0n, max: 0xffffffffn }), async (value) => {
        const dotted = formatIp({ family: 4, value })
        const spellings = [String(value), `0x${value.toString(16)}`, dotted, `[::ffff:${dotted}]`]
        const outcomes = new Set(await Promise.all(spellings.map((spelling) => outcome(`${spelling}:80`))))
        expect(outcomes.size).toBe(1)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the list of exceptions', () => {
  it('contains hosts, addresses and ranges, at one port or all ports', async () => {
    const given = () => rules('private.example:8080, 127.0.0.1:3000, 10.0.0.0/8, [fc00::1]:80, localhost')
    expect(await outcome('private.example:80', given())).toBe('10.0.0.7')
    expect(await outcome('127.1:3000', given())).toBe('127.0.0.1')
    expect(await outcome('127.1:3001', given())).toBe('403 target_forbidden')
    expect(await outcome('[fc00::1]:80', given())).toBe('fc00::1')
    expect(await outcome('[fc00::1]:81', given())).toBe('403 target_forbidden')
    expect(await outcome('private.example:8080', rules('private.example:8080'))).toBe('10.0.0.7')
    expect(await outcome('private.example:8081', rules('private.example:8080'))).toBe('403 target_forbidden')
    expect(parseAllow(' , ')).toEqual([])
    expect(parseAllow('[::1]')).toEqual([{ cidr: { ip: parseIp('::1'), prefix: 128 }, port: null }])
  })

  it('names its invalid part', () => {
    for (const bad of ['a b', 'a:0', 'a:b', '10.0.0.0/40', 'http://a', '[::1']) {
      expect(() => parseAllow(`a.example, ${bad}`), bad).toThrow(
        new RegExp(`"${bad.replace(/[[\]/]/g, '\\$&')}"`),
      )
    }
  })
})
