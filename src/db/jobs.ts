/**
 * Background jobs: rows of graphile-worker's own schema on the same database, so that a job and what it is for commit
 * together or not at all. `main/worker.ts` says what each of them does.
 */
import { Logger, runMigrations } from 'graphile-worker'
import { type Kysely, sql } from 'kysely'
import { DatabasePool } from './pool.ts'
import type { DB } from './schema.ts'
import { parseServers, Servers } from './servers.ts'

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
 * Gives up the jobs of workers that were killed: what they hold since `before` is free to be done by another. Left to
 * itself, graphile-worker believes a worker for four hours.
 */
export async function releaseJobs(db: Kysely<DB>, before: Date): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker.jobs where locked_at < ${before}
    having count(*) > 0
  `.execute(db)
}
