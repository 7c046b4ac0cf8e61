/** Purchases as lots of traffic, from which the revenue of used traffic is computed. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'

/** A customer's traffic in a pool. */
export interface Holding {
  accountId: bigint
  pool: string
}

/** Money of a purchase, in micro-USD. */
export interface LotMoney {
  /**
   * Real money less refunds; for an order paid from a referral balance, the part of that balance that came
   * from shares.
   */
  micros: bigint
  /** The processors' fees, a part of `micros`. */
  feeMicros: bigint
  /** The inviter's share, a part of `micros`. */
  shareMicros: bigint
}

/**
 * The bytes that an invoice credited, less those that refunds took back, or the bytes received by a move; in
 * both cases less the bytes moved on and not undone.
 */
export interface PurchaseLot extends Holding, LotMoney {
  invoiceId: bigint | null
  moveId: bigint | null
  bytes: bigint
  /** The volume discount of the invoice; null: the lot was received by a move. */
  tierPpm: number | null
  promocode: string | null
  /** What the customer paid, also from a referral balance, less refunds. */
  paidMicros: bigint
}

const feesOfInvoice = sql`coalesce((select sum(f.usd_micros) from processor_fee f where f.invoice_id = i.id), 0)::bigint`
const sharesOfInvoice = sql`
  coalesce((select e.earned_micros - e.undone_micros from referral_earning e where e.invoice_id = i.id), 0)::bigint`
/**
 * The money of an invoice `i` less refunds; for an order paid from a referral balance, the part of that
 * balance that came from shares.
 */
export const paidMicros = sql`
  case when i.method <> 'referral' then i.received_micros - i.refunded_micros
    when i.received_micros = 0 then 0
    else div(i.from_shares_micros::numeric * (i.received_micros - i.refunded_micros), i.received_micros)::bigint end`
/** Neither test purchases nor top-ups of a money balance are sales; what the balance buys later is one. */
const isSale = sql`not i.is_test and i.pool <> 'balance'`
/** Test purchases are not sales, so their traffic earns nothing. */
const isLot = sql`i.settled_at is not null and i.credited_bytes > 0 and not i.is_test`

/**
 * All purchases of these holdings, and the traffic they received by moves, in the order in which the first
 * money or bytes of each came.
 */
export async function purchaseLots(db: Kysely<DB>, holdings: readonly Holding[]): Promise<PurchaseLot[]> {
  const { rows } = await sql<PurchaseLot>`
    with held as (
      select * from unnest(
        ${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
        ${textArray(holdings.map(({ pool }) => pool))}::text[]
      ) held(account_id, pool)
    ), lot as (
      select i.account_id, i.pool, i.id as invoice_id, null::bigint as move_id, i.first_at,
        i.credited_bytes - i.taken_back_bytes as bytes, ${paidMicros} as micros,
        ${feesOfInvoice} as fee_micros, ${sharesOfInvoice} as share_micros, i.volume_discount_ppm as tier_ppm, i.promocode,
        i.received_micros - i.refunded_micros as paid
      from held cross join lateral (
        select i.*, coalesce((select min(p.received_at) from payment p where p.invoice_id = i.id), i.settled_at) as first_at
        from invoice i
        where i.account_id = held.account_id and i.pool = held.pool and ${isLot}
        offset 0
      ) i
      union all
      select m.to_account, m.to_pool, null, m.id, m.made_at, m.to_bytes, m.micros, m.fee_micros, m.share_micros, null, null, m.paid_micros
      from held join traffic_move m on m.to_account = held.account_id and m.to_pool = held.pool
    )
    select account_id as "accountId", pool, invoice_id as "invoiceId", move_id as "moveId",
      lot.bytes - gone.bytes as bytes, lot.micros - gone.micros as micros, lot.fee_micros - gone.fee_micros as "feeMicros",
      lot.share_micros - gone.share_micros as "shareMicros", tier_ppm as "tierPpm", promocode, lot.paid - gone.paid as "paidMicros"
    from lot cross join lateral (
      select coalesce(sum(p.bytes), 0)::bigint as bytes, coalesce(sum(p.micros), 0)::bigint as micros,
        coalesce(sum(p.fee_micros), 0)::bigint as fee_micros, coalesce(sum(p.share_micros), 0)::bigint as share_micros,
        coalesce(sum(p.paid_micros), 0)::bigint as paid
      from (
        select bytes, micros, fee_micros, share_micros, paid_micros from traffic_move_part where invoice_id = lot.invoice_id
        union all
        select bytes, micros, fee_micros, share_micros, paid_micros from traffic_move_part where source_move_id = lot.move_id
        union all
        select -u.bytes, -u.micros, -u.fee_micros, -u.share_micros, -u.paid_micros
        from traffic_move_part p join traffic_move_undone u on u.part_id = p.id where p.invoice_id = lot.invoice_id
        union all
        select -u.bytes, -u.micros, -u.fee_micros, -u.share_micros, -u.paid_micros
        from traffic_move_part p join traffic_move_undone u on u.part_id = p.id where p.source_move_id = lot.move_id
        union all
        select u.to_bytes, u.micros, u.fee_micros, u.share_micros, u.paid_micros
        from traffic_move_part p join traffic_move_undone u on u.part_id = p.id where p.move_id = lot.move_id
      ) p
    ) gone
    order by first_at, move_id nulls first, invoice_id`.execute(db)
  const ofHolding = Map.groupBy(rows, ({ accountId, pool }) => `${accountId} ${pool}`)
  return [...ofHolding.values()].flatMap((lots) => evened(lots))
}

