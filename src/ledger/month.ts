/**
 * The changes of a month, for an accountant's files. Beside each reader is a sum that is computed in another
 * way, as a check.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#db'
import { isBonus } from './accounts.ts'
import { type Span, timeOf, within } from './sums.ts'

/** A movement of real money at a processor. */
export interface CashMove {
  id: bigint
  /** When the processor moved the money, if it says so; otherwise when the movement was posted. */
  at: Date
  postedAt: Date
  kind: string
  reference: string
  method: string
  micros: bigint
}

/**
 * Movements of real money in the span, ordered by id, with ids above `after`. A page reads `limit`
 * transactions, not all of which move money; `last` is the id of the last one read, null when there was none.
 */
export const cashMoves = (db: Db, span: Span, page: { after: bigint; limit: number }) =>
  movesOf(db, within(span), page)

async function movesOf(
  db: Db,
  which: RawBuilder<unknown>,
  { after, limit }: { after: bigint; limit: number },
): Promise<{ moves: CashMove[]; last: bigint | null }> {
  const { rows } = await sql<{ id: bigint; method: string | null } & Omit<CashMove, 'id' | 'method'>>`
    select t.id, ${timeOf} as at, t.posted_at as "postedAt", t.kind, t.reference, cash.method, cash.micros
    from (
      select * from ledger_transaction t
      where ${which} and t.id > ${after} order by t.id limit ${limit}
    ) t left join lateral (
      select substr(a.kind, 6) as method, sum(e.amount)::bigint as micros
      from (select * from ledger_entry e where e.month = t.month and e.transaction_id = t.id offset 0) e
        join ledger_account a on a.id = e.account_id and a.customer_id is null
      where a.kind like 'cash:%' group by 1
    ) cash on true
    order by t.id`.execute(db)
  const moves = rows.flatMap(({ method, ...row }) => (method === null ? [] : [{ ...row, method }]))
  return { moves, last: rows.at(-1)?.id ?? null }
}

/** The sum of all movements of real money in the span, from the accounts of cash. */
export const cashSum = (db: Db, span: Span): Promise<bigint> => sumOf(db, within(span))

async function sumOf(db: Db, which: RawBuilder<unknown>): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as micros
    from ledger_account a join ledger_entry e on e.account_id = a.id
      join ledger_transaction t on t.month = e.month and t.id = e.transaction_id
    where a.customer_id is null and a.kind like 'cash:%' and ${which}`.execute(db)
  return rows[0]?.micros ?? 0n
}

/** SQL: posted in the span, but dated before it, because it became known after its month had ended. */
const isLate = ({ from, to }: Span) =>
  sql`t.posted_at >= ${from} and t.posted_at < ${to} and t.value_at < ${from}`

/** Movements of real money that are dated before the span and were posted in it; pages as in `cashMoves`. */
export const lateMoves = (db: Db, span: Span, page: { after: bigint; limit: number }) =>
  movesOf(db, isLate(span), page)

/** The sum of `lateMoves`, from the accounts of cash. */
export const lateSum = (db: Db, span: Span): Promise<bigint> => sumOf(db, isLate(span))

/** When the last transaction that belongs to the span was posted after its end; null: none was. */
export async function changedAfter(db: Db, span: Span): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(t.posted_at) as at from ledger_transaction t where ${within(span)} and t.posted_at >= ${span.to}`.execute(
    db,
  )
  return rows[0]?.at ?? null
}

/** The fees of processors in the span, less those that they returned, from the account of fees. */
export async function feeSum(db: Db, span: Span): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(e.amount), 0)::bigint as micros
    from ledger_account a join ledger_entry e on e.account_id = a.id
      join ledger_transaction t on t.month = e.month and t.id = e.transaction_id
    where a.customer_id is null and a.kind = 'processor_fees' and ${within(span)}`.execute(db)
  return rows[0]?.micros ?? 0n
}

export interface UsedDay {
  day: string
  pool: string
  bytes: bigint
  bonusBytes: bigint
}

/**
 * Bytes used by day and pool, including bonus. A day begins at the time of the same index in `starts`; usage
 * counts at its UTC hour.
 */
export async function usedDays(
  db: Db,
  { days, starts, to }: { days: readonly string[]; starts: readonly Date[]; to: Date },
): Promise<UsedDay[]> {
  const { rows } = await sql<UsedDay>`
    select (${[...days]}::text[])[width_bucket(u.hour, ${[...starts]}::timestamptz[])] as day, a.pool,
      sum(u.bytes)::bigint as bytes, coalesce(sum(u.bytes) filter (where ${isBonus(sql`a.kind`)}), 0)::bigint as "bonusBytes"
    from (
      select hour, account_id, bytes from ledger_usage where hour >= ${starts[0]} and hour < ${to}
      union all
      select open_hour, account_id, open_bytes from ledger_balance where open_hour >= ${starts[0]} and open_hour < ${to}
    ) u join ledger_account a on a.id = u.account_id
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** The change, for one reason, of what the shop owes its customers. */
export interface OwedMove {
  /** Null: money of referral balances and money balances. */
  pool: string | null
  /**
   * The kind of the transactions, or `usage`, or `opening` for what was owed at the beginning of the span.
   */
  what: string
  paidBytes: bigint
  bonusBytes: bigint
  /** Of referral balances. */
  micros: bigint
  /** Of money balances. */
  moneyMicros: bigint
}

