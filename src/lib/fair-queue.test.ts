import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

interface Piece {
  name: string
  end: (how?: 'fail') => void
  outcome: Promise<string>
}

/** A queue whose work ends when the test says so. */
function workshop(bounds: { atOnce: number; waiting: number }) {
  const queue = new FairQueue(bounds)
  const begun: string[] = []
  const ask = (name: string, ...path: string[]): Piece => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const outcome = queue
      .run(path, () => {
        begun.push(name)
        return promise
      })
      .then(
        () => 'done',
        (fault: Error) => fault.message,
      )
    return { name, end: (how) => (how === 'fail' ? reject(new Error('it failed')) : resolve()), outcome }
  }
  return { ask, begun }
}

describe('work of several groups', () => {
  it('is done in turns of the groups, each in the order of arrival', async () => {
    const { ask, begun } = workshop({ atOnce: 1, waiting: 10 })
    const pieces = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name, name[0] ?? ''))
    for (const { end } of pieces) {
      end()
      await setImmediate()
    }
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('is done in turns within a group too, and a group has one turn, whatever its size', async () => {
    const { ask, begun } = workshop({ atOnce: 1, waiting: 10 })
    const pieces = [
      ask('first', 'x', 'y', 'z'),
      ...['1', '2', '3'].map((n) => ask(`a1.${n}`, 'a', 'a1', `${n}`)),
      ask('a2', 'a', 'a2', '1'),
      ask('b', 'b', 'b1', '1'),
    ]
    for (const { end } of pieces) end()
    await setImmediate()
    expect(begun).toEqual(['first', 'a1.1', 'b', 'a2', 'a1.2', 'a1.3'])
  })

  it('continues when a piece of it fails', async () => {
    const { ask, begun } = workshop({ atOnce: 1, waiting: 10 })
    const [first, second] = [ask('first', 'a'), ask('second', 'a')]
    first.end('fail')
    second.end()
    expect([await first.outcome, await second.outcome]).toEqual(['it failed', 'done'])
    expect(begun).toEqual(['first', 'second'])
  })
})

describe('a full queue', () => {
  it('refuses the newest work of the largest group, before it has begun', async () => {
    const { ask, begun } = workshop({ atOnce: 1, waiting: 3 })
    const running = ask('running', 'flood')
    const waiting = [1, 2, 3, 4, 5].map((n) => ask(`flood ${n}`, 'flood'))
    const newcomer = ask('newcomer', 'elsewhere')
    expect(await Promise.all(waiting.slice(2).map(({ outcome }) => outcome))).toEqual(
      Array.from({ length: 3 }, () => 'too_many_requests'),
    )
    for (const piece of [running, ...waiting, newcomer]) piece.end()
    await newcomer.outcome
    expect(begun.slice(0, 3)).toEqual(['running', 'flood 1', 'newcomer'])
    expect(await waiting[1]?.outcome).toBe('done')
  })

  it('says when to try again', async () => {
    const queue = new FairQueue({ atOnce: 1, waiting: 0 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const running = queue.run(['a'], () => promise)
    await expect(queue.run(['b'], () => promise)).rejects.toMatchObject({
      code: 'too_many_requests',
      retryAfterSeconds: 1,
      details: { seconds: 1 },
    })
    resolve()
    await running
  })

  it('that is full of single-item groups refuses a new group', async () => {
    const { ask } = workshop({ atOnce: 1, waiting: 2 })
    const pieces = ['a', 'b', 'c'].map((name) => ask(name, name))
    expect(await ask('d', 'd').outcome).toBe('too_many_requests')
    for (const { end } of pieces) end()
    expect(await Promise.all(pieces.map(({ outcome }) => outcome))).toEqual(['done', 'done', 'done'])
  })
})

it('the queue does accepted work once, within its concurrency, and leaves nothing waiting', async () => {
  const act = fc.oneof(
    { weight: 3, arbitrary: fc.record({ path: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)) }) },
    { weight: 2, arbitrary: fc.constant('end' as const) },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.record({ atOnce: fc.integer({ min: 1, max: 3 }), waiting: fc.nat(6) }),
      fc.array(act, { maxLength: 60 }),
      async (bounds, acts) => {
        const { ask, begun } = workshop(bounds)
        const pieces: Piece[] = []
        const ends = new Map<string, string>()
        const isOpen = ({ name }: Piece) => begun.includes(name) && !ends.has(name)
        for (const next of acts) {
          const open = pieces.filter(isOpen)
          if (next === 'end') open[0]?.end()
          else {
            const piece = ask(`piece ${pieces.length}`, ...next.path.map(String))
            void piece.outcome.then((end) => ends.set(piece.name, end))
            pieces.push(piece)
          }
          await setImmediate()
          const running = pieces.filter(isOpen).length
          const waits = pieces.length - ends.size - running
          expect(running).toBeLessThanOrEqual(bounds.atOnce)
          expect(waits).toBeLessThanOrEqual(bounds.waiting)
          if (waits > 0) expect(running).toBe(bounds.atOnce)
        }
        for (const { end } of pieces) end()
        await Promise.all(pieces.map(({ outcome }) => outcome))
        const done = pieces.filter(({ name }) => ends.get(name) === 'done').map(({ name }) => name)
        expect(begun.toSorted()).toEqual(done.toSorted())
      },
    ),
    { numRuns: 200 },
  )
})
