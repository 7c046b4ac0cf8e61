import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPgBouncer } from '#test/pgbouncer'
import { type Postgres, startPostgres } from '#test/promises/postgres'
import { openDatabase } from '../db.ts'

let postgres: Postgres
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.close())

const open = (databaseUrl: string) => openDatabase({ databaseUrl, dataDir: '', role: 'guest' })
const ignored = 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout'

it.each([
  ['with its default settings', { mode: 'session' } as const, /startup parameter/],
  [
    'for transactions',
    { mode: 'transaction', ignored } as const,
    /It gives every transaction another session/,
  ],
])('PgBouncer %s is refused in a sentence', async (_name, options, why) => {
  const bouncer = await startPgBouncer(postgres.url, options)
  try {
    const refused = open(bouncer.url)
    await expect(refused).rejects.toThrow(/^There is a pooler such as PgBouncer at 127\.0\.0\.1:\d+/)
    await expect(refused).rejects.toThrow(why)
  } finally {
    await bouncer.stop()
  }
})

it('PgBouncer that pools sessions is accepted', async () => {
  const bouncer = await startPgBouncer(postgres.url, { mode: 'session', ignored })
  try {
    const database = await open(bouncer.url)
    const heard: string[] = []
    await database.listen('news', (payload) => heard.push(payload))
    await database.pool.query(`notify news, 'yes'`)
    await expect.poll(() => heard).toEqual(['yes'])
    await database.close()
  } finally {
    await bouncer.stop()
  }
})
