import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WorkerCoordinator } from '../limits/coordinator.ts'
import { join } from '../testing/bus.ts'
import { BULK_LOAD, HandoverAllowance, LoadSharing } from './load.sharing.ts'
import type { PassedConnection } from './messages.ts'

const on = { pool: 'residential', slot: null }

const turns = async (count = 8) => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve))
}

/** A connection as the workers' processes have it: open as long as one of them holds it. */
class Connection implements PassedConnection {
  holders = 1
  close(): void {
    this.holders--
  }
}

/** A worker without sockets: the connections it serves, each idle or in bulk transfer. */
class TestWorker {
  readonly bus
  readonly sharing
  served: PassedConnection[] = []
  bulk = 0
  accepts = true
  isClosing = false

  constructor(coordinator: WorkerCoordinator, workers = 2) {
    this.bus = join(coordinator, workers)
    this.sharing = new LoadSharing({
      bus: this.bus,
      load: () => this.served.length + BULK_LOAD * this.bulk,
      accepts: () => this.accepts,
      serve: (_on, connection) => {
        if (this.isClosing) return false
        this.served.push(connection)
        return true
      },
      now: () => 0,
    })
  }

  /** The kernel gives it a connection. */
  accept(connection: PassedConnection = new Connection()): void {
    if (this.sharing.handOver(on, connection)) return
    this.served.push(connection)
    this.sharing.kept()
  }

  /** Its process dies. */
  die(): void {
    this.sharing.stop()
    this.bus.leave()
  }
}

function startWorkers(coordinator: WorkerCoordinator, count: number): TestWorker[] {
  const workers = Array.from({ length: count }, () => new TestWorker(coordinator, count))
  for (const { sharing } of workers) sharing.start()
  return workers
}

const counts = (workers: readonly TestWorker[]) => workers.map(({ served }) => served.length)
const spread = (workers: readonly TestWorker[]) => Math.max(...counts(workers)) - Math.min(...counts(workers))

describe('connections that the kernel gives to either of two workers', () => {
  it('are halved when eight open at once, whatever the kernel chose', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 8 })), { minLength: 8, maxLength: 8 }),
        fc.constantFrom('at once', 'one by one', 'in between'),
        async (choices, how) => {
          const workers = startWorkers(new WorkerCoordinator(), 2)
          await turns()
          for (const [isFirst, delay] of choices) {
            workers[isFirst ? 0 : 1]?.accept()
            if (how !== 'at once') await turns(how === 'one by one' ? 8 : delay)
          }
          await turns()
          for (const { sharing } of workers) {
            expect(sharing.pending).toBe(0)
            sharing.stop()
          }
          const total = counts(workers).reduce((sum, count) => sum + count, 0)
          expect(total).toBe(8)
          expect(spread(workers)).toBeLessThanOrEqual(how === 'in between' ? 2 : 0)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('are divided evenly when 64 open at once, all on one of three', async () => {
    const workers = startWorkers(new WorkerCoordinator(), 3)
    await turns()
    for (let at = 0; at < 64; at++) workers[0]?.accept()
    await turns()
    for (const { sharing } of workers) sharing.stop()
    expect(counts(workers).reduce((sum, count) => sum + count, 0)).toBe(64)
    // Handing over is limited, so that the last few stay.
    expect(spread(workers)).toBeLessThanOrEqual(16)
  })

  it('go to the worker without bulk transfers, though it has more idle connections', async () => {
    const workers = startWorkers(new WorkerCoordinator(), 2)
    const [busy, idle] = workers
    await turns()
    if (idle !== undefined) idle.served = Array.from({ length: 100 }, () => new Connection())
    if (busy !== undefined) busy.bulk = 2
    busy?.sharing.kept()
    idle?.sharing.kept()
    await turns()
    const before = counts(workers)
    for (let at = 0; at < 8; at++) busy?.accept()
    await turns()
    for (const { sharing } of workers) sharing.stop()
    expect(busy?.served.length).toBe(before[0])
    expect(idle?.served.length).toBe((before[1] ?? 0) + 8)
  })

  it('stay with the one that accepts while the other one does not', async () => {
    const coordinator = new WorkerCoordinator()
    const [first, second] = Array.from({ length: 2 }, () => new TestWorker(coordinator, 2))
    if (first === undefined || second === undefined) throw new Error('no workers')
    second.accepts = false
    for (const { sharing } of [first, second]) sharing.start()
    await turns()
    const open = async (count: number) => {
      for (let at = 0; at < count; at++) {
        first.accept()
        await turns()
      }
      return counts([first, second])
    }
    const said = first.bus.said()
    expect(await open(8)).toEqual([8, 0])
    // The other worker has nothing to hand over, so no load is reported to it until it accepts.
    expect(first.bus.said()).toBe(said)
    second.accepts = true
    second.sharing.kept()
    await turns()
    expect(await open(4)).toEqual([8, 4])
    second.accepts = false
    second.sharing.kept()
    await turns()
    expect(await open(3)).toEqual([11, 4])
    for (const { sharing } of [first, second]) sharing.stop()
  })

  it('stay where they are while many are opened and closed, and loads are alike', () => {
    const allowance = new HandoverAllowance()
    let handed = 0
    // A thousand in a second, with one of the two ahead by up to eight.
    for (let at = 0; at < 10_000; at++) if (allowance.take(at % 9, at)) handed++
    expect(handed).toBeLessThan(10 * 20 + 8 * 4 + 1)
    // A difference of one bulk transfer is still acted on.
    expect(allowance.take(BULK_LOAD, 10_000)).toBe(true)
  })
})

