/** Traffic of all customers together, for the operator. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { daysBetween } from './days.ts'
import { gatewayOf } from './gateways.live.ts'

type Db = Kysely<DB>

/** What all customers were charged by UTC day and pool, from `from` to `to`, both included. */
export async function usageOfAll(db: Db, { from, to }: { from: string; to: string }) {
  const { rows } = await sql<{
    day: string
    pool: Pool
    chargedBytes: bigint
    bonusBytes: bigint
    requests: bigint
  }>`
    select day::text as day, pool, sum(charged_bytes)::bigint as "chargedBytes", sum(bonus_bytes)::bigint as "bonusBytes",
      sum(requests)::bigint as requests
    from (
      select u.day, m.pool, u.charged_bytes, u.bonus_bytes, u.requests
      from usage_past_day u join meter m on m.subuser_id = u.subuser_id where u.day = any(${daysBetween(from, to)})
      union all
      select (u.hour at time zone 'UTC')::date, m.pool, u.charged_bytes, u.bonus_bytes, u.requests
      from usage_hour u join meter m on m.subuser_id = u.subuser_id
      where not u.in_day and u.hour >= ${from}::date::timestamp at time zone 'UTC'
        and u.hour < (${to}::date + 1)::timestamp at time zone 'UTC'
    ) used group by day, pool order by day, pool`.execute(db)
  return rows
}

/** Bytes that all customers hold, by pool: sold or given and not used. */
export async function heldByPool(db: Db) {
  const { rows } = await sql<{ pool: Pool; paidBytes: bigint; bonusBytes: bigint }>`
    select m.pool, sum(p.balance)::bigint as "paidBytes", sum(b.balance)::bigint as "bonusBytes"
    from meter m join ledger_balance p on p.account_id = m.paid_account
      join ledger_balance b on b.account_id = m.bonus_account
    group by m.pool`.execute(db)
  return rows
}

/** Bytes on open leases: of a customer, or of all, by pool. */
export async function leasedByPool(db: Db, accountId?: bigint) {
  const whose = accountId === undefined ? sql`true` : sql`m.account_id = ${accountId}`
  const { rows } = await sql<{ pool: Pool; bytes: bigint }>`
    select m.pool, sum(l.granted_bytes - l.charged_bytes)::bigint as bytes
    from lease l join meter m on m.subuser_id = l.subuser_id
    where l.closed_at is null and ${whose} group by m.pool`.execute(db)
  return rows
}

/** Bytes on open leases, by the name of the gateway that holds them; and for how many customers' pools. */
export async function leasedByGateway(db: Db) {
  const { rows } = await sql<{ name: string; leases: bigint; bytes: bigint; accounts: bigint }>`
    select ${gatewayOf} as name, count(*) as leases, sum(granted_bytes - charged_bytes)::bigint as bytes,
      count(distinct subuser_id) as accounts
    from lease where closed_at is null group by 1`.execute(db)
  return rows
}

/** What all customers were charged in each UTC hour from `from` to `until`. */
export async function usedByHour(db: Db, { from, until }: { from: Date; until: Date }) {
  const { rows } = await sql<{ hour: Date; value: bigint }>`
    select hour, sum(charged_bytes)::bigint as value from usage_hour
    where hour >= ${from} and hour < ${until} group by hour order by hour`.execute(db)
  return rows
}
