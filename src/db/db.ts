import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { DatabaseClock } from './clock.ts'
import { Embedded } from './embedded.ts'
import { external } from './external.ts'
import { type ListenOptions, Listener } from './listener.ts'
import { createPool } from './pool.ts'
import type { DB } from './schema.ts'

export { type BackupPart, backUpCluster } from './backup.ts'
export { isDatabaseAway } from './away.ts'
export { type DatabaseClock, databaseTime } from './clock.ts'
export { migrate } from './migrate.ts'
export { type DividedTable, makeMonths, missingMonths, monthsOf } from './partitions.ts'
export { prepared } from './pool.ts'
export { transaction } from './transaction.ts'
export { DatabaseUnavailable } from './unavailable.ts'
export type { DB } from './schema.ts'

export interface DatabaseOptions {
  /** PostgreSQL 15 or newer; undefined: the embedded one in `dataDir`. */
  databaseUrl?: string | undefined
  dataDir: string
  /** "owner" for the one `turnpike up` of a DATA_DIR with the embedded database, "guest" for every other process. */
  role: 'owner' | 'guest'
  /** Connections of the pool at most (10). */
  maxConnections?: number
  /** False only for embedded databases that are thrown away: commits do not wait for the disk. */
  durable?: boolean
  /** Told, in a sentence, when the embedded server was lost and cannot be brought back at once. */
  report?: (sentence: string) => void
}

export interface Database {
  db: Kysely<DB>
  /**
   * The same connections, for SQL without Kysely. int8 is a bigint and a date a text here too; so this is no pool for
   * graphile-worker, which writes its int8 ids as JSON and crashes on a bigint: give it `url`.
   */
  pool: pg.Pool
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
  /** Ends all connections, and the embedded server if no other process uses it. */
  close(): Promise<void>
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
      ? await Embedded.open({ dataDir, role, durable, report })
      : await external(databaseUrl)
  const pool = createPool(server.url, { maxConnections, applicationName: `turnpike, process ${process.pid}` })
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  const clock = await DatabaseClock.read(pool).catch(async (error: unknown) => {
    await pool.end()
    await server.close()
    throw error
  })
  const listener = new Listener(server.url)
  let closed: Promise<void> | undefined
  const close = async () => {
    clock.close()
    await listener.close()
    await db.destroy()
    // Kysely ends only a pool that it has used.
    if (!pool.ending) await pool.end()
    await server.close()
  }
  return {
    db,
    pool,
    clock,
    url: server.url,
    listen: (channel, handler, listenOptions) => listener.listen(channel, handler, listenOptions),
    close: () => (closed ??= close()),
  }
}
