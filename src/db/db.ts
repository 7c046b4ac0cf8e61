import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { DatabaseClock } from './clock.ts'
import { Embedded, type EmbeddedOptions } from './embedded.ts'
import { external } from './connections/external.ts'
import { type ListenOptions, Listener } from './connections/listener.ts'
import { DatabasePool, types } from './connections/pool.ts'
import { Servers } from './connections/servers.ts'
import { sessionsOf } from './connections/session.ts'
import { Replica } from './replica.ts'
import type { DB } from './schema.ts'

export { type BackupPart, backUpCluster, lastBackup, noteBackup } from './backup.ts'
export { isDatabaseAway } from './connections/away.ts'
export { type DatabaseClock, databaseTime } from './clock.ts'
export { clustersIn } from './cluster.ts'
export { migrate, pendingMigrations } from './migrate.ts'
export { prepared } from './connections/prepared.ts'
export { describeServers, parseServers } from './connections/servers.ts'
export { type DividedTable, makeMonths, missingMonths, monthsOf } from './partitions.ts'
export { transaction } from './transaction.ts'
export { DatabaseUnavailable } from './connections/unavailable.ts'
export type { DB } from './schema.ts'

export interface DatabaseOptions {
  /** PostgreSQL 15 or newer, one server or several of which one is the primary; undefined: the embedded one in `dataDir`. */
  databaseUrl?: string | undefined
  /** A replica of it, or several; undefined: there is none. */
  replicaUrl?: string | undefined
  dataDir: string
  /** "owner" for the one `turnpike up` of a DATA_DIR with the embedded database, "guest" for every other process. */
  role: 'owner' | 'guest'
  /** Connections of the pool at most (10). */
  maxConnections?: number
  /** False only for embedded databases that are thrown away: commits do not wait for the disk. */
  durable?: boolean
  /** Told, in a sentence, when the embedded server was lost and cannot be brought back at once, or a replica. */
  report?: (sentence: string) => void
}

export interface Database {
  db: Kysely<DB>
  /**
   * The same connections, for SQL without Kysely. int8 is a bigint and a date a text here too; so this is no pool for
   * graphile-worker, which writes its int8 ids as JSON and crashes on a bigint: `plainPool` makes one.
   */
  pool: pg.Pool
  /**
   * Reads what may be 5 s old: from the replica while it is no older and answers, else from the primary. `work` only reads,
   * and may run twice.
   */
  read<T>(work: (db: Kysely<DB>) => Promise<T>): Promise<T>
  /** How old the replica is, Infinity when that is not known; null: there is none. */
  replicaAgeMs(): number | null
  /** Another pool, whose values are what node-postgres makes of them; whoever asks for it ends it. */
  plainPool(options: { maxConnections: number; applicationName: string }): DatabasePool
  /** The time that rows go by, whatever this machine's own clock says. */
  clock: DatabaseClock
  /** For other PostgreSQL clients, as long as this process lives. May hold a password. */
  url: string
  /**
   * Calls `handler` with the payload of every NOTIFY on the channel. Resolves when the channel is listened to;
   * the answer ends it. After a lost connection it comes back by itself and calls `onGap`: what was notified meanwhile is gone.
   */
  listen(
    channel: string,
    handler: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<() => Promise<void>>
  /**
   * Keeps one connection that asks the server for a sign of life every few seconds, from now on. When it falls silent, all
   * who wait for an answer of it are told so within some 15 s.
   */
  watch(): Promise<DatabaseWatch>
  /** Ends all connections, and the embedded server if no other process uses it. */
  close(): Promise<void>
}

/** How the database is, as seen by a process that watches it. */
export interface DatabaseWatch {
  /** Whether it cannot be reached at present. */
  readonly isAway: boolean
  /** For how long it could not be reached, in all. */
  readonly awaySeconds: number
}

/**
 * Opens the database, starting the embedded one if it is needed and not running. It does not migrate.
 * Throws `DatabaseUnavailable`, whose message is a sentence for the operator: a second owner of the same DATA_DIR, no
 * embedded PostgreSQL for this machine, an unreachable, refusing or too old server.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, dataDir, role, maxConnections = 10, durable = true } = options
  const report = options.report ?? ((sentence) => process.emitWarning(sentence))
  const server =
    databaseUrl === undefined
      ? await embedded({ dataDir, role, durable, report })
      : await external(databaseUrl)
  const { servers } = server
  const pool = new DatabasePool({
    servers,
    maxConnections,
    types,
    applicationName: `turnpike, process ${process.pid}`,
  })
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: sessionsOf(pool) }) })
  const clock = await DatabaseClock.read(pool).catch(async (error: unknown) => {
    await pool.end()
    await server.close()
    throw error
  })
  const listener = new Listener(servers)
  const replica =
    options.replicaUrl === undefined
      ? null
      : new Replica({ url: options.replicaUrl, primary: pool, maxConnections, report })
  let closed: Promise<void> | undefined
  const close = async () => {
    clock.close()
    await replica?.close()
    await listener.close()
    await db.destroy()
    // Kysely ends only a pool that it has used.
    if (!pool.ending) await pool.end()
    await server.close()
  }
  return {
    db,
    pool,
    read: (work) => replica?.read(db, work) ?? work(db),
    replicaAgeMs: () => replica?.ageMs ?? null,
    plainPool: (poolOptions) => new DatabasePool({ servers, ...poolOptions }),
    clock,
    url: server.url,
    listen: (channel, handler, listenOptions) => listener.listen(channel, handler, listenOptions),
    watch: async () => {
      await listener.watch()
      return listener
    },
    close: () => (closed ??= close()),
  }
}

async function embedded(options: EmbeddedOptions) {
  const server = await Embedded.open(options)
  // It has no replicas.
  return Object.assign(server, { servers: new Servers([server.url], { mustBePrimary: false }) })
}
