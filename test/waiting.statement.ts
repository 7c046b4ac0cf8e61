import { type Kysely, sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { DB } from '#db'

/** Waits until exactly one statement in this database waits for a lock. */
export const oneWaitsForLock = (db: Kysely<DB>): Promise<void> => someWaitForLock(db, 1)

/** Waits until exactly this number of statements in this database wait for locks. */
export const someWaitForLock = (db: Kysely<DB>, count: number): Promise<void> =>
  vi.waitFor(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(db)
    expect(rows).toHaveLength(count)
  })
