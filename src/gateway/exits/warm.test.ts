import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MemoryFeed } from '#feed/testing'
import type { FeedExit } from '#feed'
import { roundTrips } from '#test/delay.relay'
import { eventually } from '#test/eventually'
import { type Origin, startOrigin } from '#test/origin'
import { streamOf } from '../sockets/socket.factory.ts'
import { basic, startBench } from '../testing/bench.ts'
import { certificateFolder } from '../testing/certificates.ts'
import { type FarExit, farExit } from '../testing/far.exit.ts'
import { staticNames } from '../testing/names.ts'
import { startUpstream, type UpstreamOptions } from '../testing/proxy.ts'
import { HealthTracker } from './health.ts'
import { WarmPools } from './warm.ts'

const folder = certificateFolder()
let origin: Origin
let undone: (() => unknown)[] = []
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(async () => {
  await origin.close()
  folder.remove()
})
afterEach(async () => {
  for (const undo of undone.toReversed()) await undo()
  undone = []
})

const shop = { username: 'shop', password: 'p@ss: word' }
const login = (username: string, password: string) => username === shop.username && password === shop.password

async function far(options: UpstreamOptions, parts: Partial<FeedExit> = {}): Promise<FarExit> {
  const exit = await farExit(options, { warm_connections: 2, ...parts })
  undone.push(() => exit.close())
  return exit
}

const figures = ({ exits, exit }: FarExit) => exits.warm.figures(exit.id)
const failures = ({ exits, exit }: FarExit) => exits.health.of(exit.id).failed
const areReady = (exit: FarExit, count = 2) =>
  eventually(() => figures(exit).open === count, 'the connections ahead')
const target = () => ({ port: origin.echoPort })

/** Opens one tunnel and waits for the connections that are opened as a consequence. */
async function warmedUp(options: UpstreamOptions, parts: Partial<FeedExit> = {}): Promise<FarExit> {
  const exit = await far(options, parts)
  await exit.open(target())
  await areReady(exit)
  return exit
}

/** Round trips of one tunnel over a connection opened in advance. */
async function warmTrips(exit: FarExit): Promise<number[]> {
  const before = exit.relay.connections.map((segments) => segments.length)
  await exit.open(target())
  return before
    .map((length, index) => roundTrips(exit.relay.connections[index]?.slice(length) ?? []))
    .filter((trips) => trips > 0)
}

