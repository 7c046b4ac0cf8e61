/**
 * Reads of data that may be some seconds old, from a replica of the operator's. The replica is used while it
 * is known to be fresh, and is never required: a read that fails there is repeated on the primary.
 *
 * The age of a replica cannot be read from the replica alone: one that has lost its primary considers itself
 * up to date. So the primary's position in the write-ahead log is recorded every second with the time, and
 * the age of the replica is that of the last recorded position that it has replayed. Clocks of other machines
 * are not compared.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { type Connecting, connect, type DatabaseClient } from './connections/client.ts'
import { DatabasePool, types } from './connections/pool.ts'
import type { DB } from './schema.ts'
import { parseServers, Servers } from './connections/servers.ts'
import { sessionsOf } from './connections/session.ts'

export interface ReplicaOptions {
  url: string
  primary: pg.Pool
  maxConnections: number
  /** Called with a sentence when reads move to the primary and when they return. */
  report: (sentence: string) => void
  /** The interval between two checks (1,000 ms). */
  lookEveryMs?: number
  /** The greatest age at which it is used (5,000 ms). */
  mostMs?: number
}

interface Note {
  /** A value of performance.now(). */
  atMs: number
  /** Everything that was committed by then lies before this position. */
  position: bigint
}

/** A replica that is slower than this is not worth waiting for. */
const limits = { connectWithinMs: 2_000, answerWithinMs: 3_000 }

export class Replica {
  readonly #options: Required<ReplicaOptions>
  readonly #servers: Servers
  readonly #pool: DatabasePool
  readonly #db: Kysely<DB>
  readonly #stopping = new AbortController()
  readonly #looking: Promise<void>
  #notes: Note[] = []
  /**
   * Everything committed before this time has been replayed; -Infinity: the state of the replica is unknown.
   */
  #asOfMs = -Infinity
  #isAnswering = false
  /** When it was last fresh, or when the checks began. */
  #freshAtMs = performance.now()
  #isTold = false

  constructor(options: ReplicaOptions) {
    this.#options = { lookEveryMs: 1_000, mostMs: 5_000, ...options }
    this.#servers = new Servers(parseServers(options.url, 'DATABASE_REPLICA_URL'), { mustBePrimary: false })
    const connecting = { servers: this.#servers, types, ...limits }
    this.#pool = new DatabasePool({
      ...connecting,
      maxConnections: options.maxConnections,
      applicationName: `turnpike reads, process ${process.pid}`,
    })
    this.#db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: sessionsOf(this.#pool) }) })
    this.#looking = this.#look({ ...connecting, applicationName: 'turnpike replica' })
  }

  /** The greatest possible age of its data; Infinity when it is unknown. */
  get ageMs(): number {
    return performance.now() - this.#asOfMs
  }

  /**
   * Reads from the replica when it is fresh and answers, else from the primary. `work` may run twice: it only
   * reads.
   */
  async read<T>(primary: Kysely<DB>, work: (db: Kysely<DB>) => Promise<T>): Promise<T> {
    if (this.ageMs > this.#options.mostMs) return work(primary)
    try {
      return await work(this.#db)
    } catch {
      // After any error the primary decides: it returns the result, or the same error.
      return work(primary)
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    this.#servers.abandon('The database is being closed.')
    await this.#looking
    await this.#db.destroy()
    if (!this.#pool.ending) await this.#pool.end()
  }

  async #look(connecting: Connecting): Promise<void> {
    const { signal } = this.#stopping
    let client: DatabaseClient | undefined
    while (!signal.aborted) {
      try {
        client ??= await connect(connecting)
        await this.#measure(client)
        this.#isAnswering = true
      } catch {
        // The state of the replica is unknown from now on, and pending reads fail over to the primary.
        this.#asOfMs = -Infinity
        this.#isAnswering = false
        this.#servers.abandon('The replica does not answer.')
        client = undefined
      }
      if (!signal.aborted) this.#tell()
      await sleep(this.#options.lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
    await client?.end()
  }

  async #measure(client: DatabaseClient): Promise<void> {
    const atMs = performance.now()
    const [position, replayed] = await Promise.all([
      // While the primary does not answer, the age of the replica grows.
      positionOf(this.#options.primary, 'pg_current_wal_flush_lsn()').catch(() => null),
      positionOf(client, 'pg_last_wal_replay_lsn()'),
    ])
    if (position !== null) this.#notes.push({ atMs, position })
    // This server is not a replica but the primary itself.
    if (replayed === null) this.#asOfMs = atMs
    const reached = this.#notes.filter((note) => replayed !== null && note.position <= replayed).at(-1)
    if (reached !== undefined) this.#asOfMs = reached.atMs
    const oldest = atMs - this.#options.mostMs
    this.#notes = this.#notes.filter((note) => note.atMs >= oldest)
  }

  /**
   * Reports changes. The replica has `mostMs` to catch up, at the beginning and later, before it is reported.
   */
  #tell(): void {
    const { report, mostMs } = this.#options
    const now = performance.now()
    if (this.ageMs <= mostMs) {
      if (this.#isTold) report('The replica of DATABASE_REPLICA_URL is up to date again: reads go to it.')
      this.#isTold = false
      this.#freshAtMs = now
    } else if (!this.#isTold && now - this.#freshAtMs > mostMs) {
      const fault = this.#isAnswering ? 'is too far behind' : 'does not answer'
      report(`The replica of DATABASE_REPLICA_URL ${fault}: its reads go to the primary.`)
      this.#isTold = true
    }
  }
}

/** A position in the write-ahead log, in bytes; null where the function does not apply. */
async function positionOf(from: Pick<pg.Pool, 'query'>, call: string): Promise<bigint | null> {
  const { rows } = await from.query<{ position: string | null }>(
    `select pg_wal_lsn_diff(${call}, '0/0')::text as position`,
  )
  const position = rows[0]?.position ?? null
  return position === null ? null : BigInt(position)
}
