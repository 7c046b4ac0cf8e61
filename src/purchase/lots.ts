/** Purchases as lots of traffic, for what is earned by its use. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'

/** A customer's traffic in a pool. */
export interface Holding {
  accountId: bigint
  pool: string
}

/** What an invoice credited, less what a refund took back. */
export interface PurchaseLot extends Holding {
  bytes: bigint
  /** Real money, less what was returned and what processors kept of it: nothing for what a referral balance paid. */
  micros: bigint
}

/** All purchases of these holdings, in the order in which their first money came. */
export async function purchaseLots(db: Kysely<DB>, holdings: readonly Holding[]): Promise<PurchaseLot[]> {
  const { rows } = await sql<PurchaseLot>`
    select i.account_id as "accountId", i.pool, i.credited_bytes - i.taken_back_bytes as bytes,
      case when i.method = 'referral' then 0 else i.received_micros - i.refunded_micros
        - coalesce((select sum(f.usd_micros) from processor_fee f where f.invoice_id = i.id), 0)::bigint end as micros
    from unnest(
      ${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
      ${textArray(holdings.map(({ pool }) => pool))}::text[]
    ) held(account_id, pool)
    cross join lateral (
      select i.*, coalesce((select min(p.received_at) from payment p where p.invoice_id = i.id), i.settled_at) as first_at
      from invoice i
      where i.account_id = held.account_id and i.pool = held.pool and i.settled_at is not null and i.credited_bytes > 0
      offset 0
    ) i
    order by i.first_at, i.id`.execute(db)
  return rows
}

/** The holdings of which an invoice was paid or refunded, a refund was reversed, or a fee was noted since then. */
export async function holdingsChanged(db: Kysely<DB>, since: Date): Promise<Holding[]> {
  const { rows } = await sql<Holding>`
    select account_id as "accountId", pool from invoice where settled_at >= ${since}
    union
    select account_id, pool from invoice where refunded_at is not null and refunded_at >= ${since}
    union
    select i.account_id, i.pool from processor_refund r join invoice i on i.id = r.invoice_id where r.changed_at >= ${since}
    union
    select i.account_id, i.pool from processor_fee f join invoice i on i.id = f.invoice_id where f.noted_at >= ${since}`.execute(
    db,
  )
  return rows
}

/** What was paid per GB on average by all settled purchases of each holding, in micro-USD, in their order; null: nothing was paid. */
export async function paidPerGb(
  db: Kysely<DB>,
  holdings: readonly Holding[],
): Promise<readonly (bigint | null)[]> {
  const { rows } = await sql<{ price: bigint | null }>`
    select i.price from unnest(
      ${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
      ${textArray(holdings.map(({ pool }) => pool))}::text[]
    ) with ordinality held(account_id, pool, n)
    left join lateral (
      select (sum(i.received_micros) * 1000000000 / nullif(sum(i.credited_bytes), 0))::bigint as price from invoice i
      where i.account_id = held.account_id and i.pool = held.pool and i.settled_at is not null and i.credited_bytes > 0
    ) i on true
    order by held.n`.execute(db)
  return rows.map(({ price }) => price)
}
