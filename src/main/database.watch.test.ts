import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openDatabase } from '#db'
import { testDatabase } from '#test/database'
import { startRelay } from '#test/relay'
import { jobsMetric, watchDatabase } from './database.watch.ts'

it('tells for how long the database was away', async () => {
  const home = await testDatabase()
  const relay = await startRelay(home.url)
  const database = await openDatabase({ databaseUrl: relay.urlOf(home.url), dataDir: '', role: 'guest' })
  const registry = new Registry()
  const seconds = async () => {
    const page = await registry.metrics()
    return Number(/^turnpike_database_away_seconds_total (.*)$/m.exec(page)?.[1])
  }
  await watchDatabase(database, registry)
  expect(await seconds()).toBe(0)
  await relay.refuse()
  await expect.poll(seconds).toBeGreaterThan(0)
  const before = await seconds()
  await expect.poll(seconds).toBeGreaterThan(before)
  await relay.accept()
  const watch = await database.watch()
  await expect.poll(() => watch.isAway).toBe(false)
  const after = await seconds()
  expect(await seconds()).toBe(after)
  await database.close()
  await relay.close()
  await home.close()
})

it('tells whether jobs run', async () => {
  const registry = new Registry()
  const jobs = { isRunning: true, stop: () => Promise.resolve() }
  jobsMetric(jobs, registry)
  expect(await registry.metrics()).toContain('\nturnpike_jobs_running 1\n')
  jobs.isRunning = false
  expect(await registry.metrics()).toContain('\nturnpike_jobs_running 0\n')
})
