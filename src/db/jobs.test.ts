import { Logger, runOnce } from 'graphile-worker'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { addJob, migrateJobs, releaseJobs } from '#db/jobs'
import { testDatabase } from '#test/database'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const waiting = async () => {
  const { rows } = await sql<{
    locked_by: string | null
  }>`select locked_by from graphile_worker.jobs`.execute(database.db)
  return rows.map((row) => row.locked_by)
}

/** Runs what waits, one after another, and tells what ran. */
async function runAll(): Promise<unknown[]> {
  const done: unknown[] = []
  await runOnce({
    connectionString: database.url,
    logger: new Logger(() => () => undefined),
    taskList: { note: async (payload) => void done.push(payload) },
  })
  return done
}

it('commits with the transaction it was added in, or never was', async () => {
  const given = transaction(database.db, async (tx) => {
    await addJob(tx, 'note', { of: 'a transaction that fails' })
    throw new Error('rolled back')
  })
  await expect(given).rejects.toThrow('rolled back')
  await transaction(database.db, (tx) => addJob(tx, 'note', { of: 'one that commits' }))
  expect(await runAll()).toEqual([{ of: 'one that commits' }])
})

it('waits once under a key', async () => {
  await addJob(database.db, 'note', { n: 1 }, { key: 'the same' })
  await addJob(database.db, 'note', { n: 2 }, { key: 'the same' })
  expect(await runAll()).toEqual([{ n: 2 }])
})

it('is free again when the worker that held it is gone', async () => {
  await addJob(database.db, 'note', { n: 3 })
  await sql`
    update graphile_worker._private_jobs set locked_at = now() - interval '5 minutes', locked_by = 'killed'
  `.execute(database.db)
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  await releaseJobs(database.db, minutesAgo(6))
  expect(await waiting()).toEqual(['killed'])
  await releaseJobs(database.db, minutesAgo(4))
  expect(await waiting()).toEqual([null])
  expect(await runAll()).toEqual([{ n: 3 }])
})

it('has its schema made by several processes at once', async () => {
  await sql`drop schema graphile_worker cascade`.execute(database.db)
  await Promise.all([1, 2, 3].map(() => migrateJobs(database.url)))
  await addJob(database.db, 'note', { n: 4 })
  expect(await runAll()).toEqual([{ n: 4 }])
})
