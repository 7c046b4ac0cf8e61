import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Origin, startOrigin } from '#test/origin'
import { ConnectionLimiter, type CountedConnection } from './connection.limiter.ts'
import type { Limits } from '../gateway.options.ts'
import { SharedCounter } from './shared.counter.ts'
import { WorkerCoordinator } from './coordinator.ts'
import { RawClient } from '../testing/client.ts'
import { join } from '../testing/bus.ts'
import { type Bench, basic, startBench } from '../testing/bench.ts'
import { MemoryFeed } from '#feed/testing'

/** One key's count on one worker. */
function worker(coordinator: WorkerCoordinator, options: { most: number; count: number }) {
  const bus = join(coordinator, options.count)
  let open = 0
  const counter = new SharedCounter<bigint>({
    counted: 'accounts',
    most: options.most,
    own: () => open,
    read: BigInt,
    bus,
  })
  return {
    ...bus,
    open: () => open,
    isFull: () => counter.isFull(7n, open),
    move: (by: number) => {
      open = Math.max(0, open + by)
      counter.changed(7n, open)
    },
  }
}

/** Lets all messages be sent and received; otherwise the fake clock stands still. */
async function rest() {
  for (let at = 0; at < 20; at++) await vi.advanceTimersByTimeAsync(5)
}

describe('a limit over several workers', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is exact in both directions once counts are stable, after any sequence of events', async () => {
    const move = fc.record({ at: fc.nat(4), by: fc.integer({ min: -40, max: 40 }), rests: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 2, max: 5 }),
        fc.array(move, { maxLength: 30 }),
        async (most, count, moves) => {
          const coordinator = new WorkerCoordinator()
          const workers = Array.from({ length: count }, () => worker(coordinator, { most, count }))
          for (const { at, by, rests } of moves) {
            workers[at % count]?.move(by)
            if (rests) await rest()
          }
          await rest()
          const all = workers.reduce((sum, { open }) => sum + open(), 0)
          expect(workers.map(({ isFull }) => isFull())).toEqual(workers.map(() => all >= most))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('reports changes near the limit that were too small to report before', async () => {
    const coordinator = new WorkerCoordinator()
    const [one, other] = [0, 1].map(() => worker(coordinator, { most: 100, count: 2 }))
    other?.move(15)
    await rest()
    expect(other?.said()).toBe(0)
    one?.move(85)
    await rest()
    expect([one?.isFull(), other?.isFull()]).toEqual([true, true])
    other?.move(-1)
    await rest()
    expect([one?.isFull(), other?.isFull()]).toEqual([false, false])
  })

  it('costs no message until one worker has a considerable share of it', async () => {
    const coordinator = new WorkerCoordinator()
    const one = worker(coordinator, { most: 2000, count: 2 })
    worker(coordinator, { most: 2000, count: 2 })
    for (let at = 0; at < 300; at++) {
      one.move(1)
      await vi.advanceTimersByTimeAsync(5)
    }
    expect(one.said()).toBe(0)
    one.move(-300)
    await rest()
    expect(one.said()).toBe(0)
    for (let at = 0; at < 2000; at++) one.move(1)
    await rest()
    expect(one.said()).toBe(1)
  })

  it('no longer counts a worker that has ended, and informs a restarted one of the others', async () => {
    const coordinator = new WorkerCoordinator()
    const [one, other] = [0, 1].map(() => worker(coordinator, { most: 3, count: 2 }))
    one?.move(3)
    await rest()
    expect(other?.isFull()).toBe(true)
    const late = worker(coordinator, { most: 3, count: 2 })
    await rest()
    expect(late.isFull()).toBe(true)
    one?.leave()
    await rest()
    expect([other?.isFull(), late.isFull()]).toEqual([false, false])
  })

  it('applies to each address, and separately to its unauthenticated connections', async () => {
    const coordinator = new WorkerCoordinator()
    const limits = { most: 4, mostUnauthenticated: 2 }
    const [one, other] = [0, 1].map(() => new ConnectionLimiter({ ...limits, bus: join(coordinator) }))
    const enter = (limiter: ConnectionLimiter | undefined, address = '192.0.2.1') =>
      limiter?.accept(address) ?? null
    const connections: (CountedConnection | null)[] = [enter(one), enter(one)]
    await rest()
    expect(enter(other)).toBeNull()
    expect(enter(other, '192.0.2.2')).not.toBeNull()
    for (const connection of connections) connection?.authenticated()
    await rest()
    connections.push(enter(other), enter(other))
    expect(connections).not.toContain(null)
    await rest()
    for (const connection of connections) connection?.authenticated()
    await rest()
    expect([enter(one), enter(other)]).toEqual([null, null])
    connections[3]?.closed()
    await rest()
    expect(enter(one)).not.toBeNull()
  })
})

describe('two workers', () => {
  let origin: Origin
  let benches: Bench[] = []
  let clients: RawClient[] = []
  const begin = async (limits: Partial<Limits>) => {
    const memory = new MemoryFeed()
    memory.addAccount('alice1', 'secret', 1_000_000_000_000n)
    memory.addExit()
    const coordinator = new WorkerCoordinator()
    const start = (gateway: string) => startBench({ limits, memory, gateway, bus: join(coordinator) })
    benches = await Promise.all(['g1', 'g2'].map(start))
  }
  beforeEach(async () => {
    origin = await startOrigin()
  })
  afterEach(async () => {
    for (const client of clients) client.destroy()
    clients = []
    await Promise.all(benches.map((bench) => bench.close()))
    await origin.close()
  })

  /** A tunnel through one worker: its status, or 'closed'. */
  const open = async (at: number, client = new RawClient(benches[at]?.port ?? 0)) => {
    clients.push(client)
    const target = `127.0.0.1:${origin.echoPort}`
    client.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${basic()}\r\n`)
    await client.until(() => client.closed || client.ended || client.text.includes('\r\n'), 'an answer')
    return client.text === '' ? 'closed' : client.text.slice(9, 12)
  }
  const attempt = async (at: number) => {
    const client = new RawClient(benches[at]?.port ?? 0)
    const status = await open(at, client)
    client.destroy()
    return status
  }

  it('allow an account exactly its limit of tunnels together', async () => {
    await begin({ connectionsPerAccount: 5 })
    for (const at of [0, 1, 0, 1, 0]) expect(await open(at)).toBe('200')
    // The other worker learns of the last connection some milliseconds later.
    for (const at of [1, 0]) await expect.poll(() => attempt(at)).toBe('429')
    clients[0]?.destroy()
    for (const at of [1, 0]) await expect.poll(() => attempt(at)).toBe('200')
  })

  it('allow an address exactly its limit of connections together', async () => {
    await begin({ connectionsPerAddress: 4 })
    for (const at of [0, 0, 0, 1]) expect(await open(at)).toBe('200')
    for (const at of [1, 0]) await expect.poll(() => attempt(at)).toBe('closed')
    clients[0]?.destroy()
    for (const at of [1, 0]) await expect.poll(() => attempt(at)).toBe('200')
  })
})
