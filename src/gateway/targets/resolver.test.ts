import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Answering } from '../testing/name.server.ts'
import {
  asker,
  failed,
  folder,
  found,
  notFound,
  resolverOf,
  serverOf,
  start,
  times,
  undo,
  usual,
  V4,
  V6,
  V6_TEXT,
} from '../testing/names.ts'

afterEach(undo)

describe('addresses', () => {
  it('alternate between the families, the preferred one first', async () => {
    const six = (last: string) => V6.slice(0, -1) + last
    const { ask } = await start(() => ({ addresses: ['1.0.0.1', '1.0.0.2', '1.0.0.3', six('a'), six('b')] }))
    const of = (last: string) => V6_TEXT.slice(0, -1) + last
    expect(await ask('a.example')).toBe(`${of('a')} 1.0.0.1 ${of('b')} 1.0.0.2 1.0.0.3`)
    expect(await ask('a.example', { families: [4, 6] })).toBe(`1.0.0.1 ${of('a')} 1.0.0.2 ${of('b')} 1.0.0.3`)
    expect(await ask('a.example', { families: [4] })).toBe('1.0.0.1 1.0.0.2 1.0.0.3')
    expect(await ask('a.example', { families: [6] })).toBe(`${of('a')} ${of('b')}`)
  })

  it('of one family are not requested when only the other is needed', async () => {
    const { ask, server } = await start()
    expect(await ask('a.example', { families: [4] })).toBe(V4)
    expect(server.count('a.example')).toBe(1)
  })

  it('are returned unchanged, private ones too, each once and eight at most', async () => {
    const { ask } = await start(({ name }) => ({
      addresses:
        name === 'many.example' ? times(25, (index) => `10.0.0.${index % 12}`) : ['127.0.0.1', '127.0.0.1'],
    }))
    expect(await ask('one.example')).toBe('127.0.0.1')
    expect((await ask('many.example')).split(' ')).toHaveLength(8)
  })

  it('that do not fit a datagram are fetched over TCP', async () => {
    const { ask, server } = await start(() => ({
      addresses: times(2000, (index) => `10.1.${index >> 8}.${index & 255}`),
      truncated: true,
    }))
    expect(await ask('large.example', { families: [4] })).toMatch(/^10\.1\.0\.0 .* 10\.1\.0\.7$/)
    expect(server.asked.map(({ transport }) => transport)).toEqual(['udp', 'tcp'])
  })

  it('behind aliases have the shortest time to live of these', async () => {
    const { ask, server, clock } = await start(() => ({
      addresses: [V4],
      ttlSeconds: 200,
      aliases: [
        { name: 'b.example', ttlSeconds: 300 },
        { name: 'c.example', ttlSeconds: 20 },
      ],
    }))
    const only = { families: [4] } as const
    expect(await ask('a.example', only)).toBe(V4)
    clock.advance(19_000)
    expect(await ask('a.example', only)).toBe(V4)
    expect(server.count('a.example')).toBe(1)
    clock.advance(2000)
    expect(await ask('a.example', only)).toBe(V4)
    expect(server.count('a.example')).toBe(2)
  })

  it('of the family that was answered are returned without those of the other', async () => {
    const silent: Answering = ({ type }) => (type === 28 ? null : { addresses: [V4] })
    const { ask, server } = await start(silent, { resolutionDelayMs: 50 })
    expect(await ask('a.example')).toBe(V4)
    expect(await ask('a.example')).toBe(V4)
    expect(server.count('a.example', 'A')).toBe(1)
  })

  it('of the other family are awaited for a short time', async () => {
    const late: Answering = ({ type }) => ({ ...found, delayMs: type === 28 ? 100 : 0 })
    const { ask } = await start(late)
    expect(await ask('a.example')).toBe(`${V6_TEXT} ${V4}`)
  })

  it('are returned when only the question for the other family fails or is denied', async () => {
    const { ask } = await start(({ name, type }) => {
      const isDenied = (type === 1) === name.startsWith('six')
      if (!isDenied) return found
      return name.includes('fails') ? failed : name.includes('empty') ? {} : notFound
    })
    for (const kind of ['fails', 'empty', 'denied']) expect(await ask(`four-${kind}.example`)).toBe(V4)
    for (const kind of ['fails', 'empty']) expect(await ask(`six-${kind}.example`)).toBe(V6_TEXT)
  })
})