describe('connections to an exit opened in advance', () => {
  it('save an HTTP exit’s customers the TCP handshake, and carry no login before a request', async () => {
    const exit = await warmedUp({ kind: 'http', login }, shop)
    const [first, ...waiting] = exit.passed()
    expect(roundTrips(first ?? [])).toBe(1)
    expect(waiting).toEqual([[], []])
    expect(await warmTrips(exit)).toEqual([1])
    expect(exit.upstream.seen).toHaveLength(2)
    expect(exit.upstream.seen[1]).toMatchObject(shop)
    await areReady(exit)
    expect(figures(exit)).toEqual({ open: 2, used: 1, expired: 0, stale: 0 })
  })

  it('save the TLS handshake as well', async () => {
    const files = folder.make('far', ['127.0.0.1'])
    const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
    const exit = await warmedUp(
      { kind: 'http', login, tls },
      { ...shop, tls: true, tls_ca: tls.cert.toString() },
    )
    const [first = []] = exit.passed()
    expect(roundTrips(first)).toBeGreaterThanOrEqual(2)
    // A handshake is complete at the gateway before its last segment has reached the relay.
    await eventually(
      () => exit.relay.connections.every((segments) => roundTrips(segments) >= 2),
      'the last segments of the handshakes',
    )
    expect(await warmTrips(exit)).toEqual([1])
  })

  it('leave one round trip of SOCKS5 with a password in one segment', async () => {
    const probe = { probe_target: `127.0.0.1:${origin.echoPort}` }
    const exit = await far({ kind: 'socks5', login }, { ...shop, ...probe })
    await exit.probe()
    await exit.open(target())
    await areReady(exit)
    expect(await warmTrips(exit)).toEqual([1])
  })

  it('are not used for a request that the exit forwards: it could not be repeated', async () => {
    const exit = await far({ kind: 'http' }, { plain_http: 'forward' })
    for (let index = 0; index < 3; index++) await exit.open({ ...target(), plain: true })
    expect(figures(exit)).toEqual({ open: 0, used: 0, expired: 0, stale: 0 })
    await eventually(() => exit.upstream.made() === 3, 'the three connections')
  })

  it('count towards the exit’s limit, use a tenth of it at most, and yield their slot to a customer', async () => {
    const exit = await far({ kind: 'http' }, { warm_connections: 32, max_connections: 20 })
    await exit.open(target())
    await areReady(exit)
    const { health } = exit.exits
    expect(health.connections(exit.exit.id)).toBe(3)
    for (let open = 1; open < 20; open++) {
      await exit.open(target())
      await areReady(exit, Math.min(2, 19 - open))
    }
    expect(health.connections(exit.exit.id)).toBe(20)
    await expect(exit.open(target())).rejects.toMatchObject({ parts: { code: 'exits_full' } })
    expect(exit.upstream.made()).toBe(20)
    const small = await far({ kind: 'http' }, { max_connections: 9 })
    await small.open(target())
    await small.open(target())
    expect(figures(small)).toMatchObject({ open: 0, used: 0 })
  })

  it.each([
    ['is disabled', (exit: FarExit) => void (exit.feed.exitList = [])],
    ['gets another password', (exit: FarExit) => void (exit.feed.exitList = [{ ...exit.exit, ...shop }])],
    [
      'gets fewer of them',
      (exit: FarExit) => void (exit.feed.exitList = [{ ...exit.exit, warm_connections: 0 }]),
    ],
  ])('are closed when the exit %s', async (_what, change) => {
    const exit = await warmedUp({ kind: 'http' })
    change(exit)
    await exit.exits.refresh()
    await eventually(() => exit.upstream.open() === 1, 'all but the tunnel to be closed')
    expect(exit.exits.health.connections(exit.exit.id)).toBe(1)
  })

  it('are closed while the breaker is open, and none is opened', async () => {
    const exit = await warmedUp({ kind: 'http' })
    for (let index = 0; index < 3; index++)
      exit.exits.health.note(exit.exit.id, { what: 'down', lasting: false })
    await expect(exit.open(target())).rejects.toMatchObject({ parts: { code: 'exits_down' } })
    await eventually(() => exit.upstream.open() === 1, 'all but the tunnel to be closed')
    expect(figures(exit)).toEqual({ open: 0, used: 0, expired: 2, stale: 0 })
    expect(exit.exits.health.connections(exit.exit.id)).toBe(1)
  })

  it('are closed when the gateway begins to stop, after exact charges', async () => {
    const upstream = await startUpstream({ kind: 'http' })
    const memory = new MemoryFeed()
    const alice = memory.addAccount('alice1', 'secret', 1_000_000n)
    const host = { kind: 'http', host: '127.0.0.1', port: upstream.port, warm_connections: 2 } as const
    memory.addExit('residential', host)
    const bench = await startBench({ memory })
    undone.push(
      () => upstream.close(),
      () => bench.close(),
    )
    const tunnel = async () => {
      const client = bench.say(`CONNECT 127.0.0.1:${origin.echoPort} HTTP/1.1\r\n${basic()}\r\n`)
      await client.until(() => client.text.includes('\r\n\r\n'), 'an answer')
      client.write('12345')
      await client.until(() => client.text.endsWith('12345'), 'an echo')
      return client
    }
    const clients = [await tunnel()]
    const warm = () => bench.gateway.stats().exits[0]?.warm
    await eventually(() => warm()?.open === 2, 'the connections ahead')
    clients.push(await tunnel())
    await eventually(() => warm()?.open === 2, 'another in its place')
    expect(warm()).toEqual({ open: 2, used: 1, expired: 0, stale: 0 })
    expect(upstream.open()).toBe(4)
    const stopped = bench.gateway.stop({ graceMs: 5000 })
    await eventually(() => upstream.open() === 2, 'the waiting connections to be closed')
    for (const client of clients) client.destroy()
    await stopped
    expect(memory.chargedTo(alice)).toBe(20n)
  })
})

