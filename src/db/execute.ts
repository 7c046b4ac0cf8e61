/** Statements of Kysely in a transaction, also in one on a connection of node-postgres. */
import type { CompiledQuery, Transaction } from 'kysely'
import type pg from 'pg'
import type { DB } from './schema.ts'

/** Runs a statement in a transaction. */
export type Execute = <Row extends object>(query: CompiledQuery<Row>) => Promise<{ rows: Row[] }>

/** Runs statements in a transaction of Kysely. */
export const executeIn =
  (tx: Transaction<DB>): Execute =>
  (query) =>
    tx.executeQuery(query)

/** Runs statements in the transaction on a connection of `Database.pool`. */
export const executeOn =
  (client: Pick<pg.ClientBase, 'query'>): Execute =>
  <Row extends object>({ sql, parameters }: CompiledQuery<Row>) =>
    client.query<Row>(sql, [...parameters])
