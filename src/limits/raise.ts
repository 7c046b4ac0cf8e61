/**
 * A cap of the day that its customer raises for one day: by as much as it is, once. The days are those of the
 * cap, in UTC, so the raise ends by itself.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { announceChange } from '#proxies'

const dayOf = (now: Date) => now.toISOString().slice(0, 10)

/** The cap of the day at this time, of a row of pool_limits. */
export const dayCap = (now: Date) =>
  sql<bigint | null>`day_bytes + case when raised_day = ${dayOf(now)}::date then raised_bytes else 0 end`

/** The cap of the day as it is raised at this time; null: there is none. */
export async function raisedDay(
  db: Kysely<DB>,
  { subuserId, now }: { subuserId: bigint; now: Date },
): Promise<bigint | null> {
  const { rows } = await sql<{ cap: bigint | null }>`
    select ${dayCap(now)} as cap from pool_limits where subuser_id = ${subuserId}`.execute(db)
  return rows[0]?.cap ?? null
}

/** Doubles the cap of today, once: a repetition changes nothing. Null: there is no cap of the day. */
export async function raiseDay(
  tx: Transaction<DB>,
  subuser: { id: bigint; login: string },
  now: Date,
): Promise<bigint | null> {
  await sql`
    update pool_limits set raised_day = ${dayOf(now)}::date, raised_bytes = day_bytes
    where subuser_id = ${subuser.id} and day_bytes is not null
      and raised_day is distinct from ${dayOf(now)}::date`.execute(tx)
  await announceChange(tx, subuser.login)
  return raisedDay(tx, { subuserId: subuser.id, now })
}

/** Ends a raise. */
export async function endRaise(tx: Kysely<DB>, subuserId: bigint): Promise<void> {
  await sql`
    update pool_limits set raised_day = null, raised_bytes = null where subuser_id = ${subuserId}`.execute(tx)
}
