import { Logger, runOnce } from 'graphile-worker'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, transaction } from '#db'
import { addJob, migrateJobs, queueDue, releaseJobs } from '#db/jobs'
import { testDatabase } from '#test/database'
import { ownPoolsEnded } from '#test/own.pools'

let database: Database
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(async () => {
  await ownPoolsEnded(database)
  await database.close()
})

const waiting = async () => {
  const { rows } = await sql<{
    locked_by: string | null
  }>`select locked_by from graphile_worker.jobs`.execute(database.db)
  return rows.map((row) => row.locked_by)
}

/** Runs the queued jobs one after another and returns their payloads. */
async function runAll(): Promise<unknown[]> {
  const done: unknown[] = []
  await runOnce({
    connectionString: database.url,
    logger: new Logger(() => () => undefined),
    taskList: { note: async (payload) => void done.push(payload) },
  })
  return done
}

it('a job is queued exactly when the transaction it was added in commits', async () => {
  const given = transaction(database.db, async (tx) => {
    await addJob(tx, 'note', { of: 'a transaction that fails' })
    throw new Error('rolled back')
  })
  await expect(given).rejects.toThrow('rolled back')
  await transaction(database.db, (tx) => addJob(tx, 'note', { of: 'one that commits' }))
  expect(await runAll()).toEqual([{ of: 'one that commits' }])
})

it('a job is queued once per key', async () => {
  await addJob(database.db, 'note', { n: 1 }, { key: 'the same' })
  await addJob(database.db, 'note', { n: 2 }, { key: 'the same' })
  expect(await runAll()).toEqual([{ n: 2 }])
})

it('a job is released when the worker that held it is gone', async () => {
  await addJob(database.db, 'note', { n: 3 })
  await sql`
    update graphile_worker._private_jobs set locked_at = now() - interval '5 minutes', locked_by = 'killed'
  `.execute(database.db)
  await releaseJobs(database.db, { heldMinutes: 6 })
  expect(await waiting()).toEqual(['killed'])
  await releaseJobs(database.db, { heldMinutes: 4 })
  expect(await waiting()).toEqual([null])
  expect(await runAll()).toEqual([{ n: 3 }])
})

describe('recurring tasks', () => {
  const tasks = [
    { task: 'note', everyMinutes: 1 },
    { task: 'note_rarely', everyMinutes: 60, atMinute: 17, queue: 'one by one', maxAttempts: 1 },
  ]
  const queued = async () => {
    const { rows } = await sql<{ task: string; max_attempts: number; queue: string | null }>`
      select task_identifier as task, max_attempts, queue_name as queue
      from graphile_worker.jobs order by task_identifier`.execute(database.db)
    return rows
  }
  const both = [
    { task: 'note', max_attempts: 25, queue: null },
    { task: 'note_rarely', max_attempts: 1, queue: 'one by one' },
  ]
  const forget = () => sql`delete from graphile_worker._private_jobs`.execute(database.db)
  /** Shifts the time at which the task was last queued. */
  const lastQueued = (interval: string) =>
    sql`update recurring_task set period = period + ${interval}::interval where task = 'note'`.execute(
      database.db,
    )

  it('are queued once per period by several workers', async () => {
    await Promise.all(Array.from({ length: 8 }, () => queueDue(database.db, tasks)))
    expect(await queued()).toEqual(both)
    await forget()
    await sql`update recurring_task set period = date_bin('1 hour', now(), '2000-01-01 00:17Z') where task = 'note_rarely'`.execute(
      database.db,
    )
    await sql`update recurring_task set period = date_bin('1 minute', now(), '2000-01-01 00:00Z') where task = 'note'`.execute(
      database.db,
    )
    await queueDue(database.db, [{ task: 'note_rarely', everyMinutes: 60, atMinute: 17 }])
    expect(await queued()).toEqual([])
  })

  it('are queued again in the next period, and once when several were missed', async () => {
    await lastQueued('-3 minutes')
    await Promise.all([1, 2, 3].map(() => queueDue(database.db, tasks)))
    expect((await queued()).map(({ task }) => task)).toEqual(['note'])
    await lastQueued('-3 minutes')
    await queueDue(database.db, tasks)
    expect(await queued()).toHaveLength(1)
    await forget()
  })

  it('are queued although the last time lies in the future, because the database clock was set back', async () => {
    await lastQueued('4 days')
    await queueDue(database.db, tasks)
    expect((await queued()).map(({ task }) => task)).toEqual(['note'])
    await forget()
  })
})

it('the queue has its schema created by several processes at once', async () => {
  await sql`drop schema graphile_worker cascade`.execute(database.db)
  await Promise.all([1, 2, 3].map(() => migrateJobs(database.url)))
  await addJob(database.db, 'note', { n: 4 })
  expect(await runAll()).toEqual([{ n: 4 }])
})
