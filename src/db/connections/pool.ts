import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isDatabaseAway } from './away.ts'
import { type Connecting, DatabaseClient } from './client.ts'

/** The OID of text[], which `pg` has no name for. */
const textArray: number = 1009
const parseTextArray: (text: string) => string[] = pg.types.getTypeParser(textArray)

/** Parsers of int8, int8[], date and text[]. Set per connection, not for every user of `pg` in the process. */
const parsers = new Map<number, (text: string) => unknown>([
  // Money and traffic are 64-bit integers, which a number cannot represent exactly.
  [pg.types.builtins.INT8, BigInt],
  [1016, parseInt8Array],
  // A date has no time zone; as a Date it would be another day in some time zones.
  [pg.types.builtins.DATE, (text) => text],
  // Most arrays of settings are empty, and the parser of `pg` takes as long for an empty one.
  [textArray, (text) => (text === '{}' ? [] : parseTextArray(text))],
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

/** For how long a failed connection attempt is repeated before the error is thrown. */
const patienceMs = 500

/** The pool. It opens connections when they are needed, and reconnects when a server is available again. */
export class DatabasePool extends pg.Pool {
  readonly #servers: Connecting['servers']
  readonly #open = new Set<DatabaseClient>()

  constructor({ maxConnections, ...connecting }: PoolOptions) {
    super({
      // pg.Pool constructs the clients itself, with its own options only.
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
    // A broken idle connection is replaced at the next use; an "error" event without a listener would end the
    // process.
    this.on('error', () => undefined)
    this.on('connect', (client) => this.#open.add(client as pg.Client as DatabaseClient))
    this.on('remove', (client) => this.#open.delete(client as pg.Client as DatabaseClient))
    // Emitted before the pool decides whether the connection may be used again.
    this.on('release', (_error, client) => {
      if ((client as pg.Client as DatabaseClient).isRetired) void client.end()
    })
  }

  /** Closes every connection at once, failing statements in flight. */
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

  /** Repeats connection attempts for `patienceMs`, which is safe because no statement has been sent yet. */
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
 * Ignores a second release. graphile-worker, the only user of the callback, releases its listener twice when
 * the connection fails while it is being stopped, in a place where an error would end the process.
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

/** Whether the error means that all connections of the pool were in use for too long. */
function isForRoom(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
