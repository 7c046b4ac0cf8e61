import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { LoginThrottle } from '../admission/login.throttle.ts'
import { credentialsOf } from '../admission/credentials.ts'
import { Exits } from '../exits/exits.ts'
import type { ExitSlot } from '../exits/health.ts'
import { WorkerCoordinator } from './coordinator.ts'
import { join } from '../testing/bus.ts'
import { staticNames } from '../testing/names.ts'
import { MemoryFeed } from '#feed/testing'

const turns = async (count = 4) => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve))
}

const right = credentialsOf(Buffer.from('alice1'), Buffer.from('secret'))
const wrong = credentialsOf(Buffer.from('alice1'), Buffer.from('wrong'))
const from = '192.0.2.1'

describe('the throttle on guessing', () => {
  it('counts wrong passwords over all workers, and informs a restarted one', async () => {
    const coordinator = new WorkerCoordinator()
    const throttles = Array.from({ length: 3 }, () => new LoginThrottle({ bus: join(coordinator) }))
    for (let at = 0; at < 30; at++) {
      for (const throttle of throttles) expect(throttle.waitSeconds(from, wrong)).toBe(0)
      throttles[at % 3]?.failed(from, wrong)
      await turns()
    }
    for (const throttle of throttles) expect(throttle.waitSeconds(from, wrong)).toBe(60)
    for (const throttle of throttles) expect(throttle.waitSeconds('192.0.2.2', wrong)).toBe(0)
    const late = new LoginThrottle({ bus: join(coordinator) })
    await turns()
    expect(late.waitSeconds(from, wrong)).toBe(60)
  })

  it('ends on every worker after a minute', async () => {
    let now = 0
    const clock = { now: () => now }
    const coordinator = new WorkerCoordinator(clock)
    const [one, other] = [0, 1].map(() => new LoginThrottle({ ...clock, bus: join(coordinator) }))
    for (let at = 0; at < 30; at++) one?.failed(from, wrong)
    await turns()
    now = 59_999
    expect(other?.waitSeconds(from, wrong)).toBe(1)
    now = 60_000
    expect(other?.waitSeconds(from, wrong)).toBe(0)
  })

  it('admits on all workers credentials that were right from there on any worker', async () => {
    const coordinator = new WorkerCoordinator()
    const [one, other] = [0, 1].map(() => new LoginThrottle({ bus: join(coordinator) }))
    one?.succeeded(from, right)
    for (let at = 0; at < 30; at++) other?.failed(from, wrong)
    await turns(8)
    expect(other?.waitSeconds(from, right)).toBe(0)
    expect(other?.waitSeconds(from, wrong)).toBe(60)
  })

  it('costs no message without failed logins', async () => {
    const bus = join(new WorkerCoordinator())
    const throttle = new LoginThrottle({ bus })
    throttle.succeeded(from, right)
    expect(throttle.waitSeconds(from, right)).toBe(0)
    await turns()
    expect(bus.said()).toBe(0)
  })
})

/**
 * Workers that answer a recall do so in time, also where this process is stopped for longer than a shop would
 * wait.
 */
const recallMs = 20_000

function worker(coordinator: WorkerCoordinator) {
  const bus = join(coordinator)
  const exits = new Exits({
    feed: new MemoryFeed(),
    names: staticNames(() => undefined),
    bus,
    onFault: () => undefined,
  })
  return { exits, ...bus }
}

const limited = (most: number | null) => new MemoryFeed().addExit('residential', { max_connections: most })

describe('the limit of an exit', () => {
  it('is reached by all workers together, to the last connection, on any worker', async () => {
    const coordinator = new WorkerCoordinator({ recallMs })
    const workers = [worker(coordinator), worker(coordinator), worker(coordinator)]
    const exit = limited(5)
    const tries = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => await workers[at % 3]?.exits.acquire(exit)),
    )
    expect(tries.filter((slot) => slot === 'full')).toHaveLength(7)
    const slots = tries.filter((slot) => typeof slot === 'object')
    slots[0]?.release()
    // The free permit goes to the next worker that requests one, although another worker held it.
    const next = await Promise.all(workers.map(async ({ exits }) => await exits.acquire(exit)))
    expect(next.filter((slot) => typeof slot === 'object')).toHaveLength(1)
  })

  it('of one connection holds with any number of workers', async () => {
    const coordinator = new WorkerCoordinator({ recallMs })
    const [one, other] = [worker(coordinator), worker(coordinator)]
    const exit = limited(1)
    const slot = (await one.exits.acquire(exit)) as ExitSlot
    expect(await other.exits.acquire(exit)).toBe('full')
    slot.release()
    await eventually(() => one.said() === 2, 'what is idle to be given back')
    expect(typeof (await other.exits.acquire(exit))).toBe('object')
  })

  it('is available again when the worker that used it up has ended', async () => {
    const coordinator = new WorkerCoordinator({ recallMs })
    const [one, other] = [worker(coordinator), worker(coordinator)]
    const exit = limited(2)
    await one.exits.acquire(exit)
    await one.exits.acquire(exit)
    expect(await other.exits.acquire(exit)).toBe('full')
    one.leave()
    expect(typeof (await other.exits.acquire(exit))).toBe('object')
  })

  it('is never exceeded, for any sequence of events', async () => {
    const step = fc.record({ at: fc.nat(2), act: fc.constantFrom('enter', 'enter', 'leave', 'pause') })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 40 }),
        async (most, steps) => {
          let now = 0
          const coordinator = new WorkerCoordinator({ now: () => now, recallMs })
          const workers = [worker(coordinator), worker(coordinator), worker(coordinator)]
          const exit = limited(most)
          const slots: ExitSlot[] = []
          const entering: Promise<void>[] = []
          const open = () => workers.reduce((sum, { exits }) => sum + exits.health.connections(exit.id), 0)
          for (const { at, act } of steps) {
            if (act === 'enter') {
              const entered = async () => {
                const slot = await workers[at]?.exits.acquire(exit)
                if (typeof slot === 'object') slots.push(slot)
                expect(open()).toBeLessThanOrEqual(most)
              }
              entering.push(entered())
            } else if (act === 'leave') slots.splice(at, 1)[0]?.release()
            else {
              now += at * 5
              await turns(at + 1)
            }
          }
          await Promise.all(entering)
          expect(open()).toBe(slots.length)
          // No permit was lost: one worker alone can use all of them again.
          await turns(20)
          for (const slot of slots) slot.release()
          now += 10
          const again = await Promise.all(
            Array.from({ length: most }, async () => await workers[0]?.exits.acquire(exit)),
          )
          expect(again.filter((slot) => typeof slot === 'object')).toHaveLength(most)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('costs no message for an exit without one', async () => {
    const { exits, said } = worker(new WorkerCoordinator())
    expect(typeof (await exits.acquire(limited(null)))).toBe('object')
    expect(said()).toBe(0)
  })
})
