import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'

/** What int8, int8[] and date become. Set per connection, not for every user of `pg` in the process. */
const parsers = new Map<number, (text: string) => unknown>([
  // Money and traffic are integers of 64 bits; a number would lose the last ones.
  [pg.types.builtins.INT8, BigInt],
  [1016, parseInt8Array],
  // A day has no time zone; as a Date it would move by one in half of the world.
  [pg.types.builtins.DATE, (text) => text],
])

const types: pg.CustomTypesConfig = {
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

/** How every connection to the database is opened, in the pool or alone. */
export function clientConfig(url: string, applicationName: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    // A transaction forgotten by a bug would hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
  }
}

const mark = '/* prepared */'

/**
 * Begins SQL that every connection parses and plans once and then runs again and again: sql`${prepared} update …`. Worth
 * it where something is done several times a second. Its text must be always the same, for a connection keeps every
 * one that it has seen.
 */
export const prepared = sql.raw(mark)

const names = new Map<string, string>()

/** PostgreSQL's names of statements are 63 characters at most. */
function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
  names.set(text, name)
  return name
}

/** Sends marked SQL as a prepared statement. */
class PreparingClient extends pg.Client {
  override query = ((...given: unknown[]): unknown => {
    const [text, values] = given
    if (given.length === 2 && typeof text === 'string' && text.startsWith(mark) && Array.isArray(values))
      return super.query({ name: nameOf(text), text, values })
    return super.query(...(given as Parameters<pg.Client['query']>))
  }) as pg.Client['query']
}

/** The pool; it opens connections when they are first needed and again when the server comes back. */
export function createPool(
  url: string,
  options: { maxConnections: number; applicationName: string },
): pg.Pool {
  const pool = new pg.Pool({
    Client: PreparingClient,
    ...clientConfig(url, options.applicationName),
    max: options.maxConnections,
    idleTimeoutMillis: 30_000,
  })
  // An idle connection that breaks is replaced at the next use. Without a listener Node would take it for a crash.
  pool.on('error', () => undefined)
  // The same for one that is in use: whoever uses it is told by their query.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
