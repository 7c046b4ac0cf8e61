/** Usage statistics of charged bytes: by hour and exit, added up to days when they are over. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type DB, prepared, transaction } from '#db'
import { bigintArray } from '#lib/pg-array'
import { lockMeters } from './lease.ts'
import type { HourUsage } from './lines.ts'

/** Adds to the hours, and to the days of hours that were added up already. The caller holds the locks of the meters. */
export async function addUsage(tx: Transaction<DB>, usage: readonly HourUsage[]): Promise<void> {
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
      insert into usage_hour as known (hour, subuser_id, exit_id, charged_bytes, bonus_bytes, relayed_bytes, requests)
      select to_timestamp(hour * 3600), account, exit, charged, bonus, relayed, requests from ${told}
      on conflict (hour, subuser_id, exit_id) do update set
        charged_bytes = known.charged_bytes + excluded.charged_bytes,
        bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
        relayed_bytes = known.relayed_bytes + excluded.relayed_bytes,
        requests = known.requests + excluded.requests
      returning in_day
    )
    select bool_or(in_day) as is_late from added`.execute(tx)
  if (rows[0]?.is_late !== true) return
  await sql`
    insert into usage_past_day as known (day, subuser_id, charged_bytes, bonus_bytes, requests)
    select (h.hour at time zone 'UTC')::date, h.subuser_id, sum(told.charged), sum(told.bonus), sum(told.requests)
    from ${told}
    join usage_hour h
      on h.hour = to_timestamp(told.hour * 3600) and h.subuser_id = told.account and h.exit_id = told.exit
    where h.in_day
    group by 1, 2
    ${intoDay}`.execute(tx)
}

const intoDay = sql`
  on conflict (day, subuser_id) do update set
    charged_bytes = known.charged_bytes + excluded.charged_bytes,
    bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
    requests = known.requests + excluded.requests`

/** Customers whose days are added up in one transaction; their settlements wait for it. */
const customersAtOnce = 500

/**
 * Adds up the hours of UTC days that are over to days. Settlements may run meanwhile; those of such hours are added to both.
 * Returns how many hours were added.
 */
export async function addUpDays(db: Kysely<DB>): Promise<number> {
  const isOver = sql`not in_day and hour < date_trunc('day', now(), 'UTC')`
  let hours = 0
  for (;;) {
    const { rows } = await sql<{ subuser_id: bigint }>`
      select distinct subuser_id from usage_hour where ${isOver} order by subuser_id limit ${customersAtOnce}`.execute(
      db,
    )
    if (rows.length === 0) return hours
    const accounts = rows.map((row) => row.subuser_id)
    hours += await transaction(db, async (tx) => {
      await lockMeters(tx, accounts)
      const added = await sql<{ hours: bigint }>`
        with added as (
          update usage_hour set in_day = true
          where ${isOver} and subuser_id = any(${bigintArray(accounts)}::bigint[])
          returning (hour at time zone 'UTC')::date as day, subuser_id, charged_bytes, bonus_bytes, requests
        ), days as (
          insert into usage_past_day as known (day, subuser_id, charged_bytes, bonus_bytes, requests)
          select day, subuser_id, sum(charged_bytes), sum(bonus_bytes), sum(requests) from added group by day, subuser_id
          ${intoDay}
        )
        select count(*) as hours from added`.execute(tx)
      return Number(added.rows[0]?.hours ?? 0n)
    })
  }
}
