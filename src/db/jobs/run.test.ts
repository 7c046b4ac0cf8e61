import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, type TaskList } from 'graphile-worker'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Database, openDatabase } from '#db'
import { addJob } from '#db/jobs'
import { type Jobs, runJobs } from '#db/jobs/run'
import { testDatabase } from '#test/database'
import { type Relay, startRelay } from '#test/relay'
import { sized } from '#test/size'

let home: Database
let relay: Relay
let database: Database
let jobs: Jobs
let said: string[]
/** The number of runs of each job. */
let runs: Map<number, number>
let underWay: number
let takesMs: number

beforeEach(async () => {
  home = await testDatabase()
  relay = await startRelay(home.url)
  database = await openDatabase({ databaseUrl: relay.urlOf(home.url), dataDir: '', role: 'guest' })
  runs = new Map()
  said = []
  underWay = 0
  takesMs = 20
  jobs = await begin()
})
afterEach(async () => {
  await jobs.stop()
  await database.close()
  await relay.close()
  await home.close()
})

function begin(others: TaskList = {}): Promise<Jobs> {
  return runJobs(database, {
    tasks: {
      ...others,
      note: async (payload) => {
        const { n } = payload as { n: number }
        runs.set(n, (runs.get(n) ?? 0) + 1)
        underWay++
        await sleep(takesMs).finally(() => underWay--)
      },
      fail: async (payload) => {
        const { n } = payload as { n: number }
        runs.set(n, (runs.get(n) ?? 0) + 1)
        await sleep(takesMs)
        throw new Error('this job fails')
      },
    },
    concurrency: 4,
    logger: new Logger(() => () => undefined),
    report: (sentence) => said.push(sentence),
    waitMs: 20,
    killed: { everyMs: 20, graceMs: 1_500 },
  })
}

const waiting = async () => {
  const { rows } = await sql<{ locked_by: string | null }>`
    select locked_by from graphile_worker.jobs where attempts < max_attempts`.execute(home.db)
  return rows.map((row) => row.locked_by)
}
const add = (n: number, task = 'note') => addJob(home.db, task, { n }, { maxAttempts: 5 })
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

const stops = () => said.filter((sentence) => sentence === 'background jobs have stopped').length

/** The part of graphile-worker's statement that takes a job. */
const takes = 'attempts = jobs.attempts + 1'
const completes = 'delete from "graphile_worker"._private_jobs'

/** Each of the five ways to break a connection, several times. */
const rounds = sized(15, 40)

it(`a worker runs every job once, through ${rounds} broken connections with jobs in flight`, async () => {
  for (let round = 0; round < rounds; round++) {
    const first = round * 6
    await Promise.all(numbers(first, 6).map((n) => add(n)))
    await expect.poll(() => jobs.isRunning && underWay > 0, { interval: 2, timeout: 20_000 }).toBe(true)
    const how = round % 5
    const before = stops()
    if (how === 0) relay.cut()
    else if (how === 1) await relay.meet(completes, 'lost')
    else if (how === 2) await relay.meet(completes, 'unanswered')
    else if (how === 3) await relay.meet(takes, 'unanswered')
    else {
      await relay.refuse()
      await sleep(30)
      await relay.accept()
    }
    // The break after it hits a runner that runs again, except in every third round: there it may hit one that
    // is stopping. Not every lost connection stops the runner.
    if (round % 3 > 0)
      await expect
        .poll(() => stops() > before, { interval: 2, timeout: 500 })
        .toBe(true)
        .catch(() => undefined)
  }
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  expect([...runs].filter(([, times]) => times !== 1)).toEqual([])
  expect(runs.size).toBe(rounds * 6)
  // Some of the breaks hit a runner that was stopping already.
  expect(stops()).toBeGreaterThan(rounds / 2)
  await expect.poll(() => jobs.isRunning).toBe(true)
}, 60_000)

it('jobs run while a company holds all jobs that wait for it', async () => {
  await jobs.stop()
  const answer = Promise.withResolvers<void>()
  let asking = 0
  let asked = 0
  jobs = await begin({
    send: async () => {
      asking++
      await answer.promise
      asked++
    },
  })
  // Enough for both lanes of the company, which are drawn at random.
  const letters = 40
  for (let n = 0; n < letters; n++) await addJob(home.db, 'send', { n }, { to: 'telegram' })
  await expect.poll(() => asking).toBe(2)
  for (const n of numbers(0, 6)) await add(n)
  await expect.poll(() => runs.size, { timeout: 20_000 }).toBe(6)
  expect(asking).toBe(2)
  answer.resolve()
  await expect.poll(() => asked, { timeout: 20_000 }).toBe(letters)
})

