import { describe, expect, it } from 'vitest'
import { formatIp, parseIp, type Ip } from '#lib/ip'
import { staticNames } from '../testing/names.ts'
import { ProxyRefusal } from '../responses/refusal.ts'
import { parseAllow } from './allow.list.ts'
import { OwnHosts, type OwnServer } from './own.hosts.ts'
import { judgeTarget, lookUpTarget, resolveTarget, type TargetRules } from './rules.ts'
import { NameFault } from './resolver.ts'
import { parseAuthority } from './target.ts'

const exit = (host: string | null, port: number | null, bind_address: string | null = null) => ({
  host,
  port,
  bind_address,
})
const ips = (...texts: string[]) => texts.map((text) => parseIp(text)).filter((ip): ip is Ip => ip !== null)

interface Parts {
  exits?: ReturnType<typeof exit>[]
  servers?: OwnServer[]
  local?: string[]
  names?: Record<string, string[]>
  allow?: string
}

/** Judges authorities among the operator's own hosts. */
async function judge({ exits = [], servers = [], local = [], names = {}, allow = '' }: Parts) {
  let nowMs = 0
  const found = new Map(Object.entries(names))
  const resolver = staticNames((name) => found.get(name))
  const own = new OwnHosts({
    names: resolver,
    servers,
    localAddresses: () => ips(...local),
    now: () => nowMs,
  })
  own.setExits(exits)
  await own.refresh()
  const rules: TargetRules = { allow: parseAllow(allow), refusePorts: [], names: resolver, own }
  const outcome = async (authority: string): Promise<string> => {
    try {
      const reached = await resolveTarget(parseAuthority(authority, 80), rules, { account: 1n })
      return reached.map(formatIp).join(' ')
    } catch (fault) {
      if (fault instanceof ProxyRefusal) return fault.parts.code
      throw fault
    }
  }
  return { own, rules, found, outcome, wait: (ms: number) => (nowMs += ms) }
}

const forbidden = 'target_forbidden'

describe('an exit', () => {
  const names = {
    'exit.test': ['93.184.215.14', '2606:2800:220:1::1'],
    'alias.test': ['93.184.215.14'],
    'six.test': ['1.1.1.1', '2606:2800:220:1::1'],
  }
  const exits = [exit('Exit.Test.', 3128), exit('198.41.0.4', 1080), exit('2001:7fd::1', 8080)]

  it('cannot be reached at its port, in any spelling, by name and by address', async () => {
    const { outcome } = await judge({ exits, names })
    for (const host of [
      'exit.test',
      'EXIT.test.',
      'alias.test',
      'six.test',
      '93.184.215.14',
      '[::ffff:93.184.215.14]',
      '0x5db8d70e',
      '[2606:2800:220:1::1]',
    ])
      expect(await outcome(`${host}:3128`), host).toBe(forbidden)
    for (const host of ['198.41.0.4', '198.2686980', '[::ffff:c629:4]'])
      expect(await outcome(`${host}:1080`), host).toBe(forbidden)
    expect(await outcome('[2001:7fd:0:0::1]:8080')).toBe(forbidden)
  })

  it('is protected at its port only, since its address may serve others', async () => {
    const { outcome } = await judge({ exits, names })
    expect(await outcome('exit.test:443')).toContain('93.184.215.14')
    expect(await outcome('198.41.0.4:3128')).toBe('198.41.0.4')
    expect(await outcome('1.1.1.1:1080')).toBe('1.1.1.1')
  })

  it('is open to an exception that names the port as well, and to no other', async () => {
    const at = 'exit.test:3128'
    for (const allow of [
      'exit.test',
      '93.184.215.14',
      '93.184.0.0/16',
      '0.0.0.0/0',
      'exit.test:80',
      'alias.test:3128',
    ])
      expect(await (await judge({ exits, names, allow })).outcome(at), allow).toBe(forbidden)
    const named = await judge({ exits, names, allow: 'exit.test:3128' })
    expect(await named.outcome(at)).toContain('93.184.215.14')
    expect(await named.outcome('93.184.215.14:3128')).toBe(forbidden)
    const addressed = await judge({ exits, names, allow: '93.184.215.14:3128' })
    expect(await addressed.outcome('93.184.215.14:3128')).toBe('93.184.215.14')
    expect(await addressed.outcome('alias.test:3128')).toBe('93.184.215.14')
  })

  it('is recognised by its name before that is resolved, and by earlier addresses for a day', async () => {
    const { own, outcome, found, rules, wait } = await judge({ names })
    expect(await outcome('alias.test:3128')).toBe('93.184.215.14')
    own.setExits(exits)
    expect(() => judgeTarget(parseAuthority('exit.test:3128', null), rules)).toThrow(forbidden)
    await own.refresh()
    found.set('exit.test', ['93.184.215.15'])
    wait(23 * 3_600_000)
    await own.refresh()
    expect(await outcome('93.184.215.14:3128')).toBe(forbidden)
    expect(await outcome('93.184.215.15:3128')).toBe(forbidden)
    // While the name servers fail, only the last addresses are known.
    found.delete('exit.test')
    wait(3 * 3_600_000)
    await own.refresh()
    expect(await outcome('93.184.215.14:3128')).toBe(forbidden)
    found.set('exit.test', ['93.184.215.15'])
    await own.refresh()
    expect(await outcome('93.184.215.14:3128')).toBe('93.184.215.14')
    own.setExits([])
    expect(await outcome('exit.test:3128')).toBe('93.184.215.15')
  })
})

