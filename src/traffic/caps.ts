/**
 * Caps on bytes per UTC hour, day and month. They are held where leases are granted: what was charged in a window and
 * what gateways hold on lease never add up to more than its cap. What was leased before the window began counts in it
 * for as long as it is not reported, so the turn of the hour is no way around a cap. Hours are counted for those who
 * have set limits, from then on: a first cap on an hour begins with what is used after it was set.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { databaseTime, type DB } from '#db'
import type { CapWindow } from '#feed'
import { limitsOf } from '#limits'
import { bigintArray } from '#lib/pg-array'
import { daysBetween } from './days.ts'
import { type CoveredLine, usageHours, utcHour } from './lines.ts'
import { notifyGateways } from './notify.ts'

/** What was charged so far in the UTC hour, day and month of `now`. */
export async function usedInWindows(
  db: Kysely<DB>,
  { subuserId, now }: { subuserId: bigint; now: Date },
): Promise<{ hourBytes: bigint; dayBytes: bigint; monthBytes: bigint }> {
  const hour = utcHour(now.getTime())
  const day = hour.slice(0, 10)
  // A gateway whose clock is ahead may have reported of the next hour already, even of the next day: that counts too.
  const tomorrow = utcHour(now.getTime() + 86_400_000).slice(0, 10)
  const { rows } = await sql<{ hourBytes: bigint; dayBytes: bigint; monthBytes: bigint }>`
    select
      (select coalesce(sum(charged_bytes), 0)::bigint from usage_hour
        where subuser_id = ${subuserId} and hour >= ${`${hour}:00Z`}::timestamptz) as "hourBytes",
      coalesce(sum(charged_bytes) filter (where day >= ${day}::date), 0)::bigint as "dayBytes",
      coalesce(sum(charged_bytes), 0)::bigint as "monthBytes"
    from usage_day where subuser_id = ${subuserId} and day = any(${daysBetween(`${day.slice(0, 7)}-01`, tomorrow)})`.execute(
    db,
  )
  const [used] = rows
  if (used === undefined) throw new Error('a sum came without its row')
  return used
}

/** The cap that leaves the least, and what it leaves, leases not yet taken off; null without a cap. */
export async function nearestCap(
  tx: Transaction<DB>,
  { subuserId, now }: { subuserId: bigint; now: Date | undefined },
): Promise<{ window: CapWindow; leftBytes: bigint } | null> {
  const limits = await limitsOf(tx, subuserId)
  if (limits === null) return null
  const { hourBytes, dayBytes, monthBytes } = limits
  if (hourBytes === null && dayBytes === null && monthBytes === null) return null
  const used = await usedInWindows(tx, { subuserId, now: now ?? (await databaseTime(tx)) })
  const left = (cap: bigint | null, charged: bigint) =>
    cap === null ? null : cap > charged ? cap - charged : 0n
  const windows = [
    { window: 'month', leftBytes: left(monthBytes, used.monthBytes) },
    { window: 'day', leftBytes: left(dayBytes, used.dayBytes) },
    { window: 'hour', leftBytes: left(hourBytes, used.hourBytes) },
  ] as const
  let nearest: { window: CapWindow; leftBytes: bigint } | null = null
  for (const { window, leftBytes } of windows)
    if (leftBytes !== null && (nearest === null || leftBytes < nearest.leftBytes))
      nearest = { window, leftBytes }
  return nearest
}

/** Adds what was charged to the hours, and deletes hours that no cap needs any more. */
export async function addHours(tx: Transaction<DB>, covered: readonly CoveredLine[]): Promise<void> {
  const sums = new Map<string, { account: bigint; hour: string; charged: bigint }>()
  for (const { account, hour, charged } of usageHours(covered)) {
    const key = `${account} ${hour}`
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { account, hour, charged })
    else known.charged += charged
  }
  const hours = [...sums.values()]
  if (hours.length === 0) return
  await sql`
    with told as (
      select * from unnest(
        ${bigintArray(hours.map((one) => one.account))}::bigint[],
        ${hours.map((one) => `${one.hour}:00Z`)}::timestamptz[],
        ${bigintArray(hours.map((one) => one.charged))}::bigint[]
      ) as one(subuser_id, hour, charged_bytes)
    ), forgotten as (
      delete from usage_hour old using told
      where old.subuser_id = told.subuser_id and old.hour < told.hour - interval '3 hours'
    )
    insert into usage_hour as known (subuser_id, hour, charged_bytes)
    select * from told
    on conflict (subuser_id, hour) do update set charged_bytes = known.charged_bytes + excluded.charged_bytes`.execute(
    tx,
  )
}

/** Asks every gateway to give back what it holds of this subuser: what is free may be less now. */
export async function recallLeases(db: Kysely<DB>, subuserId: bigint): Promise<void> {
  await notifyGateways(db, { type: 'lease_recalled', subuser: subuserId })
}