it('a worker stops cleanly while its listener waits for an answer that never comes', async () => {
  await jobs.stop()
  const listens = relay.meet('LISTEN "jobs:insert"', 'silence')
  jobs = await begin()
  await listens
  const stopped = jobs.stop()
  relay.cut()
  await stopped
  expect(jobs.isRunning).toBe(false)
})

it('reports that jobs do not run while the database is unavailable, and runs each job in flight once', async () => {
  takesMs = 400
  await add(1)
  await expect.poll(() => underWay, { interval: 2, timeout: 10_000 }).toBe(1)
  await relay.refuse()
  await expect.poll(() => jobs.isRunning, { timeout: 10_000 }).toBe(false)
  await relay.accept()
  await expect.poll(() => jobs.isRunning, { timeout: 10_000 }).toBe(true)
  await add(2)
  await expect.poll(waiting, { timeout: 20_000 }).toEqual([])
  expect([...runs]).toEqual([
    [1, 1],
    [2, 1],
  ])
})

it('a job that fails while the database is unavailable is retried up to its limit', async () => {
  await addJob(home.db, 'fail', { n: 1 }, { maxAttempts: 1 })
  await expect.poll(() => runs.get(1), { interval: 2, timeout: 10_000 }).toBe(1)
  await relay.refuse()
  await sleep(50)
  await relay.accept()
  await expect.poll(() => jobs.isRunning, { timeout: 10_000 }).toBe(true)
  await add(2)
  await expect.poll(() => runs.get(2), { timeout: 20_000 }).toBe(1)
  await expect.poll(waiting).toEqual([])
  expect(runs.get(1)).toBe(1)
})

it('a worker stops cleanly while the database is unavailable', async () => {
  await add(1)
  await expect.poll(() => underWay, { interval: 2, timeout: 10_000 }).toBe(1)
  await relay.refuse()
  await jobs.stop()
  expect(underWay).toBe(0)
  expect(jobs.isRunning).toBe(false)
})

it('a worker releases the jobs and the queue of a killed worker', async () => {
  await jobs.stop()
  await addJob(home.db, 'note', { n: 1 }, { queue: 'one by one' })
  await addJob(home.db, 'note', { n: 2 }, { queue: 'one by one' })
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed' where payload ->> 'n' = '1'`.execute(
    home.db,
  )
  await sql`update graphile_worker._private_job_queues set locked_at = now(), locked_by = 'killed'`.execute(
    home.db,
  )
  jobs = await begin()
  await expect.poll(waiting).toEqual([])
  expect(new Map(runs)).toEqual(
    new Map([
      [1, 1],
      [2, 1],
    ]),
  )
  expect(said).toContain('jobs of killed workers are released')
})

it('a worker never releases the queue of a live worker that lost its lock for a moment', async () => {
  const lockHolders = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and application_name = 'turnpike jobs lock' and state = 'idle in transaction'`.execute(
      home.db,
    )
    return rows.map(({ pid }) => pid)
  }
  takesMs = 4_000
  const other = await begin()
  try {
    await addJob(home.db, 'note', { n: 1 }, { queue: 'one by one' })
    await addJob(home.db, 'note', { n: 2 }, { queue: 'one by one' })
    await expect.poll(() => runs.size).toBe(1)
    await expect.poll(async () => (await lockHolders()).length).toBe(2)
    const before = await lockHolders()
    await sql`select pg_terminate_backend(pid) from unnest(${before}::int[]) pid`.execute(home.db)
    await expect.poll(async () => (await lockHolders()).filter((pid) => !before.includes(pid)).length).toBe(2)
    await expect.poll(() => runs.size).toBe(2)
    // The second began after the first had ended: neither worker took the queue from the other.
    expect([...runs.values()]).toEqual([1, 1])
    expect(underWay).toBe(1)
    await expect.poll(waiting).toEqual([])
    expect([...runs.values()]).toEqual([1, 1])
  } finally {
    await other.stop()
  }
})
