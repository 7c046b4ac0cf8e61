/**
 * Caps on bytes per UTC hour, day and month. They are enforced when leases are granted: the bytes charged in
 * a window and the bytes on lease never add up to more than its cap. Bytes leased before the window began
 * count in it until they are reported, so a cap cannot be exceeded at the turn of an hour.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { databaseTime, type DB } from '#db'
import type { CapWindow } from '#feed'
import { most } from '#lib/bigint'
import { limitsOf, raisedDay } from '#limits'
import { daysBetween, hoursBetween } from './days.ts'
import { dayOfHour, utcHour } from './lines.ts'
import { notifyGateways } from './gateways/notify.ts'

/** The bytes charged so far in the UTC hour, day and month of `now`. */
export async function usedInWindows(
  db: Kysely<DB>,
  { accessId, now }: { accessId: bigint; now: Date },
): Promise<{ hourBytes: bigint; dayBytes: bigint; monthBytes: bigint }> {
  const hour = utcHour(now.getTime())
  const day = dayOfHour(hour)
  // A gateway whose clock is ahead may have reported later hours already, even of the next day: they count
  // too.
  const last = hour + 24
  const { rows } = await sql<{ hourBytes: bigint; dayBytes: bigint; monthBytes: bigint }>`
    select
      (select coalesce(sum(charged_bytes), 0)::bigint from usage_hour
        where access_id = ${accessId} and hour = any(${hoursBetween(hour, last)})) as "hourBytes",
      coalesce(sum(charged_bytes) filter (where day >= ${day}::date), 0)::bigint as "dayBytes",
      coalesce(sum(charged_bytes), 0)::bigint as "monthBytes"
    from (
      select day, charged_bytes from usage_past_day
      where access_id = ${accessId} and day = any(${daysBetween(`${day.slice(0, 7)}-01`, dayOfHour(last))})
      union all
      select (hour at time zone 'UTC')::date, charged_bytes from usage_hour
      where access_id = ${accessId} and not in_day and hour >= ${`${day.slice(0, 7)}-01T00:00:00Z`}::timestamptz
    ) used`.execute(db)
  const [used] = rows
  if (used === undefined) throw new Error('a sum came without its row')
  return used
}

/** The cap that leaves the fewest bytes, and that number before subtracting leases; null without a cap. */
export async function nearestCap(
  tx: Transaction<DB>,
  { accessId, now }: { accessId: bigint; now: Date | undefined },
): Promise<{ window: CapWindow; leftBytes: bigint } | null> {
  const limits = await limitsOf(tx, accessId)
  if (limits === null) return null
  const { hourBytes, monthBytes } = limits
  if (hourBytes === null && limits.dayBytes === null && monthBytes === null) return null
  const at = now ?? (await databaseTime(tx))
  const used = await usedInWindows(tx, { accessId, now: at })
  const dayBytes = limits.dayBytes === null ? null : await raisedDay(tx, { accessId, now: at })
  const left = (cap: bigint | null, charged: bigint) => (cap === null ? null : most(cap - charged, 0n))
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

/** Asks every gateway to give back its leases of this access, because a cap may have been lowered. */
export async function recallLeases(db: Kysely<DB>, accessId: bigint): Promise<void> {
  await notifyGateways(db, { type: 'lease_recalled', access: accessId })
}