describe('a connection on its way', () => {
  it('is served once, and no process keeps a descriptor too many', async () => {
    const coordinator = new WorkerCoordinator()
    const [first, second] = startWorkers(coordinator, 2)
    await turns()
    const connections = Array.from({ length: 20 }, () => new Connection())
    for (const connection of connections) {
      // The coordinator and the receiver have one more each, once it is handed over.
      first?.accept(connection)
      await turns()
    }
    first?.sharing.stop()
    second?.sharing.stop()
    const served = [...(first?.served ?? []), ...(second?.served ?? [])]
    expect(new Set(served)).toEqual(new Set(connections))
    expect(served).toHaveLength(20)
    // A test connection is one object: two of its three holders have closed theirs.
    for (const connection of second?.served ?? []) expect(connection).toMatchObject({ holders: 1 - 2 })
    for (const connection of first?.served ?? []) expect(connection).toMatchObject({ holders: 1 })
  })

  it('is served by its sender when the receiver dies before it has taken it', async () => {
    const coordinator = new WorkerCoordinator()
    const [first, second] = startWorkers(coordinator, 2)
    await turns()
    if (first !== undefined) first.served = [new Connection(), new Connection()]
    const connection = new Connection()
    first?.accept(connection)
    expect(first?.sharing.pending).toBe(1)
    second?.die()
    await turns()
    expect(first?.sharing.pending).toBe(0)
    expect(first?.served).toContain(connection)
    // Nothing is sent to the dead worker any more.
    first?.accept()
    expect(first?.sharing.pending).toBe(0)
    first?.sharing.stop()
  })

  it('is served by its sender when the receiver is closing', async () => {
    const coordinator = new WorkerCoordinator()
    const [first, second] = startWorkers(coordinator, 2)
    await turns()
    if (second !== undefined) second.isClosing = true
    if (first !== undefined) first.served = [new Connection()]
    const connection = new Connection()
    first?.accept(connection)
    await turns()
    expect(second?.served).toEqual([])
    expect(first?.served).toContain(connection)
    for (const worker of [first, second]) worker?.sharing.stop()
  })

  it('is served by its sender when its descriptor is lost on the way', async () => {
    const coordinator = new WorkerCoordinator()
    const loads = new Map<string, unknown>()
    const member = coordinator.join((message) => void loads.set(message.kind, message))
    member.receive({ kind: 'connection', id: 7, to: 2, on, load: 3 })
    expect(loads.get('connection_answered')).toEqual({ kind: 'connection_answered', id: 7, isTaken: false })
  })
})

describe('a worker that is started again', () => {
  it('takes part again', async () => {
    const coordinator = new WorkerCoordinator()
    const [first, second] = startWorkers(coordinator, 2)
    await turns()
    second?.die()
    await turns()
    for (let at = 0; at < 6; at++) first?.accept()
    expect(first?.served).toHaveLength(6)
    const again = new TestWorker(coordinator)
    await turns()
    // No connection is sent to it before it listens.
    first?.accept()
    expect(first?.sharing.pending).toBe(0)
    again.sharing.start()
    await turns()
    for (let at = 0; at < 5; at++) first?.accept()
    await turns()
    expect(again.served).toHaveLength(5)
    first?.sharing.stop()
    again.sharing.stop()
  })

  it('gets no connections once it drains, and hands none over', async () => {
    const coordinator = new WorkerCoordinator()
    const [first, second] = startWorkers(coordinator, 2)
    await turns()
    second?.sharing.stop()
    await turns()
    for (let at = 0; at < 6; at++) first?.accept()
    second?.accept()
    await turns()
    expect([first?.served.length, second?.served.length]).toEqual([6, 1])
    first?.sharing.stop()
  })
})
