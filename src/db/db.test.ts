import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#test/database'
import {
  type Database,
  DatabaseUnavailable,
  type Db,
  enclosingTransaction,
  openDatabase,
  transaction,
} from './db.ts'
import { external } from './connections/external.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query('create table counter (id int primary key, n bigint not null)')
  await database.pool.query('insert into counter values (1, 0), (2, 0)')
})
afterAll(() => database.close())

const counter = async (id: number) => {
  const { rows } = await database.pool.query<{ n: bigint }>('select n from counter where id = $1', [id])
  return rows[0]?.n
}

async function until(what: string, condition: () => boolean | Promise<boolean>, withinMs = 10_000) {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`)
    await sleep(10)
  }
}

it('the driver reads int8 as bigint, int8[] as bigint[] and date as text, in the pool and in Kysely', async () => {
  const text = `select 9007199254740993::int8 as big, array[1, null, -9223372036854775808]::int8[] as list,
    '{}'::int8[] as none, '2026-02-28'::date as day, 7::int4 as small, now() as at`
  const expected = {
    big: 9007199254740993n,
    list: [1n, null, -9223372036854775808n],
    none: [],
    day: '2026-02-28',
    small: 7,
    at: expect.any(Date),
  }
  expect((await database.pool.query(text)).rows).toEqual([expected])
  expect((await sql.raw(text).execute(database.db)).rows).toEqual([expected])
})

describe('transaction', () => {
  it('commits what resolves and rolls back what throws', async () => {
    await transaction(database.db, (tx) => sql`update counter set n = 10 where id = 1`.execute(tx))
    expect(await counter(1)).toBe(10n)
    const failing = transaction(database.db, async (tx) => {
      await sql`update counter set n = 20 where id = 1`.execute(tx)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await counter(1)).toBe(10n)
  })

  it('in an enclosing one is rolled back alone, and the rest is committed', async () => {
    const set = (db: Db, n: number) => sql`update counter set n = ${n} where id = 2`.execute(db)
    await enclosingTransaction(database.db, async (outer) => {
      await set(outer, 40)
      const inner = transaction(outer, async (tx) => {
        await set(tx, 41)
        await transaction(tx, () => sql`select 1 / 0`.execute(tx))
      })
      await expect(inner).rejects.toThrow('division by zero')
      await transaction(outer, (tx) => sql`update counter set n = n + 2 where id = 2`.execute(tx))
    })
    expect(await counter(2)).toBe(42n)
    await set(database.db, 0)
  })

  it('joins the transaction it is given', async () => {
    const failing = transaction(database.db, async (outer) => {
      await transaction(outer, (tx) => sql`update counter set n = 30 where id = 1`.execute(tx))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await counter(1)).toBe(10n)
  })

  it('runs again after a deadlock', async () => {
    await database.pool.query('update counter set n = 0')
    let runs = 0
    let holding = 0
    const add = (first: number, second: number) =>
      transaction(database.db, async (tx) => {
        runs++
        await sql`update counter set n = n + 1 where id = ${first}`.execute(tx)
        // Both hold their first row before either requests the other's.
        holding++
        await until('the other transaction to hold its row', () => holding >= 2)
        await sql`update counter set n = n + 1 where id = ${second}`.execute(tx)
      })
    await Promise.all([add(1, 2), add(2, 1)])
    // Once more, or twice: PostgreSQL may abort both.
    expect(runs).toBeGreaterThanOrEqual(3)
    expect(runs).toBeLessThanOrEqual(4)
    expect([await counter(1), await counter(2)]).toEqual([2n, 2n])
  })

  it('gives up after five serialization failures', async () => {
    let runs = 0
    const failing = transaction(database.db, async (tx) => {
      runs++
      await sql`do $$ begin raise exception 'again' using errcode = 'serialization_failure'; end $$`.execute(
        tx,
      )
    })
    await expect(failing).rejects.toThrow('again')
    expect(runs).toBe(5)
  })

  it('does not run again after another error', async () => {
    let runs = 0
    const failing = transaction(database.db, async (tx) => {
      runs++
      await sql`insert into counter values (1, 0)`.execute(tx)
    })
    await expect(failing).rejects.toMatchObject({ code: '23505' })
    expect(runs).toBe(1)
  })
})

describe('listen', () => {
  it('receives notifications until it is ended, while other listeners go on', async () => {
    const [first, second, other]: string[][] = [[], [], []]
    const end = await database.listen('Fruit "x"', (payload) => first?.push(payload))
    await database.listen('Fruit "x"', (payload) => second?.push(payload))
    const endOther = await database.listen('nuts', (payload) => other?.push(payload))
    const notify = (channel: string, payload: string) =>
      database.pool.query('select pg_notify($1, $2)', [channel, payload])
    await notify('Fruit "x"', 'apple')
    await notify('nuts', '')
    await until('both heard', () => second?.length === 1 && other?.length === 1)
    await end()
    await end()
    await endOther()
    await notify('nuts', 'hazel')
    await notify('Fruit "x"', 'pear')
    await until('the other hears on', () => second?.length === 2)
    expect([first, second, other]).toEqual([['apple'], ['apple', 'pear'], ['']])
  })

  it('reconnects after its connection is lost, and reports a gap', async () => {
    const heard: string[] = []
    let gaps = 0
    await database.listen('gap', (payload) => heard.push(payload), { onGap: () => gaps++ })
    const { rowCount } = await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'turnpike listen' and datname = current_database()`,
    )
    expect(rowCount).toBe(1)
    await until('the gap is told', () => gaps === 1)
    await database.pool.query(`notify gap, 'after'`)
    await until('it hears again', () => heard.length === 1)
    expect(heard).toEqual(['after'])
  })

  it('starts to listen while the connection is being restored', async () => {
    const heard: string[] = []
    await database.listen('early', () => undefined)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'turnpike listen' and datname = current_database()`,
    )
    await database.listen('late', (payload) => heard.push(payload))
    await database.pool.query(`notify late, 'yes'`)
    await until('it hears', () => heard.length === 1)
  })
})

describe('DATABASE_URL', () => {
  const open = (databaseUrl: string) => openDatabase({ databaseUrl, dataDir: '', role: 'guest' })

  it('that is not a PostgreSQL address is refused with a sentence', async () => {
    for (const url of ['mysql://u:secret@h/d', 'not a url', '/tmp/secret'])
      await expect(open(url)).rejects.toThrow(/^DATABASE_URL is not a PostgreSQL address/)
  })

  it('that refuses the login is refused at once, without the password', async () => {
    const url = new URL(database.url)
    url.username = 'stranger'
    url.password = 'secret'
    const refused = await open(url.href).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DatabaseUnavailable)
    expect(String(refused)).toMatch(/cannot be used: role "stranger" does not exist/)
    expect(String(refused)).not.toContain('secret')
  })

  it('where no server answers is retried, then refused', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const startedAt = performance.now()
    await expect(external(`postgresql://u:secret@127.0.0.1:${port}/d`, { patienceMs: 600 })).rejects.toThrow(
      `The PostgreSQL at 127.0.0.1:${port}/d (DATABASE_URL) cannot be used: connect ECONNREFUSED 127.0.0.1:${port}.`,
    )
    expect(performance.now() - startedAt).toBeGreaterThan(600)
  })
})

it('a pool can be closed twice', async () => {
  const second = await openDatabase({ databaseUrl: database.url, dataDir: '', role: 'guest' })
  await second.listen('x', () => undefined)
  await Promise.all([second.close(), second.close()])
  await expect(second.pool.query('select')).rejects.toThrow('after calling end')
})