describe('this machine', () => {
  const local = ['127.0.0.1', '::1', '93.184.215.14', '10.0.0.4', '2606:2800:220:1::1']
  const names = { 'gate.test': ['93.184.215.14'], 'db.test': ['10.0.0.4'] }

  it('cannot be reached at any port by any of its addresses, including public ones', async () => {
    const { outcome } = await judge({ local, names, exits: [exit(null, null, '93.184.215.77')] })
    for (const host of ['gate.test', '93.184.215.14', '[::ffff:93.184.215.14]', '[2606:2800:220:1::1]'])
      for (const port of [22, 443, 20_000]) expect(await outcome(`${host}:${port}`), host).toBe(forbidden)
    // The local address of an exit is this machine's, even when it is on no interface.
    expect(await outcome('93.184.215.77:443')).toBe(forbidden)
    expect(await outcome('93.184.215.15:443')).toBe('93.184.215.15')
  })

  it('is opened by an exception for its address or a name, but not for its network', async () => {
    const wide = await judge({ local, names, allow: '10.0.0.0/8, 127.0.0.0/8' })
    for (const host of ['10.0.0.4', 'db.test', '127.0.0.1', '127.0.0.9']) {
      expect(await wide.outcome(`${host}:80`), host).toBe(forbidden)
    }
    expect(await wide.outcome('10.0.0.5:80')).toBe('10.0.0.5')
    const exact = await judge({ local, names, allow: '10.0.0.4, 127.0.0.1:8080, gate.test' })
    expect(await exact.outcome('db.test:80')).toBe('10.0.0.4')
    expect(await exact.outcome('127.0.0.1:8080')).toBe('127.0.0.1')
    expect(await exact.outcome('127.0.0.1:8081')).toBe(forbidden)
    expect(await exact.outcome('gate.test:443')).toBe('93.184.215.14')
    expect(await exact.outcome('93.184.215.14:443')).toBe(forbidden)
  })

  it('is not opened at the port of an exit on it by an exception for another of its addresses', async () => {
    const exits = [exit('127.0.0.1', 3128)]
    const { outcome } = await judge({ local, exits, allow: '10.0.0.4, 127.0.0.2, ::1, 127.0.0.3:3128' })
    for (const host of ['10.0.0.4', '127.0.0.2', '[::1]', '127.0.0.1', '93.184.215.14'])
      expect(await outcome(`${host}:3128`), host).toBe(forbidden)
    expect(await outcome('10.0.0.4:80')).toBe('10.0.0.4')
    expect(await outcome('127.0.0.3:3128')).toBe('127.0.0.3')
  })

  it('and exits cannot be reached by an exception for the network of a translator that wraps their addresses', async () => {
    const exits = [exit('198.41.0.4', 1080)]
    const { outcome } = await judge({ local, exits, allow: '::/0, 64:ff9b::/96, 2002::/16' })
    for (const host of ['64:ff9b::c629:4', '64:ff9b:1::198.41.0.4', '2002:c629:4::1', '::198.41.0.4'])
      expect(await outcome(`[${host}]:1080`), host).toBe(forbidden)
    for (const host of ['64:ff9b::5db8:d70e', '64:ff9b::127.0.0.1', '2606:4700::5efe:10.0.0.4'])
      expect(await outcome(`[${host}]:80`), host).toBe(forbidden)
    expect(await outcome('[64:ff9b::c629:4]:80')).toBe('64:ff9b::c629:4')
  })

  it('has IPv6 when one of its addresses leads anywhere', async () => {
    for (const [address, has] of [
      ['::1', false],
      ['fe80::1', false],
      ['10.0.0.4', false],
      ['fd00::2', true],
      ['2606:2800:220:1::1', true],
    ] as const)
      expect((await judge({ local: [address] })).own.hasIpv6, address).toBe(has)
  })
})

