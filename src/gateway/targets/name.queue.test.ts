import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Account, NameQueue, type Question } from './name.queue.ts'

const options = { asking: 20, askingReserved: 3, askingPerAccount: 8, waiting: 30 }

const questionOf = (name: string): Question => ({ name, family: 4, waiters: new Set(), queuedBy: [] })

describe('the queue of questions', () => {
  it('keeps its bounds, sends each question once and counts correctly, for any sequence of events', () => {
    const account = fc.integer({ min: 0, max: 6 }).map((id) => (id === 0 ? null : BigInt(id)))
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), account, name: fc.nat(30) }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('next' as const) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }) },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const queue = new NameQueue(options)
        const waiting = new Map<string, Question>()
        const asked: Account[] = []
        for (const one of steps) {
          if (one.kind === 'add') {
            const name = `${one.name}`
            const question = waiting.get(name) ?? questionOf(name)
            if (queue.add(question, queue.account(one.account))) waiting.set(name, question)
            else expect(one.account).not.toBeNull()
          } else if (one.kind === 'next') {
            const turn = queue.next()
            if (turn === null) continue
            expect(waiting.delete(turn.question.name)).toBe(true)
            expect(turn.question.queuedBy).toEqual([])
            expect(turn.account.asking).toBeLessThanOrEqual(turn.account.id === null ? 20 : 8)
            asked.push(turn.account)
          } else if (one.kind === 'answer') {
            const [account] = asked.splice(one.which % Math.max(1, asked.length), 1)
            if (account === undefined) continue
            queue.answered()
            queue.release(account)
          } else {
            const question = [...waiting.values()][one.which % Math.max(1, waiting.size)]
            if (question === undefined) continue
            queue.remove(question)
            waiting.delete(question.name)
          }
          expect(queue.queued).toBe(waiting.size)
          expect(queue.asking).toBe(asked.length)
          expect(asked.filter(({ id }) => id !== null).length).toBeLessThanOrEqual(17)
        }
        // In the end all questions are sent, as places become free.
        for (let left = waiting.size; left > 0; left--) {
          for (const account of asked.splice(0)) {
            queue.answered()
            queue.release(account)
          }
          const turn = queue.next()
          expect(turn).not.toBeNull()
          if (turn !== null) asked.push(turn.account)
        }
        expect(queue.queued).toBe(0)
      }),
    )
  })

  it('serves accounts in turns, and the operator first', () => {
    const queue = new NameQueue(options)
    const names = ['1a', '1b', '1c', '2a', '2b', '3a']
    for (const name of names) queue.add(questionOf(name), queue.account(BigInt(name[0] ?? 0)))
    queue.add(questionOf('op'), queue.account(null))
    const order = Array.from({ length: 8 }, () => queue.next()?.question.name)
    expect(order).toEqual(['op', '1a', '2a', '3a', '1b', '2b', '1c', undefined])
  })

  it('sends a shared question in the first turn of any waiting account', () => {
    const queue = new NameQueue(options)
    for (const name of ['a', 'b', 'c']) queue.add(questionOf(name), queue.account(1n))
    const shared = questionOf('shared')
    queue.add(shared, queue.account(1n))
    queue.add(shared, queue.account(2n))
    expect(queue.queued).toBe(4)
    const order = Array.from({ length: 5 }, () => queue.next()?.question.name)
    expect(order).toEqual(['a', 'shared', 'b', 'c', undefined])
  })
})
