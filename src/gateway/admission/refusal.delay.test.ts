import { expect, it } from 'vitest'
import { RefusalDelay } from './refusal.delay.ts'

/** The total time of a refusal whose lookup takes `tookMs`, on a fake clock. */
function bench() {
  let now = 0
  let answeredAt = 0
  const wait = (ms: number) => {
    answeredAt = now + Math.max(0, ms)
    return Promise.resolve()
  }
  const delay = new RefusalDelay({ now: () => now, wait, chance: () => 0.5 })
  return async (tookMs: number, passMs = 1) => {
    now += passMs
    const startedAt = now
    now += tookMs
    await delay.wait(startedAt)
    return answeredAt - startedAt
  }
}

it('a refusal takes the same time with and without a lookup', async () => {
  const refuse = bench()
  expect([await refuse(0), await refuse(3), await refuse(20), await refuse(0.01)]).toEqual([55, 55, 55, 55])
})

it('slower lookups delay all refusals alike', async () => {
  const refuse = bench()
  await refuse(120)
  expect([await refuse(0), await refuse(90), await refuse(110)]).toEqual([245, 245, 245])
})

it('a slow lookup counts for two minutes, and one by a hanging feed delays no other refusal by seconds', async () => {
  const refuse = bench()
  await refuse(100)
  expect(await refuse(0, 61_000)).toBe(205)
  expect(await refuse(0, 61_000)).toBe(55)
  await refuse(15_000)
  expect(await refuse(0)).toBe(2005)
})
