/** Locks of single transactions. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from './schema.ts'

/**
 * Locks a name until the end of the transaction. Transactions that lock the same name run one after another.
 */
export async function lockName(tx: Kysely<DB>, name: string): Promise<void> {
  await sql`select ${nameLock(name)}`.execute(tx)
}

/** SQL that locks the name as `lockName` does, as an expression of another statement. */
export const nameLock = (name: string): RawBuilder<unknown> =>
  sql`pg_advisory_xact_lock(hashtextextended(${name}, 0))`

/**
 * Limits each wait for a lock in this transaction to 5 s, then the transaction fails. For locks of whole
 * tables: while one is awaited, all other statements on the table wait behind it.
 */
export async function limitLockWaits(tx: Kysely<DB>): Promise<void> {
  await sql`set local lock_timeout = '5s'`.execute(tx)
}
