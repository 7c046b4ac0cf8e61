import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Postgres, startPostgres } from '#test/promises/postgres'
import { type Relay, startRelay } from '#test/relay'
import { openDatabase } from './db.ts'
import { DatabasePool } from './connections/pool.ts'
import { Replica } from './replica.ts'
import type { DB } from './schema.ts'
import { Servers } from './connections/servers.ts'
import { sessionsOf } from './connections/session.ts'

let primary: Postgres
let standby: Postgres
beforeAll(async () => {
  primary = await startPostgres()
  standby = await primary.replica()
})
afterAll(async () => {
  await Promise.all([primary.close(), standby.close()])
})

let relay: Relay
let pool: DatabasePool
let db: Kysely<DB>
let replica: Replica
let said: string[]
beforeEach(async () => {
  relay = await startRelay(standby.url)
  const servers = new Servers([primary.url], { mustBePrimary: true })
  pool = new DatabasePool({ servers, maxConnections: 4, applicationName: 'test' })
  db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: sessionsOf(pool) }) })
  said = []
  replica = new Replica({
    url: relay.urlOf(standby.url),
    primary: pool,
    maxConnections: 4,
    report: (sentence) => said.push(sentence),
    lookEveryMs: 20,
    mostMs: 400,
  })
})
afterEach(async () => {
  await replica.close()
  await db.destroy()
  await relay.close()
})

const port = (of: Postgres) => new URL(of.url).port
let reads = 0
/** Each with a text of its own: a text that is repeated is prepared, and the relay would not see it again. */
const read = () =>
  replica.read(db, async (from) => {
    const mark = sql.raw(`/* ${++reads} */`)
    const { rows } = await sql<{ port: string }>`select current_setting('port') as port ${mark}`.execute(from)
    return rows[0]?.port
  })
const onStandby = async (statement: string) => {
  const servers = new Servers([standby.url], { mustBePrimary: false })
  const own = new DatabasePool({ servers, maxConnections: 1, applicationName: 'test' })
  await own.query(statement)
  await own.end()
}
const write = () => pool.query(`select pg_logical_emit_message(false, 'test', 'something happens', true)`)

it('a replica is read while it is fresh', async () => {
  await expect.poll(read).toBe(port(standby))
  await write()
  expect(replica.ageMs).toBeLessThan(400)
})

it('a replica is not used when it is too far behind, and used again when it has caught up', async () => {
  await expect.poll(read).toBe(port(standby))
  await onStandby('select pg_wal_replay_pause()')
  await write()
  await expect.poll(read).toBe(port(primary))
  expect(replica.ageMs).toBeGreaterThan(400)
  await expect
    .poll(() => said)
    .toEqual(['The replica of DATABASE_REPLICA_URL is too far behind: its reads go to the primary.'])
  await onStandby('select pg_wal_replay_resume()')
  await expect.poll(read).toBe(port(standby))
  await expect
    .poll(() => said.at(1))
    .toBe('The replica of DATABASE_REPLICA_URL is up to date again: reads go to it.')
})

it('a replica fails no read when it dies, not even a pending one', async () => {
  await expect.poll(read).toBe(port(standby))
  const met = relay.meet('select current_setting', 'lost')
  expect(await read()).toBe(port(primary))
  await met
  await relay.refuse()
  for (let time = 0; time < 20; time++) expect(await read()).toBe(port(primary))
  await relay.accept()
  await expect.poll(read, { timeout: 60_000 }).toBe(port(standby))
})

it('a replica that stops answering is detected, and pending reads are answered by the primary', async () => {
  await expect.poll(read).toBe(port(standby))
  relay.silence()
  expect(await read()).toBe(port(primary))
  await expect.poll(() => replica.ageMs).toBe(Infinity)
  expect(said).toEqual(['The replica of DATABASE_REPLICA_URL does not answer: its reads go to the primary.'])
})

it('a replica may be unavailable from the beginning', async () => {
  await relay.refuse()
  const database = await openDatabase({
    databaseUrl: primary.url,
    replicaUrl: relay.urlOf(standby.url),
    dataDir: '',
    role: 'guest',
    report: () => undefined,
  })
  const answer = await database.read(async (from) => (await sql`select 1 as one`.execute(from)).rows)
  expect(answer).toEqual([{ one: 1 }])
  expect(database.replicaAgeMs()).toBe(Infinity)
  await database.close()
})
