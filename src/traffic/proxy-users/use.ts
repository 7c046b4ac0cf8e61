/** Charges of proxy users, by day of the shop's time zone. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { most } from '#lib/bigint'
import { bigintArray, textArray } from '#lib/pg-array'
import { dayIn } from '#lib/zone'
import { type Used, type UsedColumns, usedIn, type UsedOfRows } from '#proxy-users'

/** A part of a report's line, and what was charged for it. */
export interface UserPart {
  user: bigint
  day: string
  charged: bigint
  requests: bigint
}

const quarterMs = 900_000
let last = { zone: '', quarter: -1, day: '' }

/**
 * The day of a time in a zone. Clocks change at quarters of an hour, so the last answer is valid for all of
 * its quarter.
 */
export function dayAt(zone: string, atMs: number): string {
  const quarter = Math.floor(atMs / quarterMs)
  if (last.zone !== zone || last.quarter !== quarter)
    last = { zone, quarter, day: dayIn(zone, new Date(quarter * quarterMs)) }
  return last.day
}

/** Adds to the days and sums of proxy users. The caller holds the locks of their meters. */
export async function addUserUse(tx: Transaction<DB>, parts: readonly UserPart[]): Promise<void> {
  if (parts.length === 0) return
  await sql`
    with told as (
      select user_id, day::date as day, sum(charged)::bigint as charged, sum(requests)::bigint as requests
      from unnest(
        ${bigintArray(parts.map((one) => one.user))}::bigint[], ${textArray(parts.map((one) => one.day))}::text[],
        ${bigintArray(parts.map((one) => one.charged))}::bigint[],
        ${bigintArray(parts.map((one) => one.requests))}::bigint[]
      ) as one(user_id, day, charged, requests)
      group by 1, 2
    ), days as (
      insert into proxy_user_day as known (proxy_user_id, day, charged_bytes, requests)
      select user_id, day, charged, requests from told
      on conflict (proxy_user_id, day) do update set
        charged_bytes = known.charged_bytes + excluded.charged_bytes, requests = known.requests + excluded.requests
    )
    insert into proxy_user_use as known (proxy_user_id, charged_bytes, requests, last_used_at)
    select user_id, sum(charged), sum(requests), now() from told group by 1
    on conflict (proxy_user_id) do update set
      charged_bytes = known.charged_bytes + excluded.charged_bytes, requests = known.requests + excluded.requests,
      last_used_at = excluded.last_used_at`.execute(tx)
}

/**
 * What proxy users were charged so far, in all, today and in this month of the shop, for a statement whose `u`
 * has their `id`: its columns, and their joins with `u`.
 */
export function usedOfRows({ now, zone }: { now: Date; zone: string }): UsedOfRows {
  const today = dayIn(zone, now)
  return {
    columns: sql`
      w.charged_bytes as "usedBytes", w.requests as "usedRequests", w.last_used_at as "lastUsedAt",
      d.day_bytes::bigint as "usedDayBytes", d.month_bytes::bigint as "usedMonthBytes"`,
    joins: sql`
      left join proxy_user_use w on w.proxy_user_id = u.id
      left join lateral (
        select sum(charged_bytes) filter (where day >= ${today}::date) as day_bytes, sum(charged_bytes) as month_bytes
        from proxy_user_day d
        where d.proxy_user_id = w.proxy_user_id and d.day >= ${`${today.slice(0, 7)}-01`}::date
      ) d on true`,
  }
}

/** What these proxy users were charged so far; those without any traffic are missing. */
export async function usedByUsers(
  db: Kysely<DB>,
  ids: readonly bigint[],
  at: { now: Date; zone: string },
): Promise<Map<bigint, Used>> {
  const { columns, joins } = usedOfRows(at)
  const { rows } = await sql<UsedColumns & { id: bigint }>`
    select u.id, ${columns} from unnest(${bigintArray(ids)}::bigint[]) as u(id) ${joins}
    where w.proxy_user_id is not null`.execute(db)
  return new Map(rows.map((row) => [row.id, usedIn(row)]))
}

/** What a proxy user may use in all, less what it used; null: it has no limit in all. */
export async function leftOfUser(
  db: Kysely<DB>,
  { id, totalBytes }: { id: bigint; totalBytes: bigint | null },
): Promise<bigint | null> {
  if (totalBytes === null) return null
  const { rows } = await sql<{ used: bigint }>`
    select charged_bytes as used from proxy_user_use where proxy_user_id = ${id}`.execute(db)
  return most(totalBytes - (rows[0]?.used ?? 0n), 0n)
}

/** What these proxy users were charged from the day `from` to the day `to`, both included. */
export async function usedInDays(
  db: Kysely<DB>,
  ids: readonly bigint[],
  { from, to }: { from: string; to: string },
): Promise<Map<bigint, { chargedBytes: bigint; requests: bigint }>> {
  const { rows } = await sql<{ id: bigint; chargedBytes: bigint; requests: bigint }>`
    select d.proxy_user_id as id, sum(d.charged_bytes)::bigint as "chargedBytes", sum(d.requests)::bigint as requests
    from unnest(${bigintArray(ids)}::bigint[]) as asked(id)
    join proxy_user_day d on d.proxy_user_id = asked.id and d.day between ${from}::date and ${to}::date
    group by 1`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

export interface UserDay {
  /** YYYY-MM-DD. */
  day: string
  chargedBytes: bigint
  requests: bigint
}

/** The days from `from` to `to`, both included, on which a proxy user was charged, oldest first. */
export async function userDays(
  db: Kysely<DB>,
  { id, from, to }: { id: bigint; from: string; to: string },
): Promise<UserDay[]> {
  const { rows } = await sql<UserDay>`
    select day::text as day, charged_bytes as "chargedBytes", requests from proxy_user_day
    where proxy_user_id = ${id} and day between ${from}::date and ${to}::date order by day`.execute(db)
  return rows
}
