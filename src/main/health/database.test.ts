import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { openDatabase } from '#db'
import { testDatabase } from '#test/database'
import { startRelay } from '#test/relay'
import { jobsMetric, setBackTeller, watchDatabase } from './database.ts'

it('the check of the database reports for how long the database was unavailable', async () => {
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

it('reports that the database has gone back in time, and counts the lost reports', async () => {
  const registry = new Registry()
  const said: string[] = []
  const log = { error: (_fields: unknown, sentence: string) => void said.push(sentence) }
  const setBack = { gateway: 'gw1', boot: 'b1', acknowledged: 12, settledThrough: 9 }
  for (const tell of [setBackTeller(log, registry), setBackTeller(log, registry), setBackTeller(log, null)])
    tell(setBack)
  expect(await registry.metrics()).toContain('\nturnpike_database_lost_reports_total 6\n')
  expect(said).toHaveLength(3)
  expect(said[0]).toMatch(
    /^The database has gone back in time: of gateway gw1 .* 12 reports and knows of 9\./,
  )
})

it('the check of the database reports whether jobs run', async () => {
  const registry = new Registry()
  const jobs = { isRunning: true }
  jobsMetric(jobs, registry)
  expect(await registry.metrics()).toContain('\nturnpike_jobs_running 1\n')
  jobs.isRunning = false
  expect(await registry.metrics()).toContain('\nturnpike_jobs_running 0\n')
})
