import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type Database, databaseTime } from '#db'
import { testDatabase } from '#test/database'

const day = 24 * 3600_000
let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
afterEach(() => vi.useRealTimers())

/** Shifts the machine's wall clock; its monotonic clock is not affected. */
const setClock = (byMs: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs })

it.each([-4 * day, -31_000, 31_000, 400 * day])(
  'the clock is the database’s, on a machine that is %i ms off',
  async (byMs) => {
    const { clock, db } = database
    expect(clock.isRight).toBe(true)
    expect(clock.aheadMs).toBeCloseTo(0, -3)
    setClock(byMs)
    const between = [await databaseTime(db), clock.now(), await databaseTime(db)]
    // Two readings of one clock, some milliseconds apart.
    const slack = 50
    expect(between[1]?.getTime()).toBeGreaterThan((between[0]?.getTime() ?? 0) - slack)
    expect(between[1]?.getTime()).toBeLessThan((between[2]?.getTime() ?? 0) + slack)
    expect(clock.isRight).toBe(false)
    expect(Math.abs(clock.aheadMs - byMs)).toBeLessThan(5_000)
    await clock.refresh()
    expect(clock.isRight).toBe(false)
  },
)

it('the clock continues while the database is unavailable', async () => {
  const own = await testDatabase()
  await own.close()
  await expect(own.clock.refresh()).rejects.toThrow('Cannot use a pool')
  const before = own.clock.now().getTime()
  await expect.poll(() => own.clock.now().getTime()).toBeGreaterThan(before)
})