describe('a dead connection', () => {
  /** An HTTP proxy that answers 200 to every request that `handle` accepts. */
  async function proxy(handle: (socket: Socket, nr: number) => 'answer' | 'own'): Promise<FarExit> {
    const exit = await warmedUp({ kind: 'http' })
    exit.upstream.take = handle
    return exit
  }

  it.each([
    ['closed', (socket: Socket) => void socket.end()],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
    [
      'answered with 408',
      (socket: Socket) => void socket.end('HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n'),
    ],
  ])(
    'that is %s at the request costs the customer nothing and does not count against the exit',
    async (_what, fail) => {
      const exit = await proxy((socket, nr) => {
        // The two waiting connections; a new one works.
        if (nr > 3) return 'answer'
        fail(socket)
        return 'own'
      })
      const { handed } = await exit.open(target())
      expect(handed.socket.destroyed).toBe(false)
      expect(figures(exit)).toMatchObject({ used: 1, stale: 1 })
      expect(failures(exit)).toBe(0)
      await areReady(exit)
      expect(exit.exits.health.connections(exit.exit.id)).toBe(4)
    },
  )

  it('that is silent is replaced by a new one after half of the time', async () => {
    const exit = await proxy((_socket, nr) => (nr > 3 ? 'answer' : 'own'))
    await exit.open({ ...target(), exitsMs: 600 })
    expect(figures(exit)).toMatchObject({ used: 1, stale: 1 })
    expect(failures(exit)).toBe(0)
  })

  it('is followed by one new connection only, whose failure is the exit’s or the target’s', async () => {
    const exit = await proxy(() => 'own')
    const made = exit.upstream.made()
    await expect(exit.open({ ...target(), exitsMs: 1500 })).rejects.toMatchObject({
      parts: { code: 'exit_or_target_timeout' },
    })
    expect(exit.upstream.seen).toHaveLength(1)
    // The new one, and a replacement of the used one: the target's failure does not count against the pool.
    await areReady(exit)
    expect(exit.upstream.made()).toBe(made + 2)
    expect(figures(exit)).toMatchObject({ stale: 0 })
  })
})

