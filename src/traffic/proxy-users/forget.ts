/** Deletion of the rows of proxy users that were deleted long ago. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { forgetUsers } from '#proxy-users'

/** How many one transaction deletes. */
const atOnce = 1000

/** How long deleted proxy users are kept; 0 months: for ever. Not shorter than records of connections, which name them. */
interface Kept {
  now: Date
  months: number
  recordDays: number
}

/** The time before which proxy users must have been deleted. */
function endOf({ now, months, recordDays }: Kept): Date {
  const [byMonths, byRecords] = [new Date(now), new Date(now)]
  byMonths.setUTCMonth(byMonths.getUTCMonth() - months)
  byRecords.setUTCDate(byRecords.getUTCDate() - recordDays - 1)
  return byMonths < byRecords ? byMonths : byRecords
}

/**
 * Deletes proxy users that were deleted long ago, with their names, their history and their days; returns how many.
 * One stays while its login is used in another pool, or while a part of its reserve has not returned. What its
 * access was charged is in the usage of the access and in the ledger, which stay.
 */
export async function forgetDeletedUsers(db: Kysely<DB>, kept: Kept): Promise<number> {
  if (kept.months === 0) return 0
  const before = endOf(kept)
  let forgotten = 0
  for (;;) {
    const count = await transaction(db, async (tx) => {
      const { rows } = await sql<{ id: bigint }>`
        with old as (
          select u.login from proxy_user u
          where u.deleted_at < ${before} and u.shares_login_of is null and not exists (
            select from proxy_user o left join proxy_user_use used on used.proxy_user_id = o.id
            where o.login = u.login and (o.deleted_at is null or o.deleted_at >= ${before} or o.holds_reserve
              or (o.is_reserved and o.total_bytes <> coalesce(used.charged_bytes, 0))))
          order by u.deleted_at limit ${atOnce}
        )
        select u.id from old join proxy_user u on u.login = old.login
        order by u.access_id, u.nr for update of u`.execute(tx)
      const ids = rows.map(({ id }) => id)
      if (ids.length === 0) return 0
      const these = sql`proxy_user_id = any(${bigintArray(ids)}::bigint[])`
      await sql`delete from proxy_user_day where ${these}`.execute(tx)
      await sql`delete from proxy_user_use where ${these}`.execute(tx)
      await forgetUsers(tx, ids)
      return ids.length
    })
    if (count === 0) return forgotten
    forgotten += count
  }
}
