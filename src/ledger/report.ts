/**
 * Sums of postings to the house's accounts, for reports: they match the ledger because they are read from it.
 */
import { sql } from 'kysely'
import type { Db } from '#db'
import { isBonus } from './accounts.ts'
import {
  beginQuarters,
  type BookedKind,
  bookedParts,
  bookedRows,
  figuresOf,
  houseParts,
  ofKind,
  type Span,
  usageParts,
  within,
} from './sums.ts'

/**
 * A transaction as reports need it. Amounts are from the house's side: positive for what a sale brings and a
 * refund returns.
 */
export interface Booked {
  id: bigint
  /** When the processor moved the money, if it says so; otherwise when the transaction was posted. */
  at: Date
  postedAt: Date
  kind: string
  reference: string
  /** Null: the transaction credited no traffic. */
  pool: string | null
  /** The payment method, `balance` for the money balance; null: no money of a processor moved. */
  method: string | null
  /** Real money in micro-USD; for movements of shares, the shares credited less those taken back. */
  micros: bigint
  /** Micro-USD of referral balances: spent, paid out, or given back by a refund. */
  spentMicros: bigint
  bytes: bigint
}

/**
 * Purchases, refunds or movements of shares posted in the span, newest first: at most `limit`, with ids below
 * `before` (null: from the newest on).
 */
export async function bookedIn(
  db: Db,
  asked: Span & { kind: BookedKind },
  { before, limit }: { before: bigint | null; limit: number },
): Promise<Booked[]> {
  const isBefore = before === null ? sql`true` : sql`t.id < ${before}`
  const { rows } = await sql<Booked>`
    select id, at, posted_at as "postedAt", kind, reference, pool, method, micros, spent_micros as "spentMicros", bytes
    from (${bookedRows(
      asked.kind,
      sql`select t.* from ledger_transaction t where ${within(asked)} and ${ofKind(asked.kind)} and ${isBefore}
        order by t.id desc limit ${limit}`,
    )}) booked
    order by id desc`.execute(db)
  return rows
}

/** What was booked on a day for a pool by a method. */
export interface BookedDay extends Omit<Booked, 'id' | 'at' | 'postedAt' | 'kind' | 'reference'> {
  day: string
  count: bigint
}

/**
 * Purchases, refunds or movements of shares by day, pool and method. A day begins at the time of the same
 * index in `starts`, the last of which is the end.
 */
export async function bookedDays(
  db: Db,
  { kind, days, starts }: { kind: BookedKind; days: readonly string[]; starts: readonly Date[] },
): Promise<BookedDay[]> {
  const [from, to] = [starts[0], starts.at(-1)]
  if (from === undefined || to === undefined) return []
  const { rows } = await sql<BookedDay>`
    select (${[...days]}::text[])[width_bucket(at, ${[...starts]}::timestamptz[])] as day, pool, method,
      sum(transactions)::bigint as count, sum(micros)::bigint as micros, sum(spent_micros)::bigint as "spentMicros",
      sum(bytes)::bigint as bytes
    from (${bookedParts(kind, starts, { from, to })}) booked group by 1, 2, 3 order by 1, 2, 3`.execute(db)
  return rows
}

/**
 * The totals that reports of these transactions must match, from the accounts of the house without division
 * by pool and method.
 */
export async function bookedSums(db: Db, { kind, from, to }: Span & { kind: BookedKind }) {
  const { micros, spentMicros, bytes } = figuresOf(kind)
  const { rows } = await sql<{ micros: bigint; spentMicros: bigint; bytes: bigint }>`
    select ${micros} as micros, ${spentMicros} as "spentMicros", ${bytes} as bytes
    from (${houseParts([from, to], { from, to })}) e join ledger_account a on a.id = e.account_id
    where a.kind in ('sales', 'referral_cost', 'referral_spent', 'referral_paid', 'traffic_sold', 'traffic_given') and a.customer_id is null
      and ${kind === 'shares' ? sql`true` : sql`e.kind = ${kind}`}`.execute(db)
  return rows[0] ?? { micros: 0n, spentMicros: 0n, bytes: 0n }
}

/**
 * Bytes that settlements of these UTC hours took from customers' accounts. The hours are those of the
 * settlement.
 */