describe('a server behind the shop', () => {
  const names = { 'db.test': ['10.0.0.9'], 'cloud.test': ['93.184.215.14'], 'pay.test': ['93.184.215.15'] }
  const servers = [
    { host: 'db.test', port: 5432 },
    { host: 'cloud.test', port: 5432 },
    { host: 'pay.test', port: 443, isPublicService: true },
    { host: '10.0.0.10', port: 443, isPublicService: true },
  ]

  it('at a public address is protected at its port, unless it is a public service', async () => {
    const { outcome } = await judge({ servers, names })
    for (const host of ['cloud.test', '93.184.215.14'])
      expect(await outcome(`${host}:5432`), host).toBe(forbidden)
    expect(await outcome('cloud.test:443')).toBe('93.184.215.14')
    expect(await outcome('pay.test:443')).toBe('93.184.215.15')
  })

  it('is protected from the moment in which it replaces another one', async () => {
    const { own, outcome } = await judge({ servers, names: { ...names, 'mail.test': ['93.184.215.16'] } })
    expect(await outcome('mail.test:465')).toBe('93.184.215.16')
    own.setServers([{ host: 'mail.test', port: 465 }])
    await own.refresh()
    expect(await outcome('mail.test:465')).toBe(forbidden)
    expect(await outcome('93.184.215.16:465')).toBe(forbidden)
    expect(await outcome('cloud.test:5432')).toBe('93.184.215.14')
  })

  it('at a private address is not opened by an exception for its network', async () => {
    const { outcome } = await judge({ servers, names, allow: '10.0.0.0/8' })
    for (const target of ['db.test:5432', 'db.test:22', '10.0.0.9:22', '10.0.0.10:443', '10.0.0.10:80'])
      expect(await outcome(target), target).toBe(forbidden)
    const named = await judge({ servers, names, allow: 'db.test' })
    expect(await named.outcome('db.test:22')).toBe('10.0.0.9')
    expect(await named.outcome('db.test:5432')).toBe(forbidden)
  })
})

describe('a name that an exit will look up', () => {
  const failing = (code: 'timed_out' | 'server_failed' | 'not_found' | 'too_many_lookups') => ({
    async resolve(name: string): Promise<never> {
      throw new NameFault(code, name)
    },
  })
  const look = async (code: Parameters<typeof failing>[0], allow = '') => {
    const rules = { allow: parseAllow(allow), refusePorts: [], names: failing(code) }
    const target = parseAuthority('a.test:80', null)
    try {
      return await lookUpTarget(target, rules, { account: 1n, forJudgement: true })
    } catch (fault) {
      if (fault instanceof ProxyRefusal) return fault.parts.code
      throw fault
    }
  }

  it('is passed on without addresses when the name servers here do not say whether it has any', async () => {
    expect(await look('timed_out')).toEqual([])
    expect(await look('server_failed')).toEqual([])
    expect(await look('not_found')).toBe('dns_error')
    expect(await look('too_many_lookups')).toBe('too_many_lookups')
  })

  it('is not passed on without addresses when it is an exception, which may mean another host there', async () => {
    expect(await look('timed_out', 'a.test')).toBe('dns_timeout')
    expect(await look('server_failed', 'a.test:80')).toBe('dns_error')
  })

  it('is looked up for a second at most, and is refused for a private address like any other', async () => {
    const asked: (number | undefined)[] = []
    const names: TargetRules['names'] = {
      async resolve(_name, { deadlineMs }) {
        asked.push(deadlineMs)
        return { addresses: ips('10.0.0.7') }
      },
    }
    const rules = { allow: parseAllow('b.test'), refusePorts: [], names }
    const look_ = (host: string, forJudgement: boolean) =>
      lookUpTarget(parseAuthority(`${host}:80`, null), rules, { account: 1n, forJudgement })
    await expect(look_('a.test', true)).rejects.toThrow(forbidden)
    await expect(look_('a.test', false)).rejects.toThrow(forbidden)
    await look_('b.test', true)
    expect(asked).toEqual([1000, undefined, undefined])
  })
})
