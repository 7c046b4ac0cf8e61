/** Invariants that hold at every moment, read in one statement while the shop works. */
import { sql } from 'kysely'
import { firstBonusBytes, type World } from './world.ts'

/**
 * The violations at this moment: balances below zero; leases beyond what their holder has; reserves beyond
 * what was set apart; traffic beyond what was bought and given.
 */
export async function wrongNow({ database }: World): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`
    with held as (
      select m.access_id, m.account_id, m.pool,
        coalesce((select sum(balance) from ledger_balance b where b.account_id in (m.bonus_account, m.paid_account)), 0) as free,
        coalesce((select sum(balance) from ledger_balance b
          where b.account_id in (m.reserved_bonus_account, m.reserved_paid_account)), 0) as reserved
      from meter m
    ), leased as (
      select access_id,
        coalesce(sum(granted_bytes - charged_bytes) filter (where proxy_user_id is null and closed_at is null), 0) as open,
        coalesce(sum(charged_bytes) filter (where proxy_user_id is null or is_reserved_user(proxy_user_id)), 0) as charged
      from lease group by access_id
    ), users as (
      select u.access_id, u.id, u.total_bytes as total, coalesce(p.charged_bytes, 0) as used,
        coalesce((select sum(granted_bytes - charged_bytes) from lease l
          where l.access_id = u.access_id and l.proxy_user_id = u.id and l.closed_at is null), 0) as open
      from proxy_user u left join proxy_user_use p on p.proxy_user_id = u.id where u.is_reserved
    )
    select 'a ' || a.kind || ' of customer ' || a.customer_id || ' is ' || b.balance as what
      from ledger_account a join ledger_balance b on b.account_id = a.id
      where a.customer_id is not null and b.balance < 0
    union all
    select 'access ' || h.access_id || ' has ' || h.free || ' B, and leases of ' || l.open || ' B'
      from held h join leased l using (access_id) where l.open > h.free
    union all
    select 'proxy user ' || id || ' used ' || used || ' B and leased ' || open || ' B of ' || total || ' B'
      from users where used + open > total
    union all
    select 'access ' || h.access_id || ' has ' || h.reserved || ' B in reserve, and its proxy users ' || coalesce(u.rest, 0) || ' B'
      from held h left join (select access_id, sum(total - used) as rest from users group by 1) u using (access_id)
      where h.reserved <> coalesce(u.rest, 0)
    union all
    select 'account ' || h.account_id || ' has and used ' || h.free + h.reserved + coalesce(l.charged, 0) || ' B of ' || h.pool
      from held h left join leased l using (access_id)
      where h.free + h.reserved + coalesce(l.charged, 0) >
        coalesce((select sum(credited_bytes - taken_back_bytes) from invoice i
          where i.account_id = h.account_id and i.pool = h.pool), 0)
        + coalesce((select sum(c.bytes) from promo_use u join promocode c on c.id = u.promocode_id
          where u.account_id = h.account_id and c.pool = h.pool), 0)
        + case when h.pool = 'residential' then ${firstBonusBytes}::bigint else 0 end`.execute(database.db)
  return rows.map(({ what }) => what)
}
