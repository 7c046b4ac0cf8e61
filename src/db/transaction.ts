import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { errorCode } from './admin.ts'
import type { DB } from './schema.ts'

/** serialization_failure and deadlock_detected: PostgreSQL has undone everything and asks to be asked again. */
const retryable = new Set(['40001', '40P01'])

const attempts = 5

/**
 * Runs `work` in one transaction, committed when it resolves and rolled back when it throws. A deadlock or a
 * serialization failure runs it again, at most five times in all, so `work` must have no effect outside the database.
 * Given a transaction, it joins that one.
 */
export async function transaction<T>(db: Kysely<DB>, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return work(db)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (attempt === attempts || !retryable.has(errorCode(error) ?? '')) throw error
      // Unequal waits, lest the same two meet again.
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

function isTransaction(db: Kysely<DB>): db is Transaction<DB> {
  return db.isTransaction
}
