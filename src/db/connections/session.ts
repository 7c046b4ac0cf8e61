import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import type { DatabaseClient } from './client.ts'
import { errorCode, isPlanOutdated } from './errors.ts'

/** A connection of the pool, whose clients are `DatabaseClient`s. */
type PooledClient = DatabaseClient & Pick<pg.PoolClient, 'release'>

/**
 * The pool as Kysely uses it. A statement outside of a transaction that a server rejects as read-only, or
 * because its prepared plan is outdated, is sent once more over a new connection: nothing was written, and the
 * next connection finds the primary and plans anew. Statements in a transaction are not repeated one by one:
 * `transaction` repeats all of it. What begins a transaction is sent with its first statement, and a
 * transaction without statements is not sent at all.
 */
export function sessionsOf(pool: pg.Pool): PostgresPool {
  const open = async () => (await pool.connect()) as unknown as PooledClient
  return {
    options: pool.options,
    connect: async () => sessionOf(open, await open()),
    end: () => pool.end(),
  }
}

/** The statements by which Kysely begins a transaction. */
const isBegin = (text: string) => text === 'begin' || text.startsWith('start transaction')

/** The result of a statement that was not sent. */
const notSent = (command: string): pg.QueryResult => Object.assign(new pg.Result('', pg.types), { command })

function sessionOf(open: () => Promise<PooledClient>, given: PooledClient): PostgresPoolClient {
  let client = given
  /** What begins the transaction, until its first statement is sent. */
  let begin: string | null = null
  const send = async (text: string, values: unknown[]): Promise<pg.QueryResult> => {
    const opening = begin
    begin = isBegin(text) ? text : null
    if (begin !== null) return notSent('BEGIN')
    if (opening !== null)
      return text === 'commit' || text === 'rollback'
        ? notSent(text.toUpperCase())
        : client.beginWith(opening, text, values)
    const isAlone = client.getTransactionStatus() === 'I'
    try {
      return await client.query(text, values)
    } catch (error) {
      if (!isAlone || !(errorCode(error) === '25006' || isPlanOutdated(error))) throw error
      client.release(true)
      client = await open()
      return client.query(text, values)
    }
  }
  const query = <R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> =>
    send(text, [...parameters]) as Promise<pg.QueryResult & PostgresQueryResult<R>>
  return {
    query: query as PostgresPoolClient['query'],
    release: (isBroken) => client.release(isBroken),
  }
}
