/**
 * Outages of the database: closed connections, silent servers, unanswered commits, a replica in place of the
 * primary.
 */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '#test/database'
import { type Relay, startRelay } from '#test/relay'
import { isDatabaseAway } from './away.ts'
import { type Database, inSnapshot, openDatabase, transaction } from '../db.ts'

let home: Database
beforeAll(async () => {
  home = await testDatabase()
  await home.pool.query('create table mark (n bigint primary key)')
})
afterAll(() => home.close())

let relay: Relay
let database: Database
beforeEach(async () => {
  relay = await startRelay(home.url)
  await home.pool.query('truncate mark')
  database = await openDatabase({ databaseUrl: relay.urlOf(home.url), dataDir: '', role: 'guest' })
})
afterEach(async () => {
  await Promise.all([relay.close(), database.close()])
})

const marks = async () => {
  const { rows } = await home.pool.query<{ n: bigint }>('select n from mark order by n')
  return rows.map(({ n }) => n)
}
const mark = (n: number) => sql`insert into mark values (${n})`

describe('a transaction', () => {
  it.each(['lost', 'unanswered'] as const)(
    'is repeated when its connection breaks before the commit (%s)',
    async (fate) => {
      const met = relay.meet('insert into mark', fate)
      let runs = 0
      await transaction(database.db, async (tx) => {
        runs++
        await mark(1).execute(tx)
      })
      await met
      expect(runs).toBe(2)
      expect(await marks()).toEqual([1n])
    },
  )

  it.each(['lost', 'unanswered'] as const)('is not repeated when the commit is %s', async (fate) => {
    const met = relay.meet('commit', fate)
    let runs = 0
    const failing = transaction(database.db, async (tx) => {
      runs++
      await mark(2).execute(tx)
    })
    const error = await failing.catch((fault: unknown) => fault)
    await met
    expect(isDatabaseAway(error)).toBe(true)
    expect(runs).toBe(1)
    // Only the server knows the outcome.
    expect(await marks()).toEqual(fate === 'lost' ? [] : [2n])
  })

  it('begins on a new connection when all that were idle are dead', async () => {
    await Promise.all([1, 2, 3].map(() => database.pool.query('select pg_sleep(0.05)')))
    relay.cut()
    await transaction(database.db, (tx) => mark(3).execute(tx))
    expect(await marks()).toEqual([3n])
  })
})

describe('a server that is away for a moment', () => {
  it('is waited for by statements and transactions that have not begun', async () => {
    await relay.refuse()
    await expect.poll(() => database.pool.totalCount).toBe(0)
    const waiting = [
      sql`select 1 as one`.execute(database.db),
      transaction(database.db, (tx) => mark(4).execute(tx)),
      database.pool.query('select 1 as one'),
    ]
    await new Promise((resolve) => setTimeout(resolve, 300))
    await relay.accept()
    await Promise.all(waiting)
    expect(await marks()).toEqual([4n])
  })

  it('does not delay the end of a subscription', async () => {
    const unlisten = await database.listen('news', () => undefined)
    const watch = await database.watch()
    await relay.refuse()
    await expect.poll(() => watch.isAway).toBe(true)
    await unlisten()
    await database.close()
  })

  it('is waited for only for a limited time', async () => {
    await relay.refuse()
    const error = await database.pool.query('select').catch((fault: unknown) => fault)
    expect(isDatabaseAway(error)).toBe(true)
  })
})

describe('a server that falls silent', () => {
  it('delays a statement up to its time limit, and its connection is not used again', async () => {
    await sql`set statement_timeout = 60`.execute(database.db)
    const met = relay.meet('insert into mark', 'silence')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const failing = mark(5)
        .execute(database.db)
        .catch((fault: unknown) => fault)
      await met
      // The server's statement_timeout, and five seconds for the answer.
      vi.advanceTimersByTime(5_059)
      await new Promise((resolve) => setImmediate(resolve))
      vi.advanceTimersByTime(2)
      expect(isDatabaseAway(await failing)).toBe(true)
    } finally {
      vi.useRealTimers()
    }
    const before = relay.made()
    await mark(6).execute(database.db)
    expect(relay.made()).toBe(before + 1)
    expect(await marks()).toEqual([6n])
  })

  it('is waited for without a time limit in a snapshot', async () => {
    await sql`set statement_timeout = 60`.execute(database.db)
    const rows = await inSnapshot(database.db, async (tx) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        const slow = sql<{ n: number }>`select 7 as n from pg_sleep(0.1)`.execute(tx)
        await new Promise((resolve) => setImmediate(resolve))
        vi.advanceTimersByTime(60_000)
        return (await slow).rows
      } finally {
        vi.useRealTimers()
      }
    })
    expect(rows).toEqual([{ n: 7 }])
  })
})
