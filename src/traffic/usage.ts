/**
 * Usage statistics of charged bytes: by hour and exit, added up to days and to sums of the whole shop when
 * they are over.
 */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type DB, prepared, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { lockMeters } from './meters.ts'
import type { HourUsage } from './lines.ts'

/**
 * The most relayed bytes of an access through an exit in an hour: 2.5 Tbit/s. What no lease bounds is bounded
 * here, so that a forger cannot overflow the sums of all accesses.
 */
const mostRelayed = 2n ** 50n

/**
 * Adds to the hours, and to the days and sums of hours that were added up already. The caller holds the locks
 * of the meters. `minutes`: the statement that adds to the minutes, in the same round trip.
 */
export async function addUsage(
  tx: Transaction<DB>,
  usage: readonly HourUsage[],
  minutes: RawBuilder<unknown>,
): Promise<void> {
  if (usage.length === 0) return
  const told = sql`unnest(
    ${bigintArray(usage.map((one) => one.hour))}::bigint[],
    ${bigintArray(usage.map((one) => one.account))}::bigint[],
    ${bigintArray(usage.map((one) => one.exit))}::bigint[],
    ${bigintArray(usage.map((one) => one.charged))}::bigint[],
    ${bigintArray(usage.map((one) => one.bonus))}::bigint[],
    ${bigintArray(usage.map((one) => one.relayed))}::bigint[],
    ${bigintArray(usage.map((one) => one.requests))}::bigint[]
  ) as told(hour, account, exit, charged, bonus, relayed, requests)`
  const { rows } = await sql<{ is_late: boolean | null }>`${prepared}
    with added as (
      insert into usage_hour as known (hour, access_id, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
      select to_timestamp(hour * 3600), account, exit, charged, bonus, relayed, requests from ${told}
      on conflict (hour, access_id, exit_id) do update set
        charged_bytes = known.charged_bytes + excluded.charged_bytes,
        bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
        relayed_bytes = least(known.relayed_bytes + excluded.relayed_bytes, ${mostRelayed}::bigint),
        requests = known.requests + excluded.requests
      returning in_day
    ), by_minute as (${minutes})
    select bool_or(in_day) as is_late from added`.execute(tx)
  if (rows[0]?.is_late !== true) return
  const late = sql`
    from ${told}
    join usage_hour h
      on h.hour = to_timestamp(told.hour * 3600) and h.access_id = told.account and h.exit_id = told.exit
    join meter m on m.access_id = h.access_id
    where h.in_day`
  await sql`
    insert into usage_past_day as known (day, access_id, charged_bytes, bonus_bytes, requests)
    select (h.hour at time zone 'UTC')::date, h.access_id, sum(told.charged), sum(told.bonus), sum(told.requests)
    ${late}
    group by 1, 2
    ${intoDay}`.execute(tx)
  await sql`
    insert into usage_sum as known (hour, pool, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
    select h.hour, m.pool, h.exit_id, sum(told.charged), sum(told.bonus), bounded(sum(told.relayed)), sum(told.requests)
    ${late}
    group by 1, 2, 3 order by 1, 2, 3
    ${intoSum}`.execute(tx)
  // Locks the row of the hour, so that this settlement and a transaction that takes the hour wait for each
  // other.
  await sql`
    insert into usage_late_hour (hour)
    select distinct to_timestamp(told.hour * 3600) from ${told} order by 1
    on conflict (hour) do update set hour = excluded.hour`.execute(tx)
}

const intoDay = sql`
  on conflict (day, access_id) do update set
    charged_bytes = known.charged_bytes + excluded.charged_bytes,
    bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
    requests = known.requests + excluded.requests`

/**
 * Rows are inserted in the order of the key: they are shared by all customers, and two transactions must not
 * deadlock.
 */
const intoSum = sql`
  on conflict (hour, pool, exit_id) do update set
    charged_bytes = known.charged_bytes + excluded.charged_bytes,
    bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
    relayed_bytes = bounded(known.relayed_bytes::numeric + excluded.relayed_bytes),
    requests = known.requests + excluded.requests`

/** Customers whose hours are added up in one transaction; their settlements wait for it. */
const customersAtOnce = 500

/**
 * Adds up the UTC hours that have been over for an hour: to the days of their accesses, and to the sums of
 * the whole shop. Settlements may run meanwhile; those of hours that were added up are also added to the days
 * and sums. Returns how many rows of hours were added.
 */
export async function addUpHours(db: Kysely<DB>): Promise<number> {
  const isOver = sql`not in_day and hour < date_trunc('hour', now() - interval '1 hour', 'UTC')`
  let hours = 0
  for (;;) {
    const { rows } = await sql<{ access_id: bigint }>`
      select distinct access_id from usage_hour where ${isOver} order by access_id limit ${customersAtOnce}`.execute(
      db,
    )
    if (rows.length === 0) return hours
    const accounts = rows.map((row) => row.access_id)
    hours += await transaction(db, async (tx) => {
      await lockMeters(tx, accounts)
      const added = await sql<{ hours: bigint }>`
        with added as (
          update usage_hour set in_day = true
          where ${isOver} and access_id = any(${bigintArray(accounts)}::bigint[])
          returning hour, access_id, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests
        ), late as (
          -- Of a report that came so late that no count of the margin looks at its hours by itself.
          insert into usage_late_hour (hour) select distinct hour from added where hour < now() - interval '40 hours'
          order by 1 on conflict (hour) do update set hour = excluded.hour
        ), days as (
          insert into usage_past_day as known (day, access_id, charged_bytes, bonus_bytes, requests)
          select (hour at time zone 'UTC')::date, access_id, sum(charged_bytes), sum(bonus_bytes), sum(requests)
          from added group by 1, 2
          ${intoDay}
        ), sums as (
          insert into usage_sum as known (hour, pool, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
          select a.hour, m.pool, a.exit_id, sum(a.charged_bytes), sum(a.bonus_bytes), bounded(sum(a.relayed_bytes)), sum(a.requests)
          from added a join meter m on m.access_id = a.access_id group by 1, 2, 3 order by 1, 2, 3
          ${intoSum}
        )
        select count(*) as hours from added`.execute(tx)
      return Number(added.rows[0]?.hours ?? 0n)
    })
  }
}

