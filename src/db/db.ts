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

export {
  type BackupPart,
  backUpCluster,
  lastBackup,
  lastRestoreTry,
  noteBackup,
  noteRestoreTry,
} from './backup.ts'
export { isDatabaseAway } from './connections/away.ts'
export { type DatabaseClock, databaseTime } from './clock.ts'
export { clustersIn } from './cluster.ts'
export { type Execute, executeIn, executeOn } from './execute.ts'
export { refuseMoved } from './move/mark.ts'
export { nativeIn, nativesOfReleases } from './native.ts'
export { limitLockWaits, lockName, nameLock } from './locks.ts'
export { migrate, pendingMigrations } from './migrate.ts'
export { prepared } from './connections/prepared.ts'
export { describeServers, parseServers } from './connections/servers.ts'
export { type DividedTable, makeMonths, missingMonths, monthsOf } from './partitions.ts'
export { gathered } from './gathered.ts'
export { allowLongStatements, enclosingTransaction, inSnapshot, transaction } from './transaction.ts'
export { DatabaseUnavailable } from './connections/unavailable.ts'
export type { DB } from './schema.ts'

/** A connection, pool or transaction that runs queries on Turnpike's tables. */
export type Db = Kysely<DB>

export interface DatabaseOptions {
  /**
   * PostgreSQL 15 or newer, one server or several of which one is the primary; undefined: the embedded server
   * of `dataDir`.
   */
  databaseUrl?: string | undefined
  /** One or more replicas of it; undefined: there is none. */
  replicaUrl?: string | undefined
  dataDir: string
  /**
   * "owner" for the one `turnpike up` of a DATA_DIR with the embedded database, "guest" for every other
   * process.
   */
  role: 'owner' | 'guest'
  /** The largest number of connections in the pool (10). */
  maxConnections?: number
  /** False only for disposable embedded databases: commits do not wait for the disk. */
  durable?: boolean
  /** The embedded database of another major version, for `turnpike database move`. */
  other?: EmbeddedOptions['other']
  /**
   * Called with a sentence when the embedded server died and cannot be restarted at once, or when a replica
   * is left or used again.
   */
  report?: (sentence: string) => void
}

export interface Database {
  db: Kysely<DB>
  /**
   * The same connections, for SQL without Kysely. int8 is a bigint and a date a text here too, so
   * graphile-worker cannot use this pool: it writes its int8 ids as JSON and crashes on a bigint. `plainPool`
   * makes one for it.
   */
  pool: pg.Pool
  /**
   * Runs `work` on data that may be up to 5 s old: on the replica while it is fresh enough and answers, else
   * on the primary. `work` must only read, and may run twice.
   */
  read<T>(work: (db: Kysely<DB>) => Promise<T>): Promise<T>
  /** The age of the replica's data, Infinity when it is unknown; null: there is no replica. */
  replicaAgeMs(): number | null
  /** Another pool, with the value types of node-postgres; the caller ends it. */
  plainPool(options: { maxConnections: number; applicationName: string }): DatabasePool
  /** The database's clock, the source of all times in rows. */
  clock: DatabaseClock
  /**
   * The address for other PostgreSQL clients, valid as long as this process lives. May contain a password.
   */
  url: string
  /**
   * Calls `handler` with the payload of every NOTIFY on the channel. Resolves when LISTEN is in force, with a
   * function that ends the subscription. After a lost connection it reconnects and calls `onGap`:
   * notifications sent meanwhile are lost.
   */
  listen(
    channel: string,
    handler: (payload: string) => void,
    options?: ListenOptions,
  ): Promise<() => Promise<void>>
  /**
   * From now on keeps one connection that pings the server every few seconds. When the server stops
   * answering, all pending queries to it fail within about 15 s.
   */
  watch(): Promise<DatabaseWatch>
  /** Ends all connections, and the embedded server if no other process uses it. */
  close(): Promise<void>
}

/** The availability of the database, as seen by a process that watches it. */
export interface DatabaseWatch {
  /** Whether it cannot be reached at present. */
  readonly isAway: boolean
  /** The total time for which it could not be reached. */
  readonly awaySeconds: number
}

/**
 * Opens the database, and starts the embedded one if it is needed and not running. Does not migrate. Throws
 * `DatabaseUnavailable`, whose message is a sentence for the operator: the DATA_DIR has another owner, there
 * is no embedded PostgreSQL for this machine, or the server is unreachable, refuses the login or is too old.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, dataDir, role, maxConnections = 10, durable = true, other } = options
  const report = options.report ?? ((sentence) => process.emitWarning(sentence))
  const server =
    databaseUrl === undefined
      ? await embedded({ dataDir, role, durable, report, other })
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
  // The embedded server has no replicas.
  return Object.assign(server, { servers: new Servers([server.url], { mustBePrimary: false }) })
}
