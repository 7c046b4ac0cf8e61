/**
 * Caps on bytes per UTC hour, day and month. They are held where leases are granted: what was charged in a window and
 * what gateways hold on lease never add up to more than its cap. What was leased before the window began counts in it
 * for as long as it is not reported, so the turn of the hour is no way around a cap.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { databaseTime, type DB } from '#db'
import type { CapWindow } from '#feed'
import { limitsOf } from '#limits'
import { daysBetween, hoursBetween } from './days.ts'
import { dayOfHour, utcHour } from './lines.ts'
import { notifyGateways } from './notify.ts'

/** What was charged so far in the UTC hour, day and month of `now`. */
export async function usedInWindows(
  db: Kysely<DB>,
  { subuserId, now }: { subuserId: bigint; now: Date },
): Promise<{ hourBytes: bigint; dayBytes: bigint; monthBytes: bigint }> {
  const hour = utcHour(now.getTime())
  const day = dayOfHour(hour)
  // A gateway whose clock is ahead may have reported of the next hours already, which may be tomorrow's: they count.
  const last = hour + 24
  const { rows } = await sql<{ hourBytes: bigint; dayBytes: bigint; monthBytes: bigint }>`
    select
      (select coalesce(sum(charged_bytes), 0)::bigint from usage_hour
        where subuser_id = ${subuserId} and hour = any(${hoursBetween(hour, last)})) as "hourBytes",
      coalesce(sum(charged_bytes) filter (where day >= ${day}::date), 0)::bigint as "dayBytes",
      coalesce(sum(charged_bytes), 0)::bigint as "monthBytes"
    from (
      select day, charged_bytes from usage_past_day
      where subuser_id = ${subuserId} and day = any(${daysBetween(`${day.slice(0, 7)}-01`, dayOfHour(last))})
      union all
      select (hour at time zone 'UTC')::date, charged_bytes from usage_hour
      where subuser_id = ${subuserId} and not in_day and hour >= ${`${day.slice(0, 7)}-01T00:00:00Z`}::timestamptz
    ) used`.execute(db)
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

/** Asks every gateway to give back what it holds of this subuser: what is free may be less now. */
export async function recallLeases(db: Kysely<DB>, subuserId: bigint): Promise<void> {
  await notifyGateways(db, { type: 'lease_recalled', subuser: subuserId })
}