/** Bytes of an hour by their kinds. */
interface HourBytes {
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
}

/**
 * Bytes of an hour that were charged to paid traffic and have no price yet, and the bonus and relayed bytes
 * that are not recorded yet.
 */
export interface UnpricedUsage {
  hour: Date
  accessId: bigint
  accountId: bigint
  pool: string
  /** 0: none, or it is not known. */
  exitId: bigint
  bytes: bigint
  /** Bonus bytes that are not recorded yet; below, relayed ones. */
  bonusBytes: bigint
  relayedBytes: bigint
  /** All bytes of the row; below, the bytes that were recorded before. */
  whole: HourBytes
  noted: HourBytes
}

/**
 * Unpriced usage of the hours from `from` to `to` (excluded), by hour, access and exit, after a row of it.
 * `lock`: the rows are locked, and those that settlements change at the moment are left out.
 */
export async function unpricedUsage(
  db: Kysely<DB>,
  {
    from,
    to,
    after = null,
    limit = null,
    lock = false,
  }: { from: Date; to: Date; after?: UnpricedUsage | null; limit?: number | null; lock?: boolean },
): Promise<UnpricedUsage[]> {
  const isAfter =
    after === null
      ? sql`true`
      : sql`u.hour >= ${after.hour}
          and (u.hour, u.access_id, u.exit_id) > (${after.hour}, ${after.accessId}::bigint, ${after.exitId}::bigint)`
  const { rows } = await sql<
    Omit<UnpricedUsage, 'bytes' | 'whole' | 'noted'> &
      HourBytes & { priced: bigint; bonus: bigint; relayed: bigint }
  >`
    select u.hour, u.access_id as "accessId", m.account_id as "accountId", m.pool, u.exit_id as "exitId",
      u.charged_bytes as "chargedBytes", u.bonus_bytes as "bonusBytes", u.relayed_bytes as "relayedBytes",
      u.priced_bytes as priced, u.noted_bonus_bytes as bonus, u.noted_relayed_bytes as relayed
    from usage_hour u join meter m on m.access_id = u.access_id
    where u.hour >= ${from} and u.hour < ${to} and ${isAfter}
      and (u.charged_bytes - u.bonus_bytes, u.bonus_bytes, u.relayed_bytes)
        is distinct from (u.priced_bytes, u.noted_bonus_bytes, u.noted_relayed_bytes)
    order by u.hour, u.access_id, u.exit_id
    limit ${limit}::bigint
    ${lock ? sql`for no key update of u skip locked` : sql``}`.execute(db)
  return rows.map(({ chargedBytes, bonusBytes, relayedBytes, priced, bonus, relayed, ...row }) => ({
    ...row,
    bytes: chargedBytes - bonusBytes - priced,
    bonusBytes: bonusBytes - bonus,
    relayedBytes: relayedBytes - relayed,
    whole: { chargedBytes, bonusBytes, relayedBytes },
    noted: { chargedBytes: priced + bonus, bonusBytes: bonus, relayedBytes: relayed },
  }))
}

/** Notes that prices were found for these bytes. The caller holds the locks of the rows. */
export async function markPriced(tx: Transaction<DB>, usage: readonly UnpricedUsage[]): Promise<void> {
  await sql`
    update usage_hour u set priced_bytes = u.priced_bytes + told.bytes,
      noted_bonus_bytes = told.bonus, noted_relayed_bytes = told.relayed
    from unnest(
      ${bigintArray(usage.map((one) => one.hour.getTime()))}::bigint[],
      ${bigintArray(usage.map((one) => one.accessId))}::bigint[],
      ${bigintArray(usage.map((one) => one.exitId))}::bigint[],
      ${bigintArray(usage.map((one) => one.bytes))}::bigint[],
      ${bigintArray(usage.map((one) => one.whole.bonusBytes))}::bigint[],
      ${bigintArray(usage.map((one) => one.whole.relayedBytes))}::bigint[]
    ) told(hour_ms, access, exit, bytes, bonus, relayed)
    where u.hour = to_timestamp(told.hour_ms / 1000) and u.access_id = told.access and u.exit_id = told.exit`.execute(
    tx,
  )
}

/** The oldest hour of which usage is kept; null: there is none. */
export async function firstUsageHour(db: Kysely<DB>): Promise<Date | null> {
  const { rows } = await sql<{ hour: Date | null }>`select min(hour) as hour from usage_hour`.execute(db)
  return rows[0]?.hour ?? null
}

/**
 * Removes and returns the hours to which reports were added after the hours had been added up; settlements
 * that add to them wait.
 */
export async function takeLateHours(tx: Transaction<DB>): Promise<Date[]> {
  const { rows } = await sql<{ hour: Date }>`delete from usage_late_hour returning hour`.execute(tx)
  return rows.map(({ hour }) => hour).toSorted((a, b) => a.getTime() - b.getTime())
}
