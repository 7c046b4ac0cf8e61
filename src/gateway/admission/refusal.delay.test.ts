import { expect, it } from 'vitest'
import { RefusalDelay } from './refusal.delay.ts'

/** How long a refusal takes in all when its lookup takes `tookMs`, on a fake clock. */
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

it('a refusal is answered after the same time, whether it was known at once or had to be looked up', async () => {
  const refuse = bench()
  expect([await refuse(0), await refuse(3), await refuse(20), await refuse(0.01)]).toEqual([55, 55, 55, 55])
})

it('where lookups take longer, everybody waits for as long', async () => {
  const refuse = bench()
  await refuse(120)
  expect([await refuse(0), await refuse(90), await refuse(110)]).toEqual([245, 245, 245])
})

it('a slow moment is forgotten after two minutes, and one in which the feed hangs costs nobody else seconds', async () => {
  const refuse = bench()
  await refuse(100)
  expect(await refuse(0, 61_000)).toBe(205)
  expect(await refuse(0, 61_000)).toBe(55)
  await refuse(15_000)
  expect(await refuse(0)).toBe(2005)
})
