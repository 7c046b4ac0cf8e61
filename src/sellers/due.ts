/** Reads all accounts with a due part, one after the other. */
import type { Kysely } from 'kysely'
import { type Database, type DB, isDatabaseAway } from '#db'
import type { SellerPart } from '#contract/desk/choices'
import { readSellerAccount, type SellerDeps } from './sync.ts'

/** Why an account, or a part of it, was not read. */
export interface SellerTrouble {
  id: bigint
  /** Null: all of the account. */
  part: SellerPart | null
  reason: string
  /** An error that is no answer of the seller; undefined: there was none. */
  error?: unknown
}

/** The accounts with a due part. */
async function dueAccounts(db: Kysely<DB>, now: Date): Promise<bigint[]> {
  const rows = await db
    .selectFrom('seller_reading')
    .select('account_id')
    .distinct()
    .where('due_at', '<=', now)
    .orderBy('account_id')
    .execute()
  return rows.map((row) => row.account_id)
}

/**
 * Reads the due accounts for at most `forMs`, and reports those that cannot be read. An account that cannot be
 * read delays no other one. Throws only while the database is away.
 */
export async function readDueSellers(
  database: Pick<Database, 'db'>,
  deps: SellerDeps,
  {
    now,
    forMs,
    report,
  }: { now: () => Promise<Date>; forMs: number; report: (trouble: SellerTrouble) => void },
): Promise<void> {
  const begun = performance.now()
  for (const id of await dueAccounts(database.db, await now())) {
    if (performance.now() - begun > forMs) return
    try {
      const read = await readSellerAccount(database, deps, id, await now())
      if (typeof read === 'string') continue
      for (const { part, fault } of read)
        if (fault !== null) report({ id, part, reason: fault.message, error: fault.cause })
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      report({ id, part: null, reason: 'an unexpected error', error })
    }
  }
}
