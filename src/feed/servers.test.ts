/**
 * The gateway's end of the feed with several servers, each behind a relay that closes, refuses or stops
 * forwarding.
 */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { type Relay, startRelay } from '#test/relay'
import { connectFeed, type FeedClient, type FeedClientOptions } from './client.ts'
import type { FeedEvent } from './feed.ts'
import { serveFeed, type ServeOptions } from './server.ts'
import { MemoryFeed } from './testing.ts'

class TestState {
  fault: string | null = null
  readonly #listeners = new Set<() => void>()
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  set(fault: string | null): void {
    this.fault = fault
    for (const listener of this.#listeners) listener()
  }
}

interface TestServer {
  relay: Relay
  state: TestState
  /** Calls that reached it. */
  calls: string[]
  listener: Server
  sockets: Set<Socket>
}

const me = { gateway: 'g1', boot: 'b1' }
let memory: MemoryFeed
let servers: TestServer[]
let client: FeedClient | null
let losses: string[]
let served: number[]
let events: FeedEvent[]

/** The database behind all of them, as one server sees it. */
function seenBy(calls: string[]): MemoryFeed {
  return new Proxy(memory, {
    get: (target, name: keyof MemoryFeed) => {
      const value: unknown = target[name]
      if (typeof value !== 'function') return value
      if (name !== 'subscribe') calls.push(name)
      return (value as (...args: unknown[]) => unknown).bind(target)
    },
  })
}

async function startServer(options: ServeOptions = {}): Promise<TestServer> {
  const [state, calls, sockets] = [new TestState(), [] as string[], new Set<Socket>()]
  const listener = createServer((socket) => {
    sockets.add(socket)
    serveFeed(seenBy(calls), socket, { state, ...options })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const relay = await startRelay(`tcp://127.0.0.1:${(listener.address() as AddressInfo).port}`)
  return { relay, state, calls, listener, sockets }
}

function connectAll(options: Partial<FeedClientOptions> = {}): FeedClient {
  client = connectFeed({
    servers: servers.length,
    connect: async (server) => {
      const socket = connect(servers[server]?.relay.port ?? 0, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
    callTimeoutMs: 5000,
    retryMs: { first: 5, last: 20 },
    restMs: { first: 50, last: 400 },
    provingMs: 50,
    pingMs: 20,
    onLost: (error, server) => losses.push(`${server}: ${error?.message ?? 'lost'}`),
    onServer: (server) => served.push(server),
    ...options,
  })
  client.subscribe((event) => events.push(event))
  return client
}

const at = (place: number): TestServer => {
  const server = servers[place]
  if (server === undefined) throw new Error('there is no such server')
  return server
}

beforeEach(async () => {
  memory = new MemoryFeed()
  memory.addAccount('alice1', 'secret', 1000n)
  memory.addExit()
  ;[losses, served, events, client] = [[], [], [], null]
  servers = [await startServer(), await startServer()]
})
afterEach(async () => {
  client?.close()
  for (const { relay, listener, sockets } of servers) {
    await relay.close()
    for (const socket of sockets) socket.destroy()
    listener.close()
  }
})

const report = (sequence: number, charged_bytes: bigint, close = false) => ({
  ...me,
  sequence,
  at_ms: 0,
  lines: [{ lease: 1n, access: 1n, charged_bytes, requests: 1, close }],
})

describe('several servers', () => {
  it('the first serves, and two of one database answer alike', async () => {
    const both = connectAll()
    expect(await both.exits()).toEqual(memory.exitList)
    expect([both.server, served, at(1).calls]).toEqual([0, [0], []])
    await at(0).relay.refuse()
    expect(await both.exits()).toEqual(memory.exitList)
    expect([both.server, both.switches]).toEqual([1, 1])
    expect(await both.account({ login: 'alice1', pool: 'residential' })).toEqual(
      await memory.account({ login: 'alice1', pool: 'residential' }),
    )
  })

  it.each([
    ['is unreachable from the start', (relay: Relay) => relay.refuse()],
    ['accepts connections and sends nothing', async (relay: Relay) => relay.silence()],
  ])('uses the second when the first %s', async (_what, spoil) => {
    await spoil(at(0).relay)
    const both = connectAll({ callTimeoutMs: 400 })
    // A server that sends nothing may be of a release without pings: the first unanswered call reveals it.
    await eventually(() => {
      void both.exits().catch(() => undefined)
      return at(1).calls.includes('exits')
    }, 'the second to be asked')
    expect(await both.exits()).toEqual(memory.exitList)
    expect(both.server).toBe(1)
  })

  it('notices within four pings that the server it is connected to fell silent, and sends its calls elsewhere', async () => {
    const both = connectAll()
    await both.exits()
    at(0).relay.silence()
    expect(await both.exits()).toEqual(memory.exitList)
    expect(losses).toEqual(['0: the other end of the feed fell silent'])
    expect(events).toEqual([{ type: 'reset' }])
  })

  it('leaves a server that reports a fault, although it answers, and returns when the fault is gone', async () => {
    const both = connectAll()
    await both.exits()
    at(0).state.set('its database takes no writes')
    await eventually(() => both.server === 1, 'the second server')
    expect(losses[0]).toBe('0: the server cannot do its work: its database takes no writes')
    at(0).state.set(null)
    await eventually(() => both.server === 0, 'the first server')
    expect(served).toEqual([0, 1, 0])
  })

  it('sends a call elsewhere that fails only because this server is away from its database', async () => {
    const isAway = (error: unknown) => error instanceof Error && error.message === 'the feed is away'
    for (const { listener, relay } of servers) {
      listener.close()
      await relay.close()
    }
    servers = [await startServer({ isAway }), await startServer({ isAway })]
    const both = connectAll()
    await both.exits()
    memory.away = true
    const asked = both.exits()
    // Both servers are away: the gateway alternates until one is not.
    await eventually(() => losses.length > 0, 'the first to be left')
    memory.away = false
    expect(await asked).toEqual(memory.exitList)
    expect(losses[0]).toBe('0: the server cannot do its work: the feed is away')
  })

  it('stays with a single server that cannot do its work, and passes its failures on', async () => {
    servers = [await startServer({ isAway: () => true })]
    const only = connectAll()
    await only.exits()
    at(0).state.set('its database is away')
    memory.away = true
    await expect(only.exits()).rejects.toThrow('the feed is away')
    expect(losses).toEqual([])
  })

  it('returns to the first after its rest and its proof, without a reset, and calls to the other are answered', async () => {
    await at(0).relay.refuse()
    const both = connectAll()
    await both.exits()
    events.length = 0
    memory.latencyMs = 200
    const asked = both.lease(me, { access: 1n, want_bytes: 600n })
    await eventually(() => at(1).calls.includes('lease'), 'the question')
    await at(0).relay.accept()
    await eventually(() => both.server === 0, 'the first server')
    expect((await asked).granted_bytes).toBe(600n)
    // The call was sent once: the replaced server has answered it.
    expect(memory.leaseCalls).toBe(1)
    expect(events).toEqual([])
    await eventually(() => at(1).relay.open() === 0, 'the end of the connection to the second')
    memory.emit({ type: 'exits_changed' })
    await eventually(() => events.length > 0, 'the event')
    expect(events).toEqual([{ type: 'exits_changed' }])
  })

  it('does not return to a server that fails during its proof', async () => {
    await at(0).relay.refuse()
    const both = connectAll({ provingMs: 60_000 })
    await both.exits()
    await at(0).relay.accept()
    for (let time = 1; time <= 3; time++) {
      const made = at(0).relay.made()
      await eventually(() => at(0).relay.made() > made, 'an attempt')
      at(0).relay.cut()
    }
    expect([both.server, both.switches, served]).toEqual([1, 0, [1]])
  })

  it('uses the server that is being proven when the present one is lost', async () => {
    await at(0).relay.refuse()
    const both = connectAll({ provingMs: 60_000 })
    await both.exits()
    await at(0).relay.accept()
    await eventually(() => at(0).relay.open() === 1, 'the second stream')
    events.length = 0
    await at(1).relay.refuse()
    expect(await both.exits()).toEqual(memory.exitList)
    expect(both.server).toBe(0)
    expect(events).toEqual([{ type: 'reset' }])
  })

  it('settles a report once although both servers were sent it', async () => {
    const both = connectAll()
    await both.lease(me, { access: 1n, want_bytes: 600n })
    const answerLost = at(0).relay.meet('"report"', 'unanswered')
    const settled = both.report(report(1, 100n))
    await answerLost
    await settled
    await both.report(report(2, 50n, true))
    expect([memory.charged.get(1n), memory.balances.get(1n), memory.faults]).toEqual([150n, 850n, []])
    expect(at(0).calls.filter((call) => call === 'report')).toHaveLength(1)
    expect(at(1).calls.filter((call) => call === 'report')).toHaveLength(2)
  })
})

describe('versions', () => {
  const raw = async () => {
    const socket = connect(at(0).relay.port, '127.0.0.1').setEncoding('utf8')
    let heard = ''
    socket.on('data', (text: string) => (heard += text))
    socket.on('error', () => undefined)
    return { socket, frames: () => heard.split('\n').filter(Boolean) }
  }

  it('sends no new frames to a gateway that does not begin with a hello', async () => {
    const { socket, frames } = await raw()
    at(0).state.set('its database is away')
    socket.write('{"id":1,"call":"exits","args":[]}\n')
    await eventually(() => frames().length > 0, 'the answer')
    expect(frames().map((frame) => Object.keys(JSON.parse(frame) as object))).toEqual([['id', 'ok']])
    socket.destroy()
  })

  it('ends a connection that supports only later versions, after sending its own', async () => {
    const { socket, frames } = await raw()
    socket.write('{"hello":{"newest":9,"oldest":8}}\n')
    await eventually(() => socket.destroyed, 'the end')
    expect(frames()).toEqual(['{"hello":{"newest":1,"oldest":1}}'])
  })

  it('leaves a server that supports only later versions, and reports which of them is to be upgraded', async () => {
    const later = createServer((socket) => socket.end('{"hello":{"newest":9,"oldest":8}}\n')).listen(
      0,
      '127.0.0.1',
    )
    await once(later, 'listening')
    at(0).relay.leadTo(`tcp://127.0.0.1:${(later.address() as AddressInfo).port}`)
    const both = connectAll()
    expect(await both.exits()).toEqual(memory.exitList)
    expect([both.server, losses[0]]).toEqual([
      1,
      '0: the other end of the feed speaks versions 8 to 9 of it, this end 1 to 1: upgrade the older one',
    ])
    later.close()
  })

  it('ignores fields and frames of a later release, and reports each once', async () => {
    const told: string[] = []
    servers.push(await startServer({ onUnknown: (what) => told.push(what) }))
    const socket = connect(at(2).relay.port, '127.0.0.1').setEncoding('utf8')
    let heard = ''
    socket.on('data', (text: string) => (heard += text))
    const later = '{"weather":"fine"}\n{"id":1,"call":"exits","args":[{"x":1}],"trace":"a"}\n'
    socket.write(
      `{"hello":{"newest":3,"oldest":1,"build":"z"}}\n${later}${later}{"id":2,"call":"tides","args":[]}\n`,
    )
    await eventually(() => heard.split('\n').length === 6, 'the answers')
    expect(told).toEqual([
      'the field "weather" of a frame',
      'the field "trace" of a frame',
      'the call "tides"',
    ])
    expect(heard).toContain('{"id":1,"ok":[')
    expect(heard).toContain('"id":2,"fault":"this release knows no such call"')
    socket.destroy()
  })
})
