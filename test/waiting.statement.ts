import { type Kysely, sql } from 'kysely'
import { expect } from 'vitest'
import type { Database, DB } from '#db'

/** Waits until exactly one statement in this database waits for a lock. */
export const oneWaitsForLock = (db: Kysely<DB>): Promise<void> => someWaitForLock(db, 1)

/** Waits until exactly this number of statements in this database wait for locks. */
export async function someWaitForLock(db: Kysely<DB>, count: number): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
    return rows.length
  }
  // Not `vi.waitFor`, whose usual second is too short for a busy machine.
  await expect.poll(waiting).toBe(count)
}

/**
 * Blocks every entry of the audit trail until the result is called: a change of staff then waits before its
 * commit.
 */
export async function holdAudit({ pool }: Pick<Database, 'pool'>): Promise<() => Promise<void>> {
  const client = await pool.connect()
  await client.query('begin')
  await client.query('lock table audit_entry in exclusive mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}
