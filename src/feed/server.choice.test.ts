import { describe, expect, it } from 'vitest'
import { ServerChoice } from './server.choice.ts'

const choiceOf = (servers: number, random = () => 0.5) =>
  new ServerChoice({
    servers,
    random,
    retryMs: { first: 100, last: 400 },
    restMs: { first: 1000, last: 8000 },
  })

/** Every attempt fails at once. */
function failedAttempts(choice: ServerChoice, count: number) {
  let now = 0
  return Array.from({ length: count }, () => {
    const { server, waitMs } = choice.next(now)
    now += waitMs
    choice.lost(server, now)
    return [server, waitMs]
  })
}

describe('the choice of a server', () => {
  it('waits longer and longer for a single one', () => {
    expect(failedAttempts(choiceOf(1), 5)).toEqual([
      [0, 0],
      [0, 75],
      [0, 150],
      [0, 300],
      [0, 300],
    ])
  })

  it('tries all of several in their order before it waits', () => {
    expect(failedAttempts(choiceOf(3), 7)).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
      [0, 75],
      [1, 0],
      [2, 0],
      [0, 150],
    ])
  })

  it('gives one of several little time at first, and more in every round', () => {
    const choice = choiceOf(2)
    const patience = Array.from({ length: 9 }, () => {
      const { server, patienceMs } = choice.next(0)
      choice.lost(server, 0)
      return patienceMs
    })
    expect(patience).toEqual([1500, 1500, 3000, 3000, 6000, 6000, 10_000, 10_000, 10_000])
    expect(choiceOf(1).next(0).patienceMs).toBe(10_000)
  })

  it('changes to the next at once, and offers the first again after its rest', () => {
    const choice = choiceOf(2)
    expect(choice.next(0)).toMatchObject({ server: 0, waitMs: 0 })
    choice.serves(0, 10)
    choice.lost(0, 5000)
    expect(choice.next(5000)).toMatchObject({ server: 1, waitMs: 0 })
    choice.serves(1, 5001)
    expect(choice.better(1, 5999)).toBeNull()
    expect(choice.better(1, 6000)).toBe(0)
    expect(choice.better(0, 6000)).toBeNull()
  })

  it('avoids a server for longer each time it is lost soon, and resets that when it serves for long', () => {
    const choice = choiceOf(2)
    const restAfter = (servedMs: number, now: number) => {
      choice.serves(0, now)
      choice.lost(0, now + servedMs)
      let restMs = 0
      while (choice.better(1, now + servedMs + restMs) === null) restMs += 250
      return restMs
    }
    expect([0, 1, 2, 3, 4, 5].map((time) => restAfter(500, time * 100_000))).toEqual([
      1000, 2000, 4000, 8000, 8000, 8000,
    ])
    expect(restAfter(8500, 700_000)).toBe(1000)
    // A failed attempt to return is not a loss of service.
    choice.lost(0, 720_000)
    expect(choice.better(1, 721_000)).toBe(0)
  })

  it('does not let all gateways return at the same moment', () => {
    const restOf = (random: number) => {
      const choice = choiceOf(2, () => random)
      choice.lost(0, 0)
      return [750, 1000, 1250].filter((now) => choice.better(1, now) === 0).length
    }
    expect([0, 0.5, 0.999].map(restOf)).toEqual([3, 2, 1])
  })
})
