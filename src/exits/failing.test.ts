import { sql } from 'kysely'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exitHealth, exitsDown, noteAnswers, watchExits } from '#exits'
import { answerClasses, type ExitAnswers } from '#feed/exit.answers'
import type { Database } from '#db'
import { testDatabase } from '#test/database'

let database: Database
let db: Database['db']
const exits: Record<string, bigint> = {}
let now: Date

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  for (const [name, pool] of [
    ['one', 'mobile'],
    ['two', 'mobile'],
    ['alone', 'datacenter'],
  ] as const) {
    const { rows } = await sql<{ id: bigint }>`
      insert into exit (pool, name, kind, everywhere) values (${pool}, ${name}, 'direct', true) returning id`.execute(
      db,
    )
    exits[name] = rows[0]?.id ?? 0n
  }
})
afterAll(() => database.close())
beforeEach(async () => {
  now = new Date('2026-11-23T12:57:30Z')
  await sql`delete from exit_watch`.execute(db)
  await sql`delete from exit_hour`.execute(db)
  await sql`delete from exit_minute`.execute(db)
  await sql`delete from exit_error`.execute(db)
})

const note = (name: string, { failed = 0, answered = 0, word = '' }) => {
  const classes = Array.from({ length: answerClasses }, (_, index) => (index === 3 ? answered : 0))
  const last = word === '' ? {} : { last: { code: 'exit_failed', status: 503, word } }
  return noteAnswers(db, [{ exit: exits[name] ?? 0n, failed, answered: classes, ...last }], now)
}
const minute = async (told: () => Promise<void> = async () => undefined) => {
  now = new Date(now.getTime() + 60_000)
  await told()
  await watchExits(db, now)
}
const down = async () => {
  const found = await exitsDown(db, { now, minutes: 5n })
  return { exits: found.exits.map(({ name }) => name), pools: found.pools }
}

describe('an exit', () => {
  it('is down when all attempts have failed for some minutes, through the end of an hour, until one succeeds', async () => {
    await minute(() => note('one', { answered: 90, failed: 2 }))
    await minute(() => note('one', { failed: 3 }))
    for (let index = 0; index < 4; index++) await minute(() => note('one', { failed: 1 }))
    expect(await down()).toEqual({ exits: [], pools: [] })
    await minute()
    expect(await down()).toEqual({ exits: ['one'], pools: [] })
    await minute(() => note('two', { failed: 9 }))
    for (let index = 0; index < 5; index++) await minute()
    expect(await down()).toEqual({ exits: ['one', 'two'], pools: ['mobile'] })
    await minute(() => note('one', { answered: 1, failed: 5 }))
    expect(await down()).toEqual({ exits: ['two'], pools: [] })
  })

  it('is not down after a few failures, nor without attempts, nor when it is disabled', async () => {
    await minute(() => note('alone', { failed: 2 }))
    for (let index = 0; index < 9; index++) await minute()
    expect(await down()).toEqual({ exits: [], pools: [] })
    await minute(() => note('alone', { failed: 1 }))
    expect(await down()).toEqual({ exits: ['alone'], pools: ['datacenter'] })
    await sql`update exit set enabled = false where name = 'alone'`.execute(db)
    expect(await down()).toEqual({ exits: [], pools: [] })
    await sql`update exit set enabled = true where name = 'alone'`.execute(db)
  })

  it('shows its health, since when, and its last failure in the seller’s words', async () => {
    const told = async () => {
      const known = (await exitHealth(db, now)).get(exits.one ?? 0n)
      return { health: known?.health, since: known?.since, word: known?.error?.word }
    }
    expect(await told()).toEqual({ health: null, since: null, word: undefined })
    await minute(() => note('one', { answered: 90, failed: 2 }))
    const began = now
    expect(await told()).toEqual({ health: 'up', since: began, word: undefined })
    await minute(() => note('one', { answered: 9, failed: 30, word: 'pool\u0007 exhausted' }))
    expect(await told()).toEqual({ health: 'degraded', since: now, word: 'pool? exhausted' })
    for (let index = 0; index < 6; index++) await minute()
    expect(await told()).toMatchObject({ health: 'degraded' })
    await minute(() => note('one', { failed: 5, word: 'account suspended' }))
    const failed = now
    await minute()
    expect(await told()).toEqual({ health: 'down', since: failed, word: 'account suspended' })
    const minutes = (await exitHealth(db, now)).get(exits.one ?? 0n)?.minutes
    expect(minutes?.map((one) => [one.answered, one.failed])).toEqual([
      [90n, 2n],
      [9n, 30n],
      [0n, 5n],
    ])
    await minute(() => note('one', { answered: 30 }))
    expect(await told()).toEqual({ health: 'up', since: now, word: 'account suspended' })
    now = new Date(now.getTime() + 3_600_000)
    await minute()
    expect((await exitHealth(db, now)).get(exits.one ?? 0n)?.minutes).toEqual([])
  })

  it('ignores a malformed failure of a forged heartbeat', async () => {
    for (const last of [null, 7, { code: 'A B', status: 1, word: '' }, { code: 'x'.repeat(65) }])
      await noteAnswers(
        db,
        [
          {
            exit: exits.one ?? 0n,
            failed: 1,
            answered: Array<number>(answerClasses).fill(0),
            last,
          } as ExitAnswers,
        ],
        now,
      )
    expect((await exitHealth(db, now)).get(exits.one ?? 0n)?.error).toBeNull()
  })

  it('fails from the first failure after its last answer, in any order of counts and checks', async () => {
    const step = fc.record({
      failed: fc.nat(3),
      answered: fc.nat(1),
      minutes: fc.integer({ min: 1, max: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        await sql`delete from exit_watch`.execute(db)
        await sql`delete from exit_hour`.execute(db)
        let since: number | null = null
        let failures = 0
        for (const { failed, answered, minutes } of steps) {
          now = new Date(now.getTime() + (minutes - 1) * 60_000)
          await minute(() =>
            failed + answered === 0 ? Promise.resolve() : note('alone', { failed, answered }),
          )
          if (answered > 0) [since, failures] = [null, 0]
          else if (failed > 0) [since, failures] = [since ?? now.getTime(), failures + failed]
        }
        const isDown = since !== null && failures >= 3 && now.getTime() - since >= 5 * 60_000
        expect((await down()).exits).toEqual(isDown ? ['alone'] : [])
      }),
      { numRuns: 25 },
    )
  })
})