describe('the pool of an exit', () => {
  const server: { current: Server | null } = { current: null }

  /** A pool over an exit that handles its connections as the test specifies, with a clock of its own. */
  async function pool(accepted: (socket: Socket) => void, parts: Partial<FeedExit> = {}) {
    const sockets = new Set<Socket>()
    let made = 0
    const listening = createServer((socket) => {
      made++
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => undefined)
      accepted(socket)
    })
    server.current = listening
    await new Promise<void>((resolve) => listening.listen({ host: '127.0.0.1', port: 0 }, resolve))
    const { port } = listening.address() as AddressInfo
    const exit = new MemoryFeed().addExit('residential', {
      kind: 'http',
      host: '127.0.0.1',
      port,
      warm_connections: 4,
      ...parts,
    })
    let now = 1_000_000
    let asked = 0
    const health = new HealthTracker({ now: () => now })
    const pools = new WarmPools({
      names: staticNames(() => undefined),
      async acquire(one) {
        asked++
        return health.acquire(one)
      },
      state: (id) => health.state(id),
      onFault: (fault) => expect.unreachable(String(fault)),
      now: () => now,
    })
    undone.push(() => {
      pools.stop()
      for (const socket of sockets) socket.destroy()
      listening.close()
    })
    return {
      exit,
      health,
      pools,
      sockets,
      made: () => made,
      /** Attempts to connect. */
      asked: () => asked,
      figures: () => pools.figures(exit.id),
      pass(ms: number) {
        now += ms
        pools.maintain()
      },
    }
  }

  it('opens one connection per second, then ever fewer, at an exit that closes them immediately', async () => {
    const { pools, exit, health, made, figures, pass } = await pool((socket) => socket.end())
    expect(pools.take(exit)).toBe(null)
    await eventually(() => figures().expired === 4, 'all to be closed')
    for (let index = 0; index < 50; index++) {
      pools.take(exit)
      pass(0)
    }
    await new Promise((resolve) => setImmediate(resolve))
    expect(health.connections(exit.id)).toBe(0)
    expect(made()).toBe(4)
    let expected = 4
    for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      pass(pauseMs - 1)
      expect(health.connections(exit.id)).toBe(0)
      pass(1)
      expected++
      await eventually(() => figures().expired === expected, 'the next to be closed')
      expect(health.of(exit.id)).toMatchObject({ failed: 0, connections: 0 })
    }
    expect(made()).toBe(12)
  })

  it('uses no connection on which unrequested bytes arrived', async () => {
    const { pools, exit, figures } = await pool((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    pools.take(exit)
    await eventually(() => figures().expired === 4, 'all to be closed')
    expect(pools.take(exit)).toBe(null)
    expect(figures()).toEqual({ open: 0, used: 0, expired: 4, stale: 0 })
  })

  it('counts no failure for an unreachable exit, and pauses for a second', async () => {
    const { pools, exit, health, asked, pass } = await pool(() => undefined)
    server.current?.close()
    await eventually(() => server.current?.listening === false, 'the exit to be gone')
    pools.take(exit)
    await eventually(() => asked() === 4 && health.connections(exit.id) === 0, 'all to have failed')
    pass(999)
    expect(asked()).toBe(4)
    pass(1)
    expect(asked()).toBe(5)
    expect(health.of(exit.id)).toMatchObject({ failed: 0, state: 'closed' })
  })

  it('keeps connections shorter than the idle time observed at the exit, for an hour', async () => {
    const { pools, exit, sockets, made, figures, pass } = await pool(() => undefined)
    pools.take(exit)
    await eventually(() => figures().open === 4, 'four')
    pass(10_000)
    for (const socket of sockets) socket.end()
    await eventually(() => figures().expired === 4, 'all to be closed by the exit')
    pass(0)
    await eventually(() => figures().open === 4, 'four others')
    pass(7999)
    expect(figures()).toMatchObject({ open: 4, expired: 4 })
    pass(1)
    expect(figures()).toMatchObject({ open: 0, expired: 8 })
    await eventually(() => made() === 12 && figures().open === 4, 'four new ones')
    pass(3_600_000)
    pools.take(exit)
    await eventually(() => figures().open === 4, 'four after an hour')
    pass(49_999)
    expect(figures()).toMatchObject({ open: 4 })
    pass(1)
    expect(figures()).toMatchObject({ open: 0 })
  })

  it('hands out the youngest connection, and closes the rest when the exit is unused for minutes', async () => {
    const { pools, exit, health, figures, pass, sockets } = await pool(() => undefined, {
      warm_connections: 1,
    })
    pools.take(exit)
    await eventually(() => figures().open === 1, 'one')
    pass(30_000)
    pools.keep([{ ...exit, warm_connections: 2 }], new Set())
    pass(0)
    await eventually(() => figures().open === 2, 'two')
    const youngest = [...sockets].at(-1)
    const taken = pools.take(exit)
    const stream = taken === null ? null : streamOf(taken.socket)
    expect(stream?.localPort).toBe(youngest?.remotePort)
    taken?.socket.destroy()
    taken?.slot.release()
    await eventually(() => figures().open === 2, 'another in its place')
    pass(300_001)
    expect(figures().open).toBe(0)
    pass(1000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(health.connections(exit.id)).toBe(0)
  })
})
