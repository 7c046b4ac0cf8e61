/**
 * The ledger: money (micro-USD) and traffic (bytes) in append-only double entry. README.md lists the
 * invariants; migrations/0005_ledger.sql and 0006_ledger_rules.sql enforce them. No other code changes a
 * balance.
 */

import { type RawBuilder, sql } from 'kysely'
import { type Db, gathered } from '#db'
import { bigintArray } from '#lib/pg-array'
import { type AccountKey, freeKinds } from './accounts.ts'

export { type AccountKey, customer, house, openAccounts } from './accounts.ts'
export {
  assertPosted,
  type Occasion,
  openPast,
  post,
  postOnce,
  type Posting,
  type PostPast,
} from './posting.ts'
export { closeBills } from './bill/close.ts'
export { type BillHead, billHead, billMonth, type MonthEnd, monthEnds } from './bill/read.ts'
export { makeBillRoot } from './bill/roots.ts'
export { archiveMonth, verifyArchive } from './archive.ts'
export { closeMonths, makeLedgerMonths, LedgerFault } from './months.ts'
export { type TrafficDraw, type UsedBytes, usedByAccount, postUsage } from './usage.ts'
export type { Finding } from './finding.ts'
export { ledgerParts } from './export.ts'
export {
  archivedIn,
  type Booked,
  type BookedDay,
  bookedDays,
  bookedIn,
  bookedSums,
  heldAt,
  heldNow,
  houseEver,
  usedInHours,
} from './report.ts'
export { addUpPostings, type BookedKind, type Span } from './sums.ts'
export {
  type CashMove,
  cashMoves,
  cashSum,
  changedAfter,
  feeSum,
  firstPosted,
  lateMoves,
  lateSum,
  type OwedMove,
  moneyOwedAt,
  owedMoves,
  usedDays,
} from './month.ts'
export { verifyLedger } from './verify.ts'

/** A customer's account with its balance. */
export interface Balance extends AccountKey {
  id: bigint
  /** Micro-USD or bytes, 0 or more. */
  balance: bigint
}

/** All accounts of a customer, with their balances. */
export const balancesOfUser = async (db: Db, customerId: bigint): Promise<Balance[]> =>
  (await readBalancesOf(db, customerId)) ?? []

const readBalancesOf = gathered<bigint, Balance[]>(async (db, customerIds) => {
  const { rows } = await sql<Balance & { customerId: bigint }>`
    select a.id, a.kind, a.currency, a.customer_id as "customerId", a.pool, b.balance
    from ledger_account a join ledger_balance b on b.account_id = a.id
    where a.customer_id = any(${customerIds}::bigint[]) order by a.id`.execute(db)
  return Map.groupBy(rows, ({ customerId }) => customerId)
})

export type HeldBalance = Pick<Balance, 'kind' | 'pool' | 'balance'>

/** A value of `balancesJson`. */
export type BalancesJson = [kind: string, pool: string | null, balance: string][]

/** SQL for the balances of a customer as one value of another statement; `readBalances` reads it. */
export const balancesJson = (customerId: RawBuilder<unknown>): RawBuilder<BalancesJson> =>
  sql`(select coalesce(json_agg(json_build_array(owned.kind, owned.pool, held.balance::text)), '[]')
    from ledger_account owned join ledger_balance held on held.account_id = owned.id
    where owned.customer_id = ${customerId})`

export const readBalances = (json: BalancesJson): HeldBalance[] =>
  json.map(([kind, pool, balance]) => ({ kind, pool, balance: BigInt(balance) }))

/**
 * SQL for the bytes that customers hold in all pools together: a query of `customer_id` and `bytes`, over all
 * customers or over the one that the expression `customerId` names.
 */
export function heldBytes(customerId?: RawBuilder<unknown>): RawBuilder<unknown> {
  const whose =
    customerId === undefined ? sql`owned.customer_id is not null` : sql`owned.customer_id = ${customerId}`
  // An unusual alias, since `customerId` may refer to a table of the outer query, which a common alias would
  // hide.
  return sql`select owned.customer_id, sum(b.balance) as bytes
    from ledger_account owned join ledger_balance b on b.account_id = owned.id
    where ${whose} and owned.currency = 'byte' group by owned.customer_id`
}

/**
 * SQL for the bytes left, paid and bonus together without what is reserved, in the pools from which customers have used traffic since
 * the beginning of this UTC hour: a query of `customer_id`, `pool` and `bytes`.
 */
export function leftSince(hour: Date): RawBuilder<unknown> {
  return sql`select owned.customer_id, owned.pool, sum(b.balance)::bigint as bytes
    from ledger_account owned join ledger_balance b on b.account_id = owned.id
    where owned.kind = any(${[...freeKinds]}::text[]) and (owned.customer_id, owned.pool) in (
      select drawn.customer_id, drawn.pool from ledger_balance open join ledger_account drawn on drawn.id = open.account_id
      where open.open_hour >= ${hour} and drawn.customer_id is not null and drawn.kind = any(${[...freeKinds]}::text[]))
    group by owned.customer_id, owned.pool`
}

export interface UserEntry {
  transactionId: bigint
  at: Date
  kind: string
  reference: string
  accountKind: string
  pool: string | null
  amount: bigint
}

/**
 * What was posted to a customer's accounts, the newest first; usage is not part of it (see `usedByAccount`).
 */
export async function entriesOfUser(
  db: Db,
  customerId: bigint,
  { account, before, limit }: { account?: string | undefined; before: bigint | null; limit: number },
): Promise<UserEntry[]> {
  const which =
    account === undefined
      ? sql`true`
      : account === 'referral'
        ? sql`a.kind in ('referral', 'referral_payout')`
        : account === 'balance'
          ? sql`a.kind in ('money', 'money_frozen')`
          : sql`a.pool = ${account}`
  const { rows } = await sql<UserEntry>`
    select e.transaction_id as "transactionId", t.posted_at as at, t.kind, t.reference, a.kind as "accountKind", a.pool,
      e.amount
    from ledger_account a
    cross join lateral (
      select transaction_id, amount from ledger_entry
      where account_id = a.id and (${before}::bigint is null or transaction_id < ${before})
      order by transaction_id desc limit ${limit}) e
    join ledger_transaction t on t.id = e.transaction_id
    where a.customer_id = ${customerId} and ${which}
    order by e.transaction_id desc, a.id limit ${limit}`.execute(db)
  return rows
}

/** Micro-USD that a customer has earned by inviting others and has not spent yet. */
export async function referralBalance(db: Db, customerId: bigint): Promise<bigint> {
  return referralIn(await balancesOfUser(db, customerId))
}

/** The same, of all accounts of a customer. */
export const referralIn = (accounts: readonly HeldBalance[]): bigint =>
  accounts.find((account) => account.kind === 'referral')?.balance ?? 0n

/** The balances of customers' accounts by id. Ids of house accounts and unknown ids are left out. */
export async function balancesById(db: Db, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const { rows } = await sql<{ id: bigint; balance: bigint }>`
    select account_id as id, balance from ledger_balance
    where account_id = any(${bigintArray(ids)}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row.balance]))
}
