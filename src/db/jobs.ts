/**
 * Background jobs: rows of graphile-worker's own schema on the same database, so that a job and what it is for commit
 * together or not at all. `main/worker.ts` says what each of them does.
 */
import { Logger, runMigrations } from 'graphile-worker'
import { type Kysely, sql } from 'kysely'
import type { DB } from './schema.ts'

export interface JobOptions {
  /** How often it is tried in all (25); the waits between grow from seconds to six hours. */
  maxAttempts?: number
  /** A job that waits under the same key is replaced by this one. */
  key?: string
  runAt?: Date
}

/** Queues a job; in a transaction, when it commits. A job may run more than once: it must not mind. */
export async function addJob(
  db: Kysely<DB>,
  task: string,
  payload: Record<string, string | number | boolean | null>,
  { maxAttempts, key, runAt }: JobOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(
    identifier => ${task}, payload => ${JSON.stringify(payload)}::json, max_attempts => ${maxAttempts ?? null}::integer,
    job_key => ${key ?? null}::text, run_at => ${runAt ?? null}::timestamptz
  )`.execute(db)
}

/** Brings the schema of the jobs up to the code; safe to call from several processes at once. */
export async function migrateJobs(url: string, logger: Logger = silent): Promise<void> {
  // Not our pool: graphile-worker writes its int8 ids as JSON, which has no bigint.
  await runMigrations({ connectionString: url, maxPoolSize: 2, logger })
}

const silent = new Logger(() => () => undefined)

/**
 * Gives up the jobs of workers that were killed: what they have held for so many minutes is free to be done by another.
 * Left to itself, graphile-worker believes a worker for four hours.
 */
export async function releaseJobs(db: Kysely<DB>, { heldMinutes }: { heldMinutes: number }): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker.jobs where locked_at <= now() - make_interval(mins => ${heldMinutes})
    having count(*) > 0
  `.execute(db)
}

/** A task that is done again and again. */
export interface Recurring {
  task: string
  everyMinutes: number
  /** So many minutes into each period. Default: at its beginning. */
  atMinute?: number
  /** Tasks of one queue are done one after another. */
  queue?: string
  /** How often it is tried before its next turn (25). */
  maxAttempts?: number
}

/**
 * Queues the tasks whose period has begun: each once, however many workers ask, and by the database's time alone.
 * graphile-worker's own crontab goes by the clock of whichever worker is first: one that is days ahead would keep all
 * others from doing anything for days. A task that still waits from the period before is not queued twice.
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
      -- Another period than the last one, be it an earlier one: the database's own clock may have been set back.
      on conflict (task) do update set period = excluded.period where known.period <> excluded.period
      returning task
    )
    select graphile_worker.add_job(
      identifier => asked.task, queue_name => asked.queue, max_attempts => asked.max_attempts,
      job_key => 'recurring ' || asked.task
    ) from asked join due using (task)`.execute(db)
}
