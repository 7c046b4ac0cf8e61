/**
 * Background jobs: rows of graphile-worker's schema in the same database, so that a job commits together with
 * the data that it is for. `main/worker.ts` has the handler of each task.
 */
import { randomInt } from 'node:crypto'
import { Logger, runMigrations } from 'graphile-worker'
import { type Kysely, sql } from 'kysely'
import { DatabasePool } from '../connections/pool.ts'
import type { DB } from '../schema.ts'
import { parseServers, Servers } from '../connections/servers.ts'

export interface JobOptions {
  /** The number of attempts (25); the waits between them grow from seconds to six hours. */
  maxAttempts?: number
  /** A queued job with the same key is replaced by this one. */
  key?: string
  runAt?: Date
  /** Jobs of one queue run one after another. */
  queue?: string
  /** The company that the job waits for, instead of a queue. */
  to?: Company
  /** Somebody waits for it: it runs before the others of its lane. */
  isAwaited?: boolean
}

/**
 * The number of jobs that may wait for a company at the same time. One that does not answer holds each of its
 * jobs until a timeout, and would otherwise hold all jobs that a worker may run. One lane keeps the order.
 */
const lanes = { mail: 3, telegram: 2, staff_group: 1, processor: 1 }
type Company = keyof typeof lanes

const laneOf = (company: Company) => `to ${company} ${randomInt(lanes[company])}`

/** The most jobs that wait for other companies at the same time, with these recurring tasks. */
export const mostWaiting = (recurring: readonly Recurring[]): number =>
  Object.values(lanes).reduce((sum, each) => sum + each, 0) +
  recurring.filter(({ asksOthers }) => asksOthers).length

/**
 * Queues a job; in a transaction, the job is queued when it commits. A job may run more than once, so it must
 * be idempotent.
 */
export async function addJob(
  db: Kysely<DB>,
  task: string,
  payload: Record<string, string | number | boolean | null>,
  { maxAttempts, key, runAt, queue, to, isAwaited = false }: JobOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(
    identifier => ${task}, payload => ${JSON.stringify(payload)}::json, max_attempts => ${maxAttempts ?? null}::integer,
    job_key => ${key ?? null}::text, run_at => ${runAt ?? null}::timestamptz,
    queue_name => ${queue ?? (to === undefined ? null : laneOf(to))}::text,
    priority => ${isAwaited ? -1 : 0}::integer
  )`.execute(db)
}

/** Deletes the jobs whose payload names an account, except those that are running. */
export async function dropJobsOf(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  await sql`select graphile_worker.complete_jobs(array(
    select id from graphile_worker._private_jobs where payload ->> 'account_id' = ${String(accountId)}))`.execute(
    tx,
  )
}

/** Migrates graphile-worker's schema; safe to call from several processes at once. */
export async function migrateJobs(url: string, logger: Logger = silent): Promise<void> {
  const servers = new Servers(parseServers(url, 'DATABASE_URL'), { mustBePrimary: true })
  const pool = new DatabasePool({ servers, maxConnections: 2, applicationName: 'turnpike jobs' })
  try {
    await runMigrations({ pgPool: pool, logger })
  } finally {
    await pool.end()
  }
}

const silent = new Logger(() => () => undefined)

/**
 * Releases jobs that have been locked for so many minutes, because their worker was probably killed.
 * graphile-worker itself would wait for four hours.
 */
export async function releaseJobs(db: Kysely<DB>, { heldMinutes }: { heldMinutes: number }): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker.jobs where locked_at <= now() - make_interval(mins => ${heldMinutes})
    having count(*) > 0
  `.execute(db)
}

/** A task that is queued once per period. */
export interface Recurring {
  task: string
  everyMinutes: number
  /** The offset in minutes from the beginning of each period (0). */
  atMinute?: number
  /** Tasks of one queue run one after another. */
  queue?: string
  /** It waits for other companies; it has a queue of its own, so at most one run does. */
  asksOthers?: true
  /** The number of attempts in each period (25). */
  maxAttempts?: number
}

/**
 * Queues the tasks whose period has begun: each once, for any number of workers, and by the database's time
 * alone. graphile-worker's own crontab uses the clock of the first worker: one that is days ahead would block
 * all others for days. A task that is still queued from the previous period is not queued a second time.
 */
export async function queueDue(db: Kysely<DB>, tasks: readonly Recurring[]): Promise<void> {
  const asked = tasks.map(({ task, everyMinutes, atMinute = 0, queue = null, maxAttempts = 25 }) => ({
    task,
    every_minutes: everyMinutes,
    at_minute: atMinute,
    queue,
    max_attempts: maxAttempts,
  }))
  await sql`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(asked)}::json)
        as one (task text, every_minutes integer, at_minute integer, queue text, max_attempts integer)
    ), due as (
      insert into recurring_task as known (task, period)
      select task, date_bin(make_interval(mins => every_minutes), now(),
        timestamptz '2000-01-01 00:00Z' + make_interval(mins => at_minute))
      from asked order by task
      -- Any other period than the last one, even an earlier one: the database's own clock may have been set back.
      on conflict (task) do update set period = excluded.period where known.period <> excluded.period
      returning task
    )
    select graphile_worker.add_job(
      identifier => asked.task, queue_name => asked.queue, max_attempts => asked.max_attempts,
      job_key => 'recurring ' || asked.task
    ) from asked join due using (task)`.execute(db)
}
