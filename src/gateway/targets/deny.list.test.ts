/** The operator's list of forbidden ports and hosts. */
import { afterEach, describe, expect, it } from 'vitest'
import { startOrigin } from '#test/origin'
import { parseAllow, parseDeny } from '../gateway.ts'
import { ProxyRefusal } from '../responses/refusal.ts'
import { resolveTarget } from './rules.ts'
import { parseAuthority } from './target.ts'
import { RawClient } from '../testing/client.ts'
import { basic, startBench, type Bench } from '../testing/bench.ts'
import { namesOf, staticNames } from '../testing/names.ts'

const names: Record<string, string[]> = {
  'inside.test': ['192.31.196.5'],
  'six.test': ['2620:4f::9', '1.1.1.1'],
}

/** The judgement of a target under a list, and the names that were resolved for it. */
async function outcome(authority: string, deny: string, allow = ''): Promise<string> {
  try {
    const rules = {
      allow: parseAllow(allow),
      refusePorts: [25],
      deny: parseDeny(deny.split(',').filter((part) => part !== '')),
      names: staticNames((name) => names[name] ?? ['1.1.1.1']),
    }
    await resolveTarget(parseAuthority(authority, 80), rules, { account: 1n })
    return 'reached'
  } catch (fault) {
    if (fault instanceof ProxyRefusal) return fault.parts.code
    throw fault
  }
}

describe('the operator’s list', () => {
  it('contains ports and ranges of ports', async () => {
    const list = '22,6881-6889'
    for (const port of [22, 6881, 6885, 6889])
      expect(await outcome(`a.test:${port}`, list)).toBe('port_forbidden')
    for (const port of [21, 6880, 6890, 2222]) expect(await outcome(`a.test:${port}`, list)).toBe('reached')
    expect(await outcome('1.1.1.1:22', list)).toBe('port_forbidden')
    expect(await outcome('a.test:25', list)).toBe('port_forbidden')
  })

  it('contains names, and with a star all names below them, in any spelling', async () => {
    const list = 'bad.test,*.far.test'
    for (const host of ['bad.test', 'BAD.test.', 'a.far.test', 'a.b.far.test'])
      expect(await outcome(host, list), host).toBe('target_forbidden')
    for (const host of ['a.bad.test', 'notbad.test', 'far.test'])
      expect(await outcome(host, list), host).toBe('reached')
  })

  it('contains addresses and networks, in any spelling, and covers names with any address in them', async () => {
    const list = '192.31.196.0/24,2620:4f::/32,[2606:4700::1],8.8.8.8'
    for (const host of [
      '192.31.196.77',
      '0xC01FC401',
      '[::ffff:192.31.196.1]',
      '[2620:4f::1]',
      '[2606:4700::1]',
    ])
      expect(await outcome(host, list), host).toBe('target_forbidden')
    for (const host of ['inside.test', 'six.test', '8.8.8.8', '134744072'])
      expect(await outcome(host, list), host).toBe('target_forbidden')
    for (const host of ['192.31.197.1', '[2606:4700::2]', 'a.test'])
      expect(await outcome(host, list), host).toBe('reached')
  })

  it('is overridden by the list of exceptions', async () => {
    expect(await outcome('www.far.test', '*.far.test', 'www.far.test')).toBe('reached')
    expect(await outcome('other.far.test', '*.far.test', 'www.far.test')).toBe('target_forbidden')
    expect(await outcome('a.test:22', '22', 'a.test:22')).toBe('reached')
    expect(await outcome('a.test:22', '22', 'a.test')).toBe('port_forbidden')
    expect(await outcome('192.31.196.7', '192.31.196.0/24', '192.31.196.7')).toBe('reached')
  })

  it.each(['0', '70000', '5-4', 'a b', 'http://a', 'a:80', '10.0.0.0/40', '*.', '300.1.1.1'])(
    'rejects "%s" and names it',
    (part) => {
      expect(() => parseDeny(['22', part])).toThrow(`"${part}" is no port`)
    },
  )
})

describe('a gateway with such a list', () => {
  let bench: Bench
  afterEach(() => bench.close())

  it('connects to none of its targets, over any protocol, and names the operator’s list', async () => {
    const origin = await startOrigin()
    bench = await startBench({
      deny: parseDeny([`${origin.httpPort}`, 'bad.test']),
      names: await namesOf(() => ['127.0.0.1']),
      allow: parseAllow('fine.test'),
    })
    const ask = async (text: string) => {
      const client = new RawClient(bench.port)
      client.write(text)
      await client.untilEnd()
      client.destroy()
      return client.text
    }
    const head = `Connection: close\r\n${basic()}\r\n`
    const connect = (target: string) => ask(`CONNECT ${target} HTTP/1.1\r\n${head}`)
    const get = (host: string) => ask(`GET http://${host}/ HTTP/1.1\r\nHost: x\r\n${head}`)
    expect(await connect(`fine.test:${origin.httpPort}`)).toMatch(/^HTTP\/1.1 403 .*port_forbidden/s)
    expect(await connect(`bad.test:${origin.echoPort}`)).toMatch(
      /^HTTP\/1.1 403 .*the operator of this proxy/s,
    )
    expect(await get(`fine.test:${origin.httpPort}`)).toMatch(/^HTTP\/1.1 403 .*port_forbidden/s)
    expect(await get('bad.test')).toMatch(/^HTTP\/1.1 403 .*target_forbidden/s)
    const socks = `\x05\x01\x02\x01\x06alice1\x06secret\x05\x01\x00\x03\x08bad.test\x00\x50`
    expect((await ask(socks)).slice(4, 6)).toBe('\x05\x02')
    expect(origin.made()).toBe(0)
    await origin.close()
  })
})
