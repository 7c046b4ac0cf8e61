import { expect, it } from 'vitest'
import { eventually } from '#test/eventually'
import { PermitPool } from './permit.pool.ts'

/** A pool whose requests the test answers. */
function begin() {
  let open = 0
  const asked: { want: number; answer: (granted: number) => void; fail: () => void }[] = []
  const faults: unknown[] = []
  const pool = new PermitPool({
    open: () => open,
    request: (_id, { want }) =>
      new Promise((resolve, reject) => {
        asked.push({ want, answer: resolve, fail: () => reject(new Error('away')) })
      }),
    idleMs: 1,
    onFault: (fault) => void faults.push(fault),
  })
  const enter = async () => {
    const opened = pool.enter(1n, 10)
    const isCovered = await pool.covers(1n).catch(() => 'away')
    if (isCovered === true) open++
    opened()
    return isCovered
  }
  const leave = () => {
    open--
    pool.left(1n)
  }
  const question = async (at: number) => {
    await eventually(() => asked.length > at, `question ${at}`)
    return asked[at]
  }
  return { pool, enter, leave, question, asked, faults }
}

it('the pool of permits sends one request for all connections that arrive while the answer is under way', async () => {
  const { enter, question, asked } = begin()
  const first = enter()
  const others = [enter(), enter()]
  // The request is made after all of them have entered, so it covers all.
  const asking = await question(0)
  expect(asking?.want).toBe(3)
  asking?.answer(3)
  expect(await Promise.all([first, ...others])).toEqual([true, true, true])
  expect(asked).toHaveLength(1)
})

it('the pool of permits uses no permit that is being returned', async () => {
  const { enter, leave, question } = begin()
  const two = Promise.all([enter(), enter()])
  ;(await question(0))?.answer(2)
  await two
  leave()
  const givingBack = await question(1)
  expect(givingBack?.want).toBe(1)
  // The second permit is already being returned.
  const next = enter()
  givingBack?.answer(1)
  const asking = await question(2)
  expect(asking?.want).toBe(2)
  asking?.answer(1)
  expect(await next).toBe(false)
})

it('the pool of permits returns permits again when the return was not received', async () => {
  const { enter, leave, question, faults } = begin()
  const first = enter()
  ;(await question(0))?.answer(1)
  expect(await first).toBe(true)
  leave()
  ;(await question(1))?.fail()
  const again = await question(2)
  expect([again?.want, faults]).toEqual([0, [new Error('away')]])
  again?.answer(0)
})

it('the pool of permits returns permits that a lost answer may have granted', async () => {
  const { enter, question } = begin()
  const first = enter()
  ;(await question(0))?.fail()
  expect(await first).toBe('away')
  const again = await question(1)
  expect(again?.want).toBe(0)
  again?.answer(0)
})
