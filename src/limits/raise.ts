/**
 * The raise of a daily cap for one day: the customer can double it once. The day is the cap's UTC day, so the
 * raise expires by itself.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { announceChange } from '#proxies'

const dayOf = (now: Date) => now.toISOString().slice(0, 10)

/** SQL: the daily cap at this time, for a row of pool_limits. */
export const dayCap = (now: Date) =>
  sql<bigint | null>`day_bytes + case when raised_day = ${dayOf(now)}::date then raised_bytes else 0 end`

/** The raised daily cap at this time; null: there is none. */
export async function raisedDay(
  db: Kysely<DB>,
  { accessId, now }: { accessId: bigint; now: Date },
): Promise<bigint | null> {
  const { rows } = await sql<{ cap: bigint | null }>`
    select ${dayCap(now)} as cap from pool_limits where access_id = ${accessId}`.execute(db)
  return rows[0]?.cap ?? null
}

/** Doubles today's cap once; a repetition changes nothing. Null: there is no daily cap. */
export async function raiseDay(
  tx: Transaction<DB>,
  access: { id: bigint; login: string },
  now: Date,
): Promise<bigint | null> {
  await sql`
    update pool_limits set raised_day = ${dayOf(now)}::date, raised_bytes = day_bytes
    where access_id = ${access.id} and day_bytes is not null
      and raised_day is distinct from ${dayOf(now)}::date`.execute(tx)
  await announceChange(tx, access.login)
  return raisedDay(tx, { accessId: access.id, now })
}

/** Ends a raise. */
export async function endRaise(tx: Kysely<DB>, accessId: bigint): Promise<void> {
  await sql`
    update pool_limits set raised_day = null, raised_bytes = null where access_id = ${accessId}`.execute(tx)
}