describe('a name', () => {
  it('is requested once for concurrent lookups in any spelling', async () => {
    const { ask, server, resolver } = await start(() => ({ ...found, delayMs: 50 }))
    const names = ['a.example', 'A.EXAMPLE', 'a.example.', 'A.Example.']
    const all = await Promise.all(
      times(200, (index) => ask(names[index % 4] ?? '', { account: BigInt(index % 7) })),
    )
    expect(new Set(all)).toEqual(new Set([`${V6_TEXT} ${V4}`]))
    expect(await ask('a.example')).toBe(`${V6_TEXT} ${V4}`)
    expect(server.asked).toHaveLength(2)
    expect(resolver.figures().total).toEqual({ hit: 1, stale: 0, negative: 0, asked: 200, refused: 0 })
  })

  it('is cached for its time to live, but 5 s at least and an hour at most', async () => {
    const cases = [
      { ttlSeconds: 0, livesMs: 5000 },
      { ttlSeconds: 60, livesMs: 60_000 },
      { ttlSeconds: 2 ** 31 - 1, livesMs: 3_600_000 },
    ]
    for (const { ttlSeconds, livesMs } of cases) {
      const { ask, server, clock } = await start(() => ({ ...found, ttlSeconds }))
      await ask('a.example')
      clock.advance(livesMs - 1000)
      await ask('a.example')
      expect(server.asked, `${ttlSeconds}`).toHaveLength(2)
      clock.advance(1000)
      await ask('a.example')
      expect(server.asked, `${ttlSeconds}`).toHaveLength(4)
    }
  })

  it('that does not exist is cached for 15 s', async () => {
    const { ask, server, clock, resolver } = await start(() => notFound)
    expect(await ask('nowhere.example')).toBe('not_found')
    clock.advance(14_000)
    expect(await ask('nowhere.example')).toBe('not_found')
    expect(server.count('nowhere.example', 'A')).toBe(1)
    expect(resolver.figures()).toMatchObject({ total: { asked: 1, negative: 1 }, errors: { not_found: 2 } })
    clock.advance(1500)
    server.answering = () => found
    expect(await ask('nowhere.example')).toBe(`${V6_TEXT} ${V4}`)
  })

  it('without addresses is cached, too', async () => {
    const { ask, server } = await start(() => ({}))
    expect(await ask('empty.example')).toBe('no_data')
    expect(await ask('empty.example')).toBe('no_data')
    expect(server.asked).toHaveLength(2)
  })

  it('without IPv6 addresses is asked for them again after five minutes, and reached by IPv4 meanwhile', async () => {
    const { ask, server, clock } = await start(() => ({ addresses: [V4], ttlSeconds: 3600 }))
    expect(await ask('a.example')).toBe(V4)
    clock.advance(299_000)
    expect(await ask('a.example')).toBe(V4)
    expect(server.count('a.example', 'AAAA')).toBe(1)
    clock.advance(2000)
    server.answering = () => ({ addresses: [V4, V6], ttlSeconds: 3600 })
    // It is reached by its A record until AAAA is answered.
    expect(await ask('a.example')).toBe(V4)
    await expect.poll(() => ask('a.example')).toBe(`${V6_TEXT} ${V4}`)
    expect([server.count('a.example', 'A'), server.count('a.example', 'AAAA')]).toEqual([1, 2])
  })

  it('that the server fails at is requested again at growing intervals', async () => {
    const { ask, server, clock } = await start(() => failed)
    for (const [index, waitMs] of [5000, 10_000, 20_000, 40_000, 60_000, 60_000].entries()) {
      expect(await ask('broken.example')).toBe('server_failed')
      clock.advance(waitMs - 1000)
      expect(await ask('broken.example')).toBe('server_failed')
      expect(server.count('broken.example', 'A')).toBe(index + 1)
      clock.advance(1000)
    }
    server.answering = () => found
    expect(await ask('broken.example')).toBe(`${V6_TEXT} ${V4}`)
  })

  it('that is not answered has failed at the deadline', async () => {
    const { ask, server } = await start(usual, { deadlineMs: 50 })
    expect(await ask('a.dead')).toBe('timed_out')
    // On a busy machine the questions reach the server after the deadline.
    await expect.poll(() => server.asked).toHaveLength(2)
  })

  it('that is not a valid host name is never requested', async () => {
    const { ask, server } = await start()
    const odd = ['', '.', 'a..example', '.example', 'a b.example', 'a\0.example', '-a.example', 'a-.example']
    const long = [`${'a'.repeat(64)}.example`, `${'abcdefg.'.repeat(31)}abcdef`]
    const other = [
      'exämple.example',
      'x.onion',
      'x.invalid',
      '1.2.3.4',
      '1.2.3',
      'a.0x7f',
      '::1',
      'a.example\n',
      '*.example',
    ]
    for (const name of [...odd, ...long, ...other])
      expect(await ask(name), JSON.stringify(name)).toBe('not_found')
    expect(server.asked).toEqual([])
    const fine = [
      '_dmarc.a_b.example',
      `${'a'.repeat(63)}.example`,
      `${'abcdefg.'.repeat(31)}abcde`,
      'xn--exmple-cua.example',
    ]
    for (const name of fine) expect(await ask(name), name).toBe(`${V6_TEXT} ${V4}`)
  })

  it('never gets a search domain', async () => {
    const resolvConf = join(folder(), 'resolv.conf')
    const server = await serverOf(() => notFound)
    writeFileSync(
      resolvConf,
      'search corp.example\ndomain corp.example\noptions ndots:5\nnameserver 127.0.0.1\n',
    )
    const ask = asker(resolverOf({ resolvConf, port: server.port }))
    expect(await ask('db.example')).toBe('not_found')
    expect(await ask('intranet')).toBe('not_found')
    expect(new Set(server.asked.map(({ name }) => name))).toEqual(new Set(['db.example']))
  })

  it('of one label is requested only when a rule allows it, or for the operator', async () => {
    const { ask, server } = await start()
    expect(await ask('origin', { singleLabel: true })).toBe(`${V6_TEXT} ${V4}`)
    expect(await ask('exit', { account: null })).toBe(`${V6_TEXT} ${V4}`)
    expect(await ask('exit')).toBe('not_found')
    expect(new Set(server.asked.map(({ name }) => name))).toEqual(new Set(['origin', 'exit']))
  })

  it('below localhost is this machine', async () => {
    const { ask, server } = await start()
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost'])
      expect(await ask(name)).toBe('::1 127.0.0.1')
    expect(await ask('localhost', { families: [4] })).toBe('127.0.0.1')
    expect(server.asked).toEqual([])
  })

  it('of the hosts file precedes the DNS, with the file’s current content', async () => {
    const hostsFile = join(folder(), 'hosts')
    writeFileSync(
      hostsFile,
      '# names\n10.0.0.5\tDB.corp.example db # the database\nfd00::5 db\nnonsense x\n10.0.0.6 db\n',
    )
    const { ask, server, clock } = await start(usual, { hostsFile })
    expect(await ask('db')).toBe('10.0.0.5 fd00::5 10.0.0.6')
    expect(await ask('db', { families: [6] })).toBe('fd00::5')
    expect(await ask('db.CORP.example.')).toBe('10.0.0.5')
    expect(await ask('db.corp.example', { families: [6] })).toBe('no_data')
    expect(server.asked).toEqual([])
    writeFileSync(hostsFile, '10.0.0.99 db\n')
    clock.advance(5000)
    expect(await ask('db')).toBe('10.0.0.99')
    expect(await ask('db.corp.example')).toBe(`${V6_TEXT} ${V4}`)
    rmSync(hostsFile)
    clock.advance(5000)
    expect(await ask('db')).toBe('10.0.0.99')
  })
})