export async function usedInHours(db: Db, span: Span): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(bytes), 0)::bigint as bytes from (${usageParts(span)}) used`.execute(db)
  return rows[0]?.bytes ?? 0n
}

/** Bytes that customers hold now, by the balances of the ledger: bought and given. */
export async function heldNow(db: Db): Promise<{ paidBytes: bigint; bonusBytes: bigint }> {
  const { rows } = await sql<{ paidBytes: bigint; bonusBytes: bigint }>`
    select coalesce(sum(b.balance) filter (where not ${isBonus(sql`a.kind`)}), 0)::bigint as "paidBytes",
      coalesce(sum(b.balance) filter (where ${isBonus(sql`a.kind`)}), 0)::bigint as "bonusBytes"
    from ledger_account a join ledger_balance b on b.account_id = a.id
    where a.customer_id is not null and a.currency = 'byte' and b.balance <> 0`.execute(db)
  return rows[0] ?? { paidBytes: 0n, bonusBytes: 0n }
}

/**
 * Bytes that customers held at each of the times, which ascend: what they hold now, less what was posted
 * since. Usage counts at the beginning of its UTC hour.
 */
export async function heldAt(
  db: Db,
  times: readonly Date[],
): Promise<{ paidBytes: bigint; bonusBytes: bigint }[]> {
  const [first] = times
  if (first === undefined) return []
  const bounds = sql`${[...times]}::timestamptz[]`
  const { rows } = await sql<{ after: number; is_bonus: boolean; bytes: bigint }>`
    select after, is_bonus, sum(bytes)::bigint as bytes from (
      select ${times.length}::int as after, ${isBonus(sql`a.kind`)} as is_bonus, b.balance::numeric as bytes
      from ledger_account a join ledger_balance b on b.account_id = a.id
      where a.customer_id is not null and a.currency = 'byte'
      union all
      select width_bucket(e.at, ${bounds}) - 1, a.kind = 'traffic_given', e.amount
      from (${houseParts(times, { from: first, to: null })}) e join ledger_account a on a.id = e.account_id
      where a.kind in ('traffic_sold', 'traffic_given')
      union all
      select width_bucket(u.hour, ${bounds}) - 1, ${isBonus(sql`u.kind`)}, u.bytes
      from (${usageParts({ from: first, to: null })}) u
    ) moved group by 1, 2`.execute(db)
  // A movement after the time with index `after` does not count at that time, nor at any earlier one.
  return times.map((_, index) => {
    const held = { paidBytes: 0n, bonusBytes: 0n }
    for (const { after, is_bonus: isBonus, bytes } of rows)
      if (after >= index) held[isBonus ? 'bonusBytes' : 'paidBytes'] += bytes
    return held
  })
}

/**
 * The archived months (YYYY-MM, UTC) that overlap the span: a report that reads single postings lacks them. A
 * report divided at `times` reads sums, which lack no month, unless one of the times is not on a quarter of
 * an hour.
 */
export async function archivedIn(
  db: Db,
  { from, to = null }: { from: Date; to?: Date | null },
  times?: readonly Date[],
): Promise<string[]> {
  if (times !== undefined && beginQuarters(times)) return []
  const { rows } = await sql<{ month: string }>`
    select to_char(month, 'YYYY-MM') as month from ledger_month_archive
    where (month + interval '1 month') at time zone 'UTC' > ${from}
      and (${to}::timestamptz is null or month::timestamp at time zone 'UTC' < ${to})
    order by 1`.execute(db)
  return rows.map(({ month }) => month)
}

/**
 * All postings ever made to the house's accounts of money, summed by account and kind of transaction, with
 * their signs.
 */
export async function houseEver(db: Db): Promise<{ account: string; kind: string; micros: bigint }[]> {
  const { rows } = await sql<{ account: string; kind: string; micros: bigint }>`
    select a.kind as account, e.kind, sum(e.amount)::bigint as micros
    from (${houseParts([], { from: new Date(0), to: null })}) e join ledger_account a on a.id = e.account_id
    where a.customer_id is null and a.currency = 'usd' group by 1, 2`.execute(db)
  return rows
}
