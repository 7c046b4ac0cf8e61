import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { noteBackup, openDatabase, transaction } from '#db'
import { addJob } from '#db/jobs'
import { sendMail } from '#mail'
import { testDatabase } from '#test/database'
import { startRelay } from '#test/relay'
import { workMetrics } from './work.ts'

it('the check of work reports waiting and failed work, and nothing while the database is unavailable', async () => {
  const home = await testDatabase()
  const relay = await startRelay(home.url)
  const database = await openDatabase({ databaseUrl: relay.urlOf(home.url), dataDir: '', role: 'guest' })
  const registry = new Registry()
  workMetrics(database, registry)
  workMetrics(database, null)
  const told = async () => {
    const page = await registry.metrics()
    const lines = [...page.matchAll(/^turnpike_(\w+) (.*)$/gm)]
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]))
  }
  expect(await told()).toEqual({
    letters_sent: 0,
    letters_failed: 0,
    letters_waiting: 0,
    jobs_waiting: 0,
    jobs_failed: 0,
    jobs_oldest_seconds: 0,
  })
  const data = { pool: 'mobile', address: '192.0.2.1' } as const
  for (const to of ['one@example.com', 'two@example.com', 'three@example.com'])
    await transaction(home.db, (tx) => sendMail(tx, { template: 'address_taken', to, language: 'en', data }))
  await home.pool.query(`update mail set sent_at = now(), data = null where recipient like 'one@%'`)
  await home.pool.query(
    `update mail set failed_at = now(), failure = 'x', data = null where recipient like 'two@%'`,
  )
  await addJob(home.db, 'expire_invoices', {})
  await home.pool.query(
    `update graphile_worker._private_jobs set run_at = now() - interval '1 hour' where id = (select min(id) from graphile_worker._private_jobs)`,
  )
  await home.pool.query(
    `update graphile_worker._private_jobs set attempts = max_attempts where id = (select max(id) from graphile_worker._private_jobs)`,
  )
  await noteBackup(home.db, 1)
  await home.pool.query(`update backup_made set made_at = now() - interval '2 hours'`)
  const { jobs_oldest_seconds: oldest, backup_age_seconds: age, ...counts } = await told()
  expect(counts).toEqual({
    letters_sent: 1,
    letters_failed: 1,
    letters_waiting: 1,
    jobs_waiting: 3,
    jobs_failed: 1,
  })
  expect(oldest).toBeGreaterThanOrEqual(3600)
  expect(age).toBeGreaterThanOrEqual(7200)
  await relay.refuse()
  expect(await told()).toEqual({})
  await database.close()
  await relay.close()
  await home.close()
})
