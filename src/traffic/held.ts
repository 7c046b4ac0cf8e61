/** Traffic of all customers together, for the operator. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { gatewayOf } from './gateways/live.ts'

type Db = Kysely<DB>

/** Bytes that all customers hold, by pool: sold or given and not used. */
export async function heldByPool(db: Db) {
  const { rows } = await sql<{ pool: Pool; paidBytes: bigint; bonusBytes: bigint }>`
    select m.pool, coalesce(sum(b.balance) filter (where not m.is_bonus), 0)::bigint as "paidBytes",
      coalesce(sum(b.balance) filter (where m.is_bonus), 0)::bigint as "bonusBytes"
    from (
      select pool, paid_account as account_id, false as is_bonus from meter
      union all select pool, bonus_account, true from meter
      union all select pool, reserved_paid_account, false from meter where reserved_paid_account is not null
      union all select pool, reserved_bonus_account, true from meter where reserved_bonus_account is not null
    ) m join ledger_balance b on b.account_id = m.account_id
    group by m.pool`.execute(db)
  return rows
}

/** Bytes on a customer's open leases, by pool. */
export async function leasedByPool(db: Db, accountId: bigint) {
  const { rows } = await sql<{ pool: Pool; bytes: bigint }>`
    select m.pool, sum(l.granted_bytes - l.charged_bytes)::bigint as bytes
    from lease l join meter m on m.access_id = l.access_id
    where l.closed_at is null and l.proxy_user_id is null and m.account_id = ${accountId} group by m.pool`.execute(
    db,
  )
  return rows
}

/** Open leases and the bytes on them, by the name of the gateway that holds them. */
export async function leasedByGateway(db: Db) {
  // Added up by worker first, so that names are made of a few rows.
  const { rows } = await sql<{ name: string; leases: bigint; bytes: bigint }>`
    select ${gatewayOf} as name, sum(leases)::bigint as leases, sum(bytes)::bigint as bytes from (
      select gateway, count(*) as leases, sum(granted_bytes - charged_bytes) as bytes
      from lease where closed_at is null and (proxy_user_id is null or is_reserved_user(proxy_user_id)) group by gateway
    ) held group by 1`.execute(db)
  return rows
}
