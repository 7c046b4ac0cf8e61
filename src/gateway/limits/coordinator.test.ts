import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { GuessingBrake } from '../admission/login.throttle.ts'
import { credentialsOf } from '../admission/credentials.ts'
import { Exits } from '../exits/exits.ts'
import type { Seat } from '../exits/health.ts'
import { Family } from './coordinator.ts'
import { join } from '../testing/bus.ts'
import { MemoryFeed } from '#feed/testing'

const turns = async (count = 4) => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve))
}

const right = credentialsOf(Buffer.from('alice1'), Buffer.from('secret'))
const wrong = credentialsOf(Buffer.from('alice1'), Buffer.from('wrong'))
const from = '192.0.2.1'

describe('the brake on guessing', () => {
  it('counts wrong passwords over all workers, and tells one that is started again', async () => {
    const family = new Family()
    const brakes = Array.from({ length: 3 }, () => new GuessingBrake({ siblings: join(family) }))
    for (let at = 0; at < 30; at++) {
      for (const brake of brakes) expect(brake.waitSeconds(from, wrong)).toBe(0)
      brakes[at % 3]?.failed(from, wrong)
      await turns()
    }
    for (const brake of brakes) expect(brake.waitSeconds(from, wrong)).toBe(60)
    for (const brake of brakes) expect(brake.waitSeconds('192.0.2.2', wrong)).toBe(0)
    const late = new GuessingBrake({ siblings: join(family) })
    await turns()
    expect(late.waitSeconds(from, wrong)).toBe(60)
  })

  it('lets go on every worker after a minute', async () => {
    let now = 0
    const clock = { now: () => now }
    const family = new Family(clock)
    const [one, other] = [0, 1].map(() => new GuessingBrake({ ...clock, siblings: join(family) }))
    for (let at = 0; at < 30; at++) one?.failed(from, wrong)
    await turns()
    now = 59_999
    expect(other?.waitSeconds(from, wrong)).toBe(1)
    now = 60_000
    expect(other?.waitSeconds(from, wrong)).toBe(0)
  })

  it('lets through everywhere who showed the right password from there to any worker', async () => {
    const family = new Family()
    const [one, other] = [0, 1].map(() => new GuessingBrake({ siblings: join(family) }))
    one?.succeeded(from, right)
    for (let at = 0; at < 30; at++) other?.failed(from, wrong)
    await turns(8)
    expect(other?.waitSeconds(from, right)).toBe(0)
    expect(other?.waitSeconds(from, wrong)).toBe(60)
  })

  it('costs nobody a word who does not guess', async () => {
    const siblings = join(new Family())
    const brake = new GuessingBrake({ siblings })
    brake.succeeded(from, right)
    expect(brake.waitSeconds(from, right)).toBe(0)
    await turns()
    expect(siblings.said()).toBe(0)
  })
})

function worker(family: Family) {
  const siblings = join(family)
  const exits = new Exits({ feed: new MemoryFeed(), siblings, onFault: () => undefined })
  return { exits, ...siblings }
}

const limited = (most: number | null) => new MemoryFeed().addExit('residential', { max_connections: most })

describe('the limit of an exit', () => {
  it('is met by all workers together, to the last connection, wherever they come', async () => {
    const family = new Family()
    const workers = [worker(family), worker(family), worker(family)]
    const exit = limited(5)
    const tries = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => await workers[at % 3]?.exits.enter(exit)),
    )
    expect(tries.filter((seat) => seat === 'full')).toHaveLength(7)
    const seats = tries.filter((seat) => typeof seat === 'object')
    seats[0]?.leave()
    // The one that has become free is had by whoever comes next, though another worker held it.
    const next = await Promise.all(workers.map(({ exits }) => exits.enter(exit)))
    expect(next.filter((seat) => typeof seat === 'object')).toHaveLength(1)
  })

  it('of one is one, with any number of workers', async () => {
    const family = new Family()
    const [one, other] = [worker(family), worker(family)]
    const exit = limited(1)
    const seat = (await one.exits.enter(exit)) as Seat
    expect(await other.exits.enter(exit)).toBe('full')
    seat.leave()
    await eventually(() => one.said() === 2, 'what is idle to be given back')
    expect(typeof (await other.exits.enter(exit))).toBe('object')
  })

  it('is free again when the worker that used it up has ended', async () => {
    const family = new Family()
    const [one, other] = [worker(family), worker(family)]
    const exit = limited(2)
    await one.exits.enter(exit)
    await one.exits.enter(exit)
    expect(await other.exits.enter(exit)).toBe('full')
    one.leave()
    expect(typeof (await other.exits.enter(exit))).toBe('object')
  })

  it('is never passed, whatever happens', async () => {
    const step = fc.record({ at: fc.nat(2), act: fc.constantFrom('enter', 'enter', 'leave', 'pause') })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 40 }),
        async (most, steps) => {
          let now = 0
          const family = new Family({ now: () => now })
          const workers = [worker(family), worker(family), worker(family)]
          const exit = limited(most)
          const seats: Seat[] = []
          const entering: Promise<void>[] = []
          const open = () => workers.reduce((sum, { exits }) => sum + exits.health.connections(exit.id), 0)
          for (const { at, act } of steps) {
            if (act === 'enter') {
              const entered = async () => {
                const seat = await workers[at]?.exits.enter(exit)
                if (typeof seat === 'object') seats.push(seat)
                expect(open()).toBeLessThanOrEqual(most)
              }
              entering.push(entered())
            } else if (act === 'leave') seats.splice(at, 1)[0]?.leave()
            else {
              now += at * 5
              await turns(at + 1)
            }
          }
          await Promise.all(entering)
          expect(open()).toBe(seats.length)
          // Nothing is lost on the way: as many as ever fit in again, through one worker alone.
          await turns(20)
          for (const seat of seats) seat.leave()
          now += 10
          const again = await Promise.all(
            Array.from({ length: most }, async () => await workers[0]?.exits.enter(exit)),
          )
          expect(again.filter((seat) => typeof seat === 'object')).toHaveLength(most)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('costs no word where there is none', async () => {
    const { exits, said } = worker(new Family())
    expect(typeof (await exits.enter(limited(null)))).toBe('object')
    expect(said()).toBe(0)
  })
})