/**
 * Money of all invoices: `lots` for the purchases that the margin counts, `others` for the rest. The rest is
 * money that bought no traffic, money that staff had credited to a referral balance, and the fees and shares
 * of those invoices and of test purchases.
 */
export async function paidForLots(db: Kysely<DB>): Promise<{ lots: LotMoney; others: LotMoney }> {
  const { rows } = await sql<LotMoney & { isLot: boolean; givenMicros: bigint }>`
    select coalesce(${isLot}, false) as "isLot", coalesce(sum(${paidMicros}) filter (where ${isSale}), 0)::bigint as micros,
      coalesce(sum(i.received_micros - i.refunded_micros - ${paidMicros}) filter (where ${isSale}), 0)::bigint as "givenMicros",
      coalesce(sum(f.micros), 0)::bigint as "feeMicros", coalesce(sum(e.earned_micros - e.undone_micros), 0)::bigint as "shareMicros"
    from invoice i
    left join (select invoice_id, sum(usd_micros)::bigint as micros from processor_fee group by 1) f on f.invoice_id = i.id
    left join referral_earning e on e.invoice_id = i.id
    where i.settled_at is not null or f.micros is not null
    group by 1`.execute(db)
  const money = (which: boolean): LotMoney => {
    const row = rows.find((one) => one.isLot === which)
    return { micros: row?.micros ?? 0n, feeMicros: row?.feeMicros ?? 0n, shareMicros: row?.shareMicros ?? 0n }
  }
  const given = rows.reduce((sum, { givenMicros }) => sum + givenMicros, 0n)
  const others = money(false)
  return { lots: money(true), others: { ...others, micros: others.micros + given } }
}

/**
 * The holdings of which an invoice was paid or refunded, a refund was reversed, a fee was noted, or traffic
 * was moved since then.
 */
export async function holdingsChanged(db: Kysely<DB>, since: Date): Promise<Holding[]> {
  const { rows } = await sql<Holding>`
    select account_id as "accountId", pool from invoice where settled_at >= ${since}
    union
    select account_id, pool from invoice where refunded_at is not null and refunded_at >= ${since}
    union
    select i.account_id, i.pool from processor_refund r join invoice i on i.id = r.invoice_id where r.changed_at >= ${since}
    union
    select i.account_id, i.pool from processor_fee f join invoice i on i.id = f.invoice_id where f.noted_at >= ${since}
    union
    select from_account, from_pool from traffic_move where made_at >= ${since}
    union
    select to_account, to_pool from traffic_move where made_at >= ${since}
    union
    select m.to_account, m.to_pool from traffic_move_undone u join traffic_move_part p on p.id = u.part_id
      join traffic_move m on m.id = p.move_id where u.made_at >= ${since}`.execute(db)
  return rows
}

/**
 * The average price per GB in micro-USD of what each holding bought or received by moves, in the order of
 * `holdings`; null: nothing was paid.
 */
export async function paidPerGb(
  db: Kysely<DB>,
  holdings: readonly Holding[],
): Promise<readonly (bigint | null)[]> {
  const { rows } = await sql<{ price: bigint | null }>`
    select came.price from unnest(
      ${bigintArray(holdings.map(({ accountId }) => accountId))}::bigint[],
      ${textArray(holdings.map(({ pool }) => pool))}::text[]
    ) with ordinality held(account_id, pool, n)
    left join lateral (
      select (sum(came.micros) * 1000000000 / nullif(sum(came.bytes), 0))::bigint as price from (
        select i.received_micros as micros, i.credited_bytes as bytes from invoice i
        where i.account_id = held.account_id and i.pool = held.pool and ${isLot}
        union all
        select m.paid_micros, m.to_bytes from traffic_move m
        where m.to_account = held.account_id and m.to_pool = held.pool
      ) came
    ) came on true
    order by held.n`.execute(db)
  return rows.map(({ price }) => price)
}

/**
 * The sources with negative byte counts removed. Refunds of earlier releases took whatever bytes were left,
 * so a purchase whose own bytes had been moved has a negative count; the missing bytes are subtracted from
 * the last other sources. The money of each source is unchanged.
 */
export function evened<S extends { bytes: bigint }>(sources: readonly S[]): S[] {
  let owed = sources.reduce((sum, { bytes }) => (bytes < 0n ? sum - bytes : sum), 0n)
  if (owed === 0n) return [...sources]
  return sources
    .toReversed()
    .map((source) => {
      if (source.bytes <= 0n) return { ...source, bytes: 0n }
      const taken = owed < source.bytes ? owed : source.bytes
      owed -= taken
      return { ...source, bytes: source.bytes - taken }
    })
    .toReversed()
}
