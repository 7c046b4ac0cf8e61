import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import {
  asker,
  Clock,
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
  V6_TEXT,
} from '../testing/names.ts'

afterEach(undo)

const BOTH = `${V6_TEXT} ${V4}`
const OTHER = { addresses: ['1.1.1.1'] }

describe('expired addresses', () => {
  const quick = { staleAnswerMs: 50 }

  it('are used while the server is silent, and replaced when it is back', async () => {
    const { ask, server, clock, resolver } = await start(usual, quick)
    expect(await ask('a.example')).toBe(BOTH)
    clock.advance(60_000)
    server.answering = () => null
    expect(await ask('a.example')).toBe(BOTH)
    expect(resolver.figures().total).toMatchObject({ asked: 1, stale: 1 })
    server.answering = () => OTHER
    // The pending question is sent again after a second.
    await expect.poll(() => ask('a.example', { families: [4] }), { timeout: 10_000 }).toBe('1.1.1.1')
  })

  it('are requested again every 30 s, without delaying lookups', async () => {
    const { ask, server, clock, resolver } = await start(usual, { staleAnswerMs: 20_000 })
    const four = { families: [4] } as const
    expect(await ask('a.example', four)).toBe(V4)
    server.answering = () => ({ ...failed, delayMs: 100 })
    clock.advance(60_000)
    for (let round = 1; round <= 3; round++) {
      expect(await ask('a.example', four)).toBe(V4)
      // The first lookup waits for the failure, the others do not.
      expect(resolver.figures().outstanding).toBe(round === 1 ? 0 : 1)
      await expect.poll(() => server.asked.length).toBe(1 + round)
      await expect.poll(() => resolver.figures().outstanding).toBe(0)
      clock.advance(29_000)
      expect(await ask('a.example', four)).toBe(V4)
      expect(server.asked).toHaveLength(1 + round)
      clock.advance(1000)
    }
    expect(resolver.figures().total).toMatchObject({ asked: 1, stale: 6, hit: 0 })
    server.answering = () => OTHER
    await ask('a.example', four)
    await expect.poll(() => ask('a.example', four)).toBe('1.1.1.1')
    expect(resolver.figures().total.hit).toBeGreaterThan(0)
  })

  it('are discarded after an hour', async () => {
    const { ask, server, clock } = await start(usual, quick)
    expect(await ask('a.example')).toBe(BOTH)
    server.answering = () => failed
    clock.advance(60_000 + 3_600_000)
    expect(await ask('a.example')).toBe('server_failed')
  })

  it('are discarded when the server denies the name', async () => {
    const { ask, server, clock } = await start(usual, quick)
    expect(await ask('a.example')).toBe(BOTH)
    clock.advance(60_000)
    server.answering = () => notFound
    expect(await ask('a.example')).toBe('not_found')
    server.answering = () => failed
    clock.advance(60_000)
    expect(await ask('a.example')).toBe('server_failed')
  })
})

describe('name servers', () => {
  it('are those that resolv.conf currently names', async () => {
    const resolvConf = join(folder(), 'resolv.conf')
    const first = await serverOf(usual)
    const second = await serverOf(() => OTHER, { address: '127.0.0.2', port: first.port })
    writeFileSync(resolvConf, 'nameserver 127.0.0.1\n')
    const clock = new Clock()
    const ask = asker(resolverOf({ resolvConf, port: first.port, now: clock.now }))
    expect(await ask('a.example')).toBe(BOTH)
    writeFileSync(resolvConf, '; changed by dhclient\nnameserver 127.0.0.2 \n')
    clock.advance(5000)
    // The old channels stay in use until the new ones have been tried.
    const many = (round: number) =>
      Promise.all(times(20, (index) => ask(`n${round}-${index}.example`, { families: [4] })))
    let round = 0
    await expect.poll(async () => new Set(await many(round++))).toEqual(new Set(['1.1.1.1']))
    const before = first.asked.length
    await many(round)
    expect(first.asked).toHaveLength(before)
    expect(second.count(`n${round}-0.example`)).toBe(1)
  })

  it('are the local machine without resolv.conf, and may have IPv6 addresses', async () => {
    const server = await serverOf(usual)
    const { port } = server
    const missing = asker(resolverOf({ resolvConf: join(folder(), 'none'), port }))
    expect(await missing('a.example')).toBe(BOTH)
    const six = await serverOf(() => OTHER, { address: '::1', port })
    const resolvConf = join(folder(), 'resolv.conf')
    writeFileSync(resolvConf, 'nameserver nonsense\nnameserver ::1\n')
    expect(await asker(resolverOf({ resolvConf, port }))('b.example')).toBe('1.1.1.1')
    expect(six.count('b.example')).toBe(2)
  })

  it('that are silent are detected once, not by each new channel', async () => {
    const [silent, good] = [await serverOf(() => null), await serverOf(usual)]
    const clock = new Clock()
    const resolver = resolverOf({ servers: [silent.authority, good.authority], now: clock.now })
    const ask = asker(resolver)
    expect(await ask('first.example', { families: [4] })).toBe(V4)
    expect(silent.count('first.example')).toBe(1)
    for (let round = 0; round < 3; round++) {
      clock.advance(60_000)
      // Begins to replace the channel; the silent server delays the trial of the new one by a second.
      expect(await ask(`n${round}.example`, { families: [4] })).toBe(V4)
      await wait(1500)
    }
    expect(good.count('n2.example')).toBe(1)
    expect(silent.asked.length).toBeLessThanOrEqual(2)
  })

  it('that refuse or fail are followed by the next one', async () => {
    for (const rcode of [1, 2, 4, 5]) {
      const [bad, good] = [await serverOf(() => ({ rcode })), await serverOf(usual)]
      const servers = [bad.authority, good.authority]
      expect(await asker(resolverOf({ servers }))('a.example'), `${rcode}`).toBe(BOTH)
      expect(bad.count('a.example'), `${rcode}`).toBe(2)
    }
  })

  it('that are all unreachable fail immediately', async () => {
    const gone = await serverOf(usual)
    gone.close()
    expect(await asker(resolverOf({ servers: [gone.authority] }))('a.example')).toBe('server_failed')
  })

  it('are queried from new ports after a minute, while pending questions continue', async () => {
    const { ask, server, clock, resolver } = await start(({ name }) => ({
      ...found,
      delayMs: name === 'slow.example' ? 400 : 0,
    }))
    const four = { families: [4] } as const
    const slow = ask('slow.example', four)
    const ports = new Set<number>()
    for (let round = 0; round < 5; round++) {
      clock.advance(60_000)
      await Promise.all(times(20, (index) => ask(`n${round}-${index}.example`, four)))
    }
    for (const { port } of server.asked) ports.add(port)
    expect(ports.size).toBeGreaterThanOrEqual(5)
    expect(await slow).toBe(V4)
    expect(resolver.figures().outstanding).toBe(0)
  })
})

describe('a closed resolver', () => {
  it('fails all lookups, also those of channels that were replaced', async () => {
    const { ask, clock, resolver } = await start()
    const dead = times(20, (index) => ask(`d${index}.dead`))
    clock.advance(60_000)
    for (let round = 0; round < 3; round++) expect(await ask(`n${round}.example`)).toBe(BOTH)
    dead.push(...times(20, (index) => ask(`e${index}.dead`)))
    resolver.close()
    expect(new Set(await Promise.all(dead))).toEqual(new Set(['closed']))
    expect(await ask('a.example')).toBe('closed')
    resolver.close()
  })
})
