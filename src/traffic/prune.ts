/** Deletion of leases that were closed long ago; the sum of their charges stays in their meter. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { lockMeters } from './meters.ts'

/**
 * The days for which closed leases are kept. When a gateway returns after a longer absence with reports in
 * its journal, its leases do not exist any more: such a report is malformed, becomes a dead letter there, and
 * is not charged.
 */
const keptDays = 14
/** The same for leases of proxy users that their gateway closed: all reports on these are settled by then. */
const keptDaysOfUsers = 1
const windowSize = 5000n

/**
 * Deletes leases that were closed so many days ago, oldest first and some thousands at a time. Leases with a
 * write-off stay, because the house's loss is verified against them. Returns how many were deleted.
 */
export async function pruneLeases(db: Kysely<DB>, { olderThanDays = keptDays } = {}): Promise<number> {
  const ofUsers = { days: Math.min(keptDaysOfUsers, olderThanDays), ofUsers: true }
  return (await prune(db, ofUsers)) + (await prune(db, { days: olderThanDays, ofUsers: false }))
}

/** Which leases to delete: only those of proxy users that were given back, or all. */
interface Which {
  days: number
  ofUsers: boolean
}

async function prune(db: Kysely<DB>, which: Which): Promise<number> {
  let removed = 0
  for (let from: bigint | null = 0n; from !== null;) {
    const pruned: Window = await pruneWindow(db, from, which)
    removed += pruned.removed
    from = pruned.next
  }
  return removed
}

interface Window {
  removed: number
  /** The id from which to continue; null: later leases are too recent. */
  next: bigint | null
}

/**
 * Deletes in one window of ids. Ids grow with time, so the first window whose newest lease is too recent is
 * the last.
 */
async function pruneWindow(db: Kysely<DB>, from: bigint, { days, ofUsers }: Which): Promise<Window> {
  const age = sql`make_interval(days => ${days})`
  const { rows } = await sql<{ last: bigint | null; is_old: boolean | null }>`
    select max(id) as last, max(opened_at) < now() - ${age} as is_old
    from (select id, opened_at from lease where id > ${from} order by id limit ${windowSize}) l`.execute(db)
  const last = rows[0]?.last ?? null
  if (last === null) return { removed: 0, next: null }
  const removed = await transaction(db, async (tx) => {
    const old = sql`
      l.id > ${from} and l.id <= ${last} and l.closed_at < now() - ${age}
      and ${ofUsers ? sql`l.proxy_user_id is not null and not l.is_lost` : sql`true`}
      and not exists (select from write_off w where w.lease_id = l.id)`
    const found = await sql<{ access_id: bigint }>`
      select distinct l.access_id from lease l where ${old}`.execute(tx)
    if (found.rows.length === 0) return 0
    // Leases change only under their meter's lock, which excludes a concurrent late report.
    await lockMeters(
      tx,
      found.rows.map((row) => row.access_id),
    )
    const gone = await sql<{ access_id: bigint; charged: bigint; count: bigint }>`
      with gone as (delete from lease l where ${old}
        and l.access_id = any(${bigintArray(found.rows.map((row) => row.access_id))}::bigint[])
        returning l.access_id, l.charged_bytes, l.proxy_user_id)
      , sums as (select access_id,
          coalesce(sum(charged_bytes) filter (where proxy_user_id is null or is_reserved_user(proxy_user_id)), 0)::bigint as charged, count(*) as count from gone group by 1)
      , kept as (update meter m set pruned_bytes = m.pruned_bytes + sums.charged
        from sums where m.access_id = sums.access_id)
      select * from sums`.execute(tx)
    return gone.rows.reduce((sum, row) => sum + Number(row.count), 0)
  })
  return { removed, next: rows[0]?.is_old === true ? last : null }
}
