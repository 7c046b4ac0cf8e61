import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql, type Transaction } from 'kysely'
import { errorCode, isPlanOutdated } from './connections/errors.ts'
import { isDatabaseAway } from './connections/away.ts'
import type { DB } from './schema.ts'

/**
 * serialization_failure and deadlock_detected: PostgreSQL has rolled back and expects the transaction to be
 * repeated.
 */
const undone = new Set(['40001', '40P01'])

const isUndone = (error: unknown) => undone.has(errorCode(error) ?? '') || isPlanOutdated(error)

const attempts = 5

/** For how long transactions are repeated after the connection is lost; then they fail. */
const patienceMs = 1_000

/**
 * Runs `work` in one transaction, committed when it resolves and rolled back when it throws. It runs again,
 * at most five times in all, after a deadlock, a serialization failure or an outdated plan, and after a lost
 * connection as long as `commit` had not been sent; so `work` must have no effect outside the database. Given
 * a transaction, it joins that one.
 *
 * When the connection is lost during the commit, its outcome is unknown, and this function throws that error:
 * a call with an Idempotency-Key may be repeated, others must not be.
 */
export async function transaction<T>(db: Kysely<DB>, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return enclosing.has(db) ? inSavepoint(db, work) : work(db)
  const deadline = performance.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    let isCommitting = false
    try {
      return await db.transaction().execute(async (tx) => {
        const result = await work(tx)
        isCommitting = true
        return result
      })
    } catch (error) {
      const isLost = !isCommitting && isDatabaseAway(error) && performance.now() < deadline
      if (attempt === attempts || !(isLost || isUndone(error))) throw error
      // Random waits, so that the same two transactions do not collide again.
      await sleep(Math.random() * 10 * 2 ** attempt)
    }
  }
}

/** Transactions in which those that `work` begins are rolled back alone. */
const enclosing = new WeakSet<Kysely<DB>>()

/**
 * Runs `work` in a transaction, as `transaction` does. A transaction that `work` begins in it is a savepoint:
 * when it throws, only what it wrote is rolled back, and `work` may resolve and commit the rest.
 */
export function enclosingTransaction<T>(
  db: Kysely<DB>,
  work: (tx: Transaction<DB>) => Promise<T>,
): Promise<T> {
  return transaction(db, (tx) => {
    enclosing.add(tx)
    return work(tx)
  })
}

async function inSavepoint<T>(tx: Transaction<DB>, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  await sql`savepoint enclosed`.execute(tx)
  try {
    const result = await work(tx)
    await sql`release savepoint enclosed`.execute(tx)
    return result
  } catch (error) {
    // When the connection is lost, nothing is left to roll back.
    await sql`rollback to savepoint enclosed; release savepoint enclosed`.execute(tx).catch(() => undefined)
    throw error
  }
}

function isTransaction(db: Kysely<DB>): db is Transaction<DB> {
  return db.isTransaction
}

/**
 * Lifts statement_timeout and raises work_mem for the rest of the transaction, for work that reads whole
 * tables. The client's own time limit follows a `set` statement only, not `set_config`.
 */
export async function allowLongStatements(tx: Kysely<DB>): Promise<void> {
  await sql`set local statement_timeout = 0`.execute(tx)
  await sql`set local work_mem = '128MB'`.execute(tx)
}

/** Runs `work` on one snapshot of the database, which it may only read. Its statements have no time limit. */
export function inSnapshot<T>(db: Kysely<DB>, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await allowLongStatements(tx)
      return work(tx)
    })
}
