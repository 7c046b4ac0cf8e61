/** Leases that are over and of no more use are taken out of the table; what they were charged stays in their meter. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { lockMeters } from './lease.ts'

/**
 * A gateway that was away this long and comes back with reports in its journal finds its leases gone: such a report is
 * malformed, becomes a dead letter there, and is not charged.
 */
const keptDays = 14
const windowSize = 5000n

/**
 * Removes leases that were closed so many days ago, oldest first and some thousands at a time. Those with something
 * written off stay: the house's loss is checked against them. Answers how many were removed.
 */
export async function pruneLeases(db: Kysely<DB>, { olderThanDays = keptDays } = {}): Promise<number> {
  let removed = 0
  for (let from: bigint | null = 0n; from !== null;) {
    const pruned: Window = await pruneWindow(db, from, olderThanDays)
    removed += pruned.removed
    from = pruned.next
  }
  return removed
}

interface Window {
  removed: number
  /** Where to go on; null: what follows is too young. */
  next: bigint | null
}

/** Ids grow with time: the first window whose youngest lease was opened too late is the end. */
async function pruneWindow(db: Kysely<DB>, from: bigint, olderThanDays: number): Promise<Window> {
  const age = sql`make_interval(days => ${olderThanDays})`
  const { rows } = await sql<{ last: bigint | null; is_old: boolean | null }>`
    select max(id) as last, max(opened_at) < now() - ${age} as is_old
    from (select id, opened_at from lease where id > ${from} order by id limit ${windowSize}) l`.execute(db)
  const last = rows[0]?.last ?? null
  if (last === null) return { removed: 0, next: null }
  const removed = await transaction(db, async (tx) => {
    const old = sql`
      l.id > ${from} and l.id <= ${last} and l.closed_at < now() - ${age}
      and not exists (select from write_off w where w.lease_id = l.id)`
    const found = await sql<{ subuser_id: bigint }>`
      select distinct l.subuser_id from lease l where ${old}`.execute(tx)
    if (found.rows.length === 0) return 0
    // Only under their meter's lock leases change, and with it a late report cannot come between.
    await lockMeters(
      tx,
      found.rows.map((row) => row.subuser_id),
    )
    const gone = await sql<{ subuser_id: bigint; charged: bigint; count: bigint }>`
      with gone as (delete from lease l where ${old}
        and l.subuser_id = any(${bigintArray(found.rows.map((row) => row.subuser_id))}::bigint[])
        returning l.subuser_id, l.charged_bytes)
      , sums as (select subuser_id, sum(charged_bytes)::bigint as charged, count(*) as count from gone group by 1)
      , kept as (update meter m set pruned_bytes = m.pruned_bytes + sums.charged
        from sums where m.subuser_id = sums.subuser_id)
      select * from sums`.execute(tx)
    return gone.rows.reduce((sum, row) => sum + Number(row.count), 0)
  })
  return { removed, next: rows[0]?.is_old === true ? last : null }
}
