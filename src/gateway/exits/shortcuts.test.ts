import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import type { FeedExit } from '#feed'
import { roundTrips } from '#test/delay.relay'
import { type Origin, startOrigin } from '#test/origin'
import { type FarExit, farExit } from '../testing/far.exit.ts'
import { socksReply, type UpstreamOptions } from '../testing/proxy.ts'
import type { ExitConnection } from './connect.ts'
import { ExitFailure } from './failure.ts'
import { Pipelining } from './shortcuts.ts'

let origin: Origin
let undone: (() => unknown)[] = []
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())
afterEach(async () => {
  for (const undo of undone.toReversed()) await undo()
  undone = []
})

const shop = { username: 'shop', password: 'p@ss: word' }
const login = (username: string, password: string) => username === shop.username && password === shop.password

interface Far extends Omit<FarExit, 'open'> {
  open(options?: { exitsMs?: number }): Promise<ExitConnection>
}

/** A SOCKS5 exit behind a relay. */
async function far(options: Partial<UpstreamOptions>, parts: Partial<FeedExit> = {}): Promise<Far> {
  const exit = await farExit(
    { kind: 'socks5', ...options },
    { probe_target: `127.0.0.1:${origin.echoPort}`, ...parts },
  )
  undone.push(() => exit.close())
  return { ...exit, open: (limits = {}) => exit.open({ port: origin.echoPort, ...limits }) }
}

/** Round trips after the connection, until the tunnel is open. */
async function tripsOf(exit: Far): Promise<number[]> {
  exit.passed()
  await exit.open()
  return exit.passed().map(roundTrips)
}

describe('a SOCKS5 handshake in one segment', () => {
  it.each([
    ['a password', { login }, shop, [0x05, 0x01, 0x02, 0x01], 3],
    ['nothing', {}, {}, [0x05, 0x01, 0x00, 0x05], 2],
  ] as const)(
    'takes one round trip at an exit that requires %s, once a health check has tried it',
    async (_what, options, parts, beginning, before) => {
      const exit = await far(options, parts)
      expect(await tripsOf(exit)).toEqual([before])
      await exit.probe()
      const probed = exit.upstream.seen.length
      exit.passed()
      const { handed } = await exit.open()
      const [segments = [], ...others] = exit.passed()
      expect(others).toEqual([])
      expect(roundTrips(segments)).toBe(1)
      const [first] = segments
      expect([...(first?.bytes.subarray(0, 4) ?? [])]).toEqual(beginning)
      expect(exit.upstream.seen.slice(probed)).toMatchObject([{ host: '127.0.0.1', port: origin.echoPort }])
      // The reply, with its address, was read completely and is not part of the tunnel's data.
      expect(handed.early.toString()).toBe('')
    },
  )

  it.each(['drop', 'reset'] as const)('is not used at an exit that would %s early bytes', async (ahead) => {
    const exit = await far({ login, ahead: () => ahead }, shop)
    await exit.probe()
    expect(exit.exits.health.of(exit.exit.id)).toMatchObject({ succeeded: 1, failed: 0 })
    expect(exit.exits.pipelining.isUntried(exit.exit)).toBe(false)
    expect(await tripsOf(exit)).toEqual([3])
  })

  it.each([
    ['drop', { login }, shop],
    ['reset', { login }, shop],
    ['drop', {}, {}],
    ['reset', {}, {}],
  ] as const)(
    'is no longer used when an exit begins to %s early bytes, without effect on the customer and the breaker (%o)',
    async (change, options, parts) => {
      let ahead: 'read' | 'drop' | 'reset' = 'read'
      const exit = await far({ ...options, ahead: () => ahead }, parts)
      await exit.probe()
      expect(await tripsOf(exit)).toEqual([1])
      ahead = change
      const ordinary = 'login' in options ? 3 : 2
      expect(await tripsOf(exit)).toEqual([1, ordinary])
      expect(await tripsOf(exit)).toEqual([ordinary])
      expect(exit.exits.health.of(exit.exit.id)).toMatchObject({ failed: 0, state: 'closed', connections: 3 })
    },
  )

  it('accepts a reply that gives the reason why the target is unreachable', async () => {
    const exit = await far({ login }, shop)
    await exit.probe()
    exit.upstream.answer = () => socksReply(5)
    exit.passed()
    await expect(exit.open()).rejects.toMatchObject({ blame: 'target' })
    expect(exit.passed().map(roundTrips)).toEqual([1])
    expect(exit.exits.pipelining.isAccepted(exit.exit.id)).toBe(true)
  })

  it('stays in use although a target never answers: a customer cannot disable it for the others', async () => {
    const exit = await far({ login }, shop)
    await exit.probe()
    exit.upstream.answer = () => 'hang'
    const failure = await exit.open({ exitsMs: 300 }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ExitFailure)
    expect((failure as ExitFailure).parts.code).toBe('exit_or_target_timeout')
    exit.upstream.answer = () => 'close'
    await expect(exit.open()).rejects.toMatchObject({ blame: 'unclear' })
    expect(exit.exits.pipelining.isAccepted(exit.exit.id)).toBe(true)
    exit.upstream.answer = () => 'connect'
    expect(await tripsOf(exit)).toEqual([1])
  })

  it('does not hide a wrong password, which is still the exit’s failure', async () => {
    const exit = await far({ login: () => false }, shop)
    await exit.probe()
    expect(exit.exits.pipelining.isAccepted(exit.exit.id)).toBe(false)
    expect(exit.exits.health.of(exit.exit.id)).toMatchObject({
      lastFailure: expect.stringContaining('login'),
    })
  })

  it('is tried only where a check has a target, discarded with the exit, and tried again after a while', async () => {
    let now = 0
    const pipelining = new Pipelining(() => now)
    const feed = new MemoryFeed()
    const exit = feed.addExit('residential', { kind: 'socks5', probe_target: 'probe.test:443' })
    expect(pipelining.isUntried({ ...exit, probe_target: null })).toBe(false)
    expect(pipelining.isUntried({ ...exit, kind: 'http' })).toBe(false)
    expect(pipelining.isUntried(exit)).toBe(true)
    pipelining.learn(exit.id, false)
    now += 599_999
    expect(pipelining.isUntried(exit)).toBe(false)
    now += 1
    expect(pipelining.isUntried(exit)).toBe(true)
    pipelining.learn(exit.id, true)
    now += 600_000
    expect(pipelining.isUntried(exit)).toBe(false)
    pipelining.keep([exit], new Set([exit.id]))
    expect(pipelining.isUntried(exit)).toBe(true)
  })
})
