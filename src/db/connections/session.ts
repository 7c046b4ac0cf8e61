import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { errorCode, isPlanOutdated } from './errors.ts'

/**
 * The pool as Kysely uses it. A statement outside of a transaction that a server rejects as read-only, or
 * because its prepared plan is outdated, is sent once more over a new connection: nothing was written, and the
 * next connection finds the primary and plans anew. Statements in a transaction are not repeated one by one:
 * `transaction` repeats all of it.
 */
export function sessionsOf(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    connect: async () => sessionOf(pool, await pool.connect()),
    end: () => pool.end(),
  }
}

function sessionOf(pool: pg.Pool, given: pg.PoolClient): PostgresPoolClient {
  let client = given
  const query = async <R>(
    text: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<R & pg.QueryResultRow>> => {
    const isAlone = client.getTransactionStatus() === 'I'
    const values = [...parameters]
    try {
      return (await client.query(text, values)) as PostgresQueryResult<R & pg.QueryResultRow>
    } catch (error) {
      if (!isAlone || !(errorCode(error) === '25006' || isPlanOutdated(error))) throw error
      client.release(true)
      client = await pool.connect()
      return (await client.query(text, values)) as PostgresQueryResult<R & pg.QueryResultRow>
    }
  }
  return {
    query: query as PostgresPoolClient['query'],
    release: (isBroken) => client.release(isBroken),
  }
}
