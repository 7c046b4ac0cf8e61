/** Several servers: finding the primary, and connections to a server that is no longer the primary. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Relay, startRelay } from '#test/relay'
import { type Postgres, startPostgres } from '#test/promises/postgres'
import { isDatabaseAway } from './away.ts'
import { type Database, openDatabase, transaction } from '../db.ts'
import { external } from './external.ts'
import { Listener } from './listener.ts'
import { DatabasePool } from './pool.ts'
import type { DB } from '../schema.ts'
import { parseServers, Servers } from './servers.ts'
import { sessionsOf } from './session.ts'

let first: Postgres
let second: Postgres
beforeAll(async () => {
  first = await startPostgres()
  second = await first.replica()
  const database = await open(first.url)
  await database.pool.query('create table mark (n bigint primary key)')
  await database.close()
})
afterAll(async () => {
  await Promise.all([first.close(), second.close()])
})

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close()
})

/** One address of several servers, in this order. */
function addressOf(...urls: string[]): string {
  const hosts = urls.map((url) => new URL(url).host)
  return (urls[0] ?? '').replace(/@[^/]+/, `@${hosts.join(',')}`)
}

async function open(databaseUrl: string, maxConnections = 10): Promise<Database> {
  return openDatabase({ databaseUrl, dataDir: '', role: 'guest', maxConnections })
}

async function relayTo(server: Postgres): Promise<Relay> {
  const relay = await startRelay(server.url)
  opened.push(relay)
  return relay
}

const portOf = async ({ pool }: Pick<Database, 'pool'>) => {
  const { rows } = await pool.query<{ port: string }>(`select current_setting('port') as port`)
  return rows[0]?.port
}
const portIn = (url: string) => new URL(url).port

describe('of several servers', () => {
  it('finds the primary at any position in the list', async () => {
    for (const urls of [
      [first.url, second.url],
      [second.url, first.url],
    ]) {
      const database = await open(addressOf(...urls))
      opened.push(database)
      expect(await portOf(database)).toBe(portIn(first.url))
    }
  })

  it('skips a server that cannot be reached', async () => {
    const gone = await relayTo(first)
    await gone.refuse()
    const database = await open(addressOf(gone.urlOf(first.url), second.url, first.url))
    opened.push(database)
    expect(await portOf(database)).toBe(portIn(first.url))
  })

  it('refuses with a sentence when none of them accepts writes', async () => {
    const refused = external(addressOf(second.url, second.url), { patienceMs: 100 })
    const { host } = new URL(second.url)
    await expect(refused).rejects.toThrow(
      `The PostgreSQL at ${host},${host}/postgres (DATABASE_URL) cannot be used: the server is a replica.`,
    )
  })
})

describe('a route that leads to a replica for a while', () => {
  it('is not used, and tried again', async () => {
    const route = await relayTo(first)
    const database = await open(route.urlOf(first.url))
    opened.push(database)
    await portOf(database)
    route.leadTo(second.url)
    route.cut()
    const writing = transaction(database.db, (tx) => sql`insert into mark values (1)`.execute(tx))
    await expect.poll(route.made, { interval: 10 }).toBeGreaterThan(4)
    route.leadTo(first.url)
    await writing
    expect(await portOf(database)).toBe(portIn(first.url))
  })
})

describe('a connection that no longer accepts writes', () => {
  const closedToWrites = async () => {
    const route = await relayTo(first)
    const database = await open(route.urlOf(first.url), 2)
    opened.push(database)
    await Promise.all([1, 2].map(() => database.pool.query('select pg_sleep(0.05)')))
    const idle = await Promise.all([database.pool.connect(), database.pool.connect()])
    for (const client of idle) {
      await client.query('set default_transaction_read_only = on')
      client.release()
    }
    return { route, database }
  }

  it.each([
    ['a statement', (db: Kysely<DB>) => sql`insert into mark values (2)`.execute(db)],
    [
      'a transaction',
      (db: Kysely<DB>) => transaction(db, (tx) => sql`insert into mark values (3)`.execute(tx)),
    ],
  ])('is replaced, and %s repeated', async (_name, write) => {
    const { route, database } = await closedToWrites()
    const before = route.made()
    await write(database.db)
    // All pooled connections led to that server: none is used again.
    await Promise.all([1, 2].map(() => database.pool.query('select pg_sleep(0.05)')))
    expect(route.made()).toBe(before + 2)
  })
})

describe('when the primary falls silent and another takes over', () => {
  it('pending queries fail, and new ones go to the new primary', async () => {
    const [toFirst, toSecond] = [await relayTo(first), await relayTo(second)]
    const address = addressOf(toFirst.urlOf(first.url), toSecond.urlOf(second.url))
    const servers = new Servers(parseServers(address, 'DATABASE_URL'), { mustBePrimary: true })
    const pool = new DatabasePool({ servers, maxConnections: 4, applicationName: 'test' })
    const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: sessionsOf(pool) }) })
    const listener = new Listener(servers, { pingEveryMs: 300, answerWithinMs: 200 })
    opened.push({ close: () => db.destroy() }, listener)
    let gaps = 0
    await listener.listen('news', () => undefined, { onGap: () => gaps++ })
    expect(await portOf({ pool })).toBe(portIn(first.url))
    // In flight: a query, and a transaction whose commit will not be answered.
    const asked = pool.query('select pg_sleep(60)').catch((fault: unknown) => fault)
    const met = toFirst.meet('commit', 'silence')
    const committing = transaction(db, (tx) => sql`insert into mark values (4)`.execute(tx)).catch(
      (fault: unknown) => fault,
    )
    await met
    toFirst.silence()
    await second.promote()
    for (const fault of await Promise.all([asked, committing])) expect(isDatabaseAway(fault)).toBe(true)
    await expect.poll(() => gaps, { timeout: 10_000 }).toBe(1)
    expect(await portOf({ pool })).toBe(portIn(second.url))
    await transaction(db, (tx) => sql`insert into mark values (5)`.execute(tx))
    expect(listener.isAway).toBe(false)
    expect(listener.awaySeconds).toBeGreaterThan(0)
  })
})
