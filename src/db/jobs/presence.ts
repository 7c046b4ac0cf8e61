/**
 * Which workers are alive: each holds an advisory lock under its name for as long as it may hold jobs. The
 * jobs of a worker whose lock is gone are released, so that a killed worker blocks no queue. PostgreSQL drops
 * the lock when the connection of a killed process closes.
 *
 * The lock belongs to a transaction that does nothing else, since a pooler may give the connection of a
 * session to others. Such a transaction has no snapshot, so it holds back no vacuum.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db.ts'
import type { DB } from '../schema.ts'

const keyOf = (holder: string) => `hashtextextended('worker of jobs ' || ${holder}::text, 0)`

export interface Presence {
  /** Releases the lock; resolves when its connection is closed. */
  end: () => Promise<void>
}

/** Holds the lock of a worker until it is ended; takes it again when its connection breaks. */
export function holdPresence(
  { plainPool }: Pick<Database, 'plainPool'>,
  { holder, waitMs }: { holder: string; waitMs: number },
): Presence {
  const ending = new AbortController()
  const hold = async () => {
    const pool = plainPool({ maxConnections: 1, applicationName: 'turnpike jobs lock' })
    const abandon = () => pool.abandon('the worker has stopped')
    ending.signal.addEventListener('abort', abandon)
    try {
      const client = await pool.connect()
      try {
        const lost = new Promise<void>((resolve) =>
          client.once('end', resolve).once('error', () => resolve()),
        )
        await client.query('begin')
        await client.query(
          `select set_config(name, '0', true) from pg_settings
           where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
        )
        await client.query(`select pg_advisory_xact_lock(${keyOf('$1')})`, [holder])
        await Promise.race([lost, aborted(ending.signal)])
      } finally {
        client.release(true)
      }
    } finally {
      ending.signal.removeEventListener('abort', abandon)
      void pool.end()
    }
  }
  const held = (async () => {
    while (!ending.signal.aborted) {
      await hold().catch(() => undefined)
      await sleep(waitMs, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  })()
  return {
    end: () => {
      ending.abort()
      return held
    },
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Workers that hold jobs or queues and whose lock nobody holds. */
async function findAbsent(db: Kysely<DB>): Promise<string[]> {
  const { rows } = await sql<{ holder: string }>`
    select holder from (
      select locked_by from graphile_worker._private_jobs where locked_by is not null
      union select locked_by from graphile_worker._private_job_queues where locked_by is not null
    ) locked(holder)
    where not exists (
      select from pg_locks
      where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and ((classid::bigint << 32) | objid::bigint) = ${sql.raw(keyOf('holder'))})`.execute(db)
  return rows.map(({ holder }) => holder)
}

/**
 * Releases the jobs of killed workers. A worker counts as killed when its lock is missing at two checks
 * `graceMs` apart and at every check in between: a live worker takes its lock again within a second.
 */
export class AbandonedJobs {
  /** Since when the lock of a worker is missing, in milliseconds of `performance.now()`. */
  #absentSince = new Map<string, number>()
  readonly #db: Kysely<DB>
  readonly #graceMs: number

  constructor(db: Kysely<DB>, { graceMs }: { graceMs: number }) {
    this.#db = db
    this.#graceMs = graceMs
  }

  /** Checks once; returns the workers whose jobs were released. */
  async release(): Promise<string[]> {
    const absent = await findAbsent(this.#db)
    const nowMs = performance.now()
    this.#absentSince = new Map(absent.map((holder) => [holder, this.#absentSince.get(holder) ?? nowMs]))
    const killed = absent.filter(
      (holder) => nowMs - (this.#absentSince.get(holder) ?? nowMs) >= this.#graceMs,
    )
    if (killed.length > 0)
      await sql`select graphile_worker.force_unlock_workers(${killed}::text[])`.execute(this.#db)
    return killed
  }
}
