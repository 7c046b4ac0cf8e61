import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseAway } from './away.ts'
import { type Connecting, DatabaseClient } from './client.ts'

/** What int8, int8[] and date become. Set per connection, not for every user of `pg` in the process. */
const parsers = new Map<number, (text: string) => unknown>([
  // Money and traffic are integers of 64 bits; a number would lose the last ones.
  [pg.types.builtins.INT8, BigInt],
  [1016, parseInt8Array],
  // A day has no time zone; as a Date it would move by one in half of the world.
  [pg.types.builtins.DATE, (text) => text],
])

export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parser = format === 'binary' ? undefined : parsers.get(oid)
    return parser ?? pg.types.getTypeParser(oid, format)
  },
}

/** PostgreSQL's text of a one-dimensional array: {1,2,NULL}. */
function parseInt8Array(text: string): (bigint | null)[] {
  if (text === '{}') return []
  return text
    .slice(1, -1)
    .split(',')
    .map((item) => (item === 'NULL' ? null : BigInt(item)))
}

export interface PoolOptions extends Connecting {
  maxConnections: number
}

/** For so long a connection that could not be made is tried again; then its user is told, and may come again. */
const patienceMs = 500

/** The pool; it opens connections when they are first needed and again when a server is there. */
export class DatabasePool extends pg.Pool {
  readonly #servers: Connecting['servers']
  readonly #open = new Set<DatabaseClient>()

  constructor({ maxConnections, ...connecting }: PoolOptions) {
    super({
      // It is made by the pool, which knows no other settings than these.
      Client: class extends DatabaseClient {
        constructor() {
          super(connecting)
        }
      },
      max: maxConnections,
      idleTimeoutMillis: 30_000,
      connectionTimeoutMillis: 10_000,
    })
    this.#servers = connecting.servers
    // An idle connection that breaks is replaced at the next use. Without a listener Node would take it for a crash.
    this.on('error', () => undefined)
    this.on('connect', (client) => this.#open.add(client as pg.Client as DatabaseClient))
    this.on('remove', (client) => this.#open.delete(client as pg.Client as DatabaseClient))
    // Told before the pool decides whether the connection may be used again.
    this.on('release', (_error, client) => {
      if ((client as pg.Client as DatabaseClient).isRetired) void client.end()
    })
  }

  /** Ends every connection at once, whatever it is doing. */
  abandon(reason: string): void {
    for (const client of this.#open) client.abandon(reason)
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const connecting = this.#connectPatiently()
    if (callback === undefined) return connecting
    connecting.then(
      (client) => callback(undefined, client, releaseOnce(client)),
      (error: Error) => callback(error, undefined, () => undefined),
    )
  }

  /** Nothing has been asked of a server yet, so trying again repeats nothing. */
  async #connectPatiently(): Promise<pg.PoolClient> {
    const deadline = performance.now() + patienceMs
    for (let waitMs = 50; ; waitMs *= 2) {
      try {
        return await this.#connectToOne()
      } catch (error) {
        const isWorthwhile = isDatabaseAway(error) && !isForRoom(error) && !this.ending
        if (!isWorthwhile || performance.now() + waitMs > deadline) throw error
      }
      await sleep(waitMs)
    }
  }

  async #connectToOne(): Promise<pg.PoolClient> {
    for (let left = this.#servers.urls.length - 1; ; left--) {
      try {
        return await super.connect()
      } catch (error) {
        if (left === 0 || isForRoom(error) || this.ending) throw error
      }
    }
  }
}

/**
 * graphile-worker, the one user of the callback, releases its listener twice when the connection fails while it is being
 * stopped, and does so where an error would end the process.
 */
function releaseOnce(client: pg.PoolClient): (fault?: Error | boolean) => void {
  let isReleased = false
  return (fault) => {
    if (isReleased) return
    isReleased = true
    client.release(fault)
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (fault?: Error | boolean) => void,
) => void

/** All connections of the pool were in use for too long. */
function isForRoom(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