const moneyKinds = sql`('money', 'money_frozen')`

/**
 * What was owed at the beginning of the span, by pool, and its changes until the end. Computed backwards from
 * the current balances by the entries of the house.
 */
export async function owedMoves(db: Db, { from, to }: Span): Promise<OwedMove[]> {
  const house = sql`case when a.kind = 'money_held' then 'money' when a.currency = 'usd' then 'micros' when a.kind = 'traffic_given' then 'bonus' else 'paid' end`
  const own = sql`case when a.kind in ${moneyKinds} then 'money' when a.currency = 'usd' then 'micros' when ${isBonus(sql`a.kind`)} then 'bonus' else 'paid' end`
  const { rows } = await sql<{ pool: string | null; what: string; unit: string; amount: bigint }>`
    with moved as (
      select a.pool, t.kind as what, ${timeOf} as at, ${house} as unit, -e.amount as amount
      from ledger_transaction t join ledger_entry e on e.month = t.month and e.transaction_id = t.id
        join ledger_account a on a.id = e.account_id and a.customer_id is null
      where ${timeOf} >= ${from} and a.kind in ('traffic_sold', 'traffic_given', 'referral_cost', 'referral_spent', 'referral_paid', 'money_held')
      union all
      select a.pool, 'usage', u.hour, ${own}, -u.bytes
      from (
        select hour, account_id, bytes from ledger_usage where hour >= ${from}
        union all
        select open_hour, account_id, open_bytes from ledger_balance where open_hour >= ${from}
      ) u join ledger_account a on a.id = u.account_id
    )
    select pool, what, unit, sum(amount)::bigint as amount from (
      select pool, what, unit, amount from moved where at < ${to}
      union all
      select pool, 'opening', unit, -amount from moved
      union all
      select a.pool, 'opening', ${own}, b.balance
      from ledger_account a join ledger_balance b on b.account_id = a.id where a.customer_id is not null
    ) owed group by 1, 2, 3`.execute(db)
  const moves = new Map<string, OwedMove>()
  for (const { pool, what, unit, amount } of rows) {
    const key = `${pool ?? ''} ${what}`
    const move = moves.get(key) ?? { pool, what, paidBytes: 0n, bonusBytes: 0n, micros: 0n, moneyMicros: 0n }
    if (unit === 'micros') move.micros += amount
    else if (unit === 'money') move.moneyMicros += amount
    else move[unit === 'bonus' ? 'bonusBytes' : 'paidBytes'] += amount
    moves.set(key, move)
  }
  return [...moves.values()]
}

/**
 * Money on referral balances, or on money balances, at a time: the current balances, less what was posted to
 * customers' accounts since.
 */
export async function moneyOwedAt(db: Db, at: Date, of: 'referral' | 'money'): Promise<bigint> {
  const isOf = sql`(a.kind in ${moneyKinds}) = ${of === 'money'}`
  const { rows } = await sql<{ micros: bigint }>`
    select (
      (select coalesce(sum(b.balance), 0) from ledger_account a join ledger_balance b on b.account_id = a.id
        where a.customer_id is not null and a.currency = 'usd' and ${isOf})
      - (select coalesce(sum(e.amount), 0) from ledger_transaction t
          join ledger_entry e on e.month = t.month and e.transaction_id = t.id
          join ledger_account a on a.id = e.account_id and a.customer_id is not null and a.currency = 'usd' and ${isOf}
        where ${timeOf} >= ${at})
    )::bigint as micros`.execute(db)
  return rows[0]?.micros ?? 0n
}

/** When the first transaction was posted; null: there is none. */
export async function firstPosted(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(${timeOf}) as at from ledger_transaction t`.execute(db)
  return rows[0]?.at ?? null
}
