/**
 * The ledger: money (micro-USD) and traffic (bytes) in append-only double entry. README.md lists the
 * invariants; migrations/0005_ledger.sql and 0006_ledger_rules.sql enforce them. No other code changes a
 * balance.
 */

import { type RawBuilder, type Transaction, sql } from 'kysely'
import { type DB, transaction, type Db } from '#db'
import { bigintArray } from '#lib/pg-array'

export { closeBills } from './bill/close.ts'
export { type BillHead, billHead } from './bill/read.ts'
export { archiveMonth, verifyArchive } from './archive.ts'
export { closeMonths, makeLedgerMonths, LedgerFault } from './months.ts'
export { type TrafficDraw, type UsedBytes, usedByAccount, postUsage } from './usage.ts'
export type { Finding } from './finding.ts'
export { ledgerParts } from './personal.ts'
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
  owedMoves,
  referralOwedAt,
  usedDays,
} from './month.ts'
export { verifyLedger } from './verify.ts'

/** A connection or a transaction. */
/** The natural key of an account. */
export interface AccountKey {
  kind: string
  currency: 'usd' | 'byte'
  /** Null: an account of the house. */
  customerId: bigint | null
  /** Traffic is held per pool; money has none. */
  pool: string | null
}

/** The accounts of customers. Their balances never go below zero. */
export const customer = {
  /** Bytes bought, not yet used. */
  trafficPaid: (customerId: bigint, pool: string): AccountKey => ({
    kind: 'traffic_paid',
    currency: 'byte',
    customerId,
    pool,
  }),
  /** Bytes given by promo codes, not yet used. */
  trafficBonus: (customerId: bigint, pool: string): AccountKey => ({
    kind: 'traffic_bonus',
    currency: 'byte',
    customerId,
    pool,
  }),
  /** Micro-USD earned by inviting others. */
  referral: (customerId: bigint): AccountKey => ({
    kind: 'referral',
    currency: 'usd',
    customerId,
    pool: null,
  }),
  /** Micro-USD of it that the customer has asked to have paid out. */
  referralPayout: (customerId: bigint): AccountKey => ({
    kind: 'referral_payout',
    currency: 'usd',
    customerId,
    pool: null,
  }),
}

/**
 * The accounts of the house, the other side of every posting. They have no cached balance and may have either
 * sign.
 */
export const house = {
  /** Bytes sold: minus the bytes that customers were credited for money. */
  trafficSold: (pool: string): AccountKey => ({
    kind: 'traffic_sold',
    currency: 'byte',
    customerId: null,
    pool,
  }),
  /** Bytes given away: minus the bytes that customers were credited as bonus. */
  trafficGiven: (pool: string): AccountKey => ({
    kind: 'traffic_given',
    currency: 'byte',
    customerId: null,
    pool,
  }),
  /** Bytes relayed: the other side of `postUsage`, which posts to it implicitly. */
  trafficUsed: (pool: string): AccountKey => ({
    kind: 'traffic_used',
    currency: 'byte',
    customerId: null,
    pool,
  }),
  /** Minus the bytes relayed that nobody paid for. */
  trafficLost: (pool: string): AccountKey => ({
    kind: 'traffic_lost',
    currency: 'byte',
    customerId: null,
    pool,
  }),
  /** Money received by a payment method. */
  cash: (method: string): AccountKey => ({
    kind: `cash:${method}`,
    currency: 'usd',
    customerId: null,
    pool: null,
  }),
  /** Shares that inviters have spent on traffic. */
  referralSpent: (): AccountKey => ({
    kind: 'referral_spent',
    currency: 'usd',
    customerId: null,
    pool: null,
  }),
  /** Shares that were sent to inviters as money. */
  referralPaid: (): AccountKey => ({ kind: 'referral_paid', currency: 'usd', customerId: null, pool: null }),
  /** Real money that was sent to inviters: the other side of the cash that it has cost. */
  payouts: (): AccountKey => ({ kind: 'payouts', currency: 'usd', customerId: null, pool: null }),
  /** Money of disputed payments, which the processor has withdrawn until it is decided. */
  disputed: (): AccountKey => ({ kind: 'disputed', currency: 'usd', customerId: null, pool: null }),
  /** Minus the money taken for traffic. */
  sales: (): AccountKey => ({ kind: 'sales', currency: 'usd', customerId: null, pool: null }),
  /** The fees that processors keep of payments, less those that they returned. */
  processorFees: (): AccountKey => ({
    kind: 'processor_fees',
    currency: 'usd',
    customerId: null,
    pool: null,
  }),
  /** Minus the shares credited to inviters. */
  referralCost: (): AccountKey => ({ kind: 'referral_cost', currency: 'usd', customerId: null, pool: null }),
}

export interface Posting {
  account: AccountKey
  /** Micro-USD or bytes; positive adds to the account. */
  amount: bigint
}

/** The reason of a ledger transaction. The pair is unique for ever. */
export interface Occasion {
  kind: string
  reference: string
  /**
   * For the invented past of a demo alone; absent: the database's time. The month is the open one in any
   * case.
   */
  postedAt?: Date | undefined
  /** The time of the money at its processor, by which reports go; absent: that of the posting. */
  valueAt?: Date | undefined
}

/**
 * Opens the accounts that do not exist yet and returns the ids of all, in the order of the keys. Safe to call
 * concurrently: all callers get the same ids.
 */
export async function openAccounts(db: Db, keys: readonly AccountKey[]): Promise<bigint[]> {
  const known = await findAccounts(db, keys)
  const missing = keys.filter((_, index) => known[index] === null)
  if (missing.length > 0) await insertAccounts(db, missing)
  const ids = missing.length > 0 ? await findAccounts(db, keys) : known
  return ids.map((id, index) => {
    if (id === null) throw new Error(`the ledger account ${keys[index]?.kind} could not be opened`)
    return id
  })
}

/** The keys as columns of the same length. */
function columnsOf(keys: readonly AccountKey[]) {
  return sql`unnest(${keys.map((key) => key.kind)}::text[], ${keys.map((key) => key.currency)}::text[],
    ${keys.map((key) => key.customerId)}::bigint[], ${keys.map((key) => key.pool)}::text[])`
}

/**
 * Two queries, because an index supports `customer_id = x` and `customer_id is null`, but not `is not distinct from`.
 */
async function findAccounts(db: Db, keys: readonly AccountKey[]): Promise<(bigint | null)[]> {
  const { rows } = await sql<{ n: bigint; id: bigint }>`
    with key as (
      select * from ${columnsOf(keys)} with ordinality as k(kind, currency, customer_id, pool, n)
    )
    select key.n, a.id from key join ledger_account a
      on a.customer_id = key.customer_id and a.kind = key.kind and a.currency = key.currency
      and a.pool is not distinct from key.pool
    union all
    select key.n, a.id from key join ledger_account a
      on a.customer_id is null and key.customer_id is null and a.kind = key.kind and a.currency = key.currency
      and a.pool is not distinct from key.pool`.execute(db)
  const ids = new Map(rows.map((row) => [Number(row.n), row.id]))
  return keys.map((_, index) => ids.get(index + 1) ?? null)
}

/** Sorted, so that two transactions that open the same accounts cannot deadlock. */
async function insertAccounts(db: Db, keys: readonly AccountKey[]): Promise<void> {
  await sql`
    insert into ledger_account (kind, currency, customer_id, pool)
    select distinct kind, currency, customer_id, pool
    from ${columnsOf(keys)} as k(kind, currency, customer_id, pool)
    order by kind, currency, customer_id, pool
    on conflict do nothing`.execute(db)
}

/**
 * Posts one transaction: all of its entries, in every currency, at once. Inside a caller's database
 * transaction it becomes part of that one. Postings to the same account are added up, and sums of zero are
 * omitted.
 *
 * 'already_posted': this kind and reference were posted before; nothing was changed. The database refuses
 * postings that do not sum to zero per currency (`ledger_sums_to_zero`) and those that would overdraw a
 * customer (`customer_never_below_zero`).
 */
export async function post(
  db: Db,
  { postings, ...occasion }: Occasion & { postings: readonly Posting[] },
): Promise<'posted' | 'already_posted'> {
  return transaction(db, async (tx) => {
    const transactionId = await open(tx, occasion)
    if (transactionId === null) return 'already_posted'
    const accounts = await openAccounts(
      tx,
      postings.map((posting) => posting.account),
    )
    const moved = new Map<bigint, bigint>()
    for (const [index, account] of accounts.entries())
      moved.set(account, (moved.get(account) ?? 0n) + (postings[index]?.amount ?? 0n))
    await insertEntries(tx, transactionId, moved)
    return 'posted'
  })
}

/** Creates the transaction and returns its id; null when one of this kind and reference exists. */
async function open(tx: Db, { kind, reference, postedAt, valueAt }: Occasion): Promise<bigint | null> {
  const { rows } = await sql<{ id: bigint }>`
    insert into ledger_transaction (kind, reference, posted_at, value_at)
    values (${kind}, ${reference}, ${postedAt === undefined ? sql`default` : postedAt}, ${valueAt ?? null})
    on conflict (kind, reference) do nothing returning id`.execute(tx)
  return rows[0]?.id ?? null
}

/**
 * Inserts all entries of a transaction at once, in the order of their index, so that they are appended to it.
 */
async function insertEntries(
  tx: Transaction<DB>,
  transactionId: bigint,
  moved: ReadonlyMap<bigint, bigint>,
): Promise<void> {
  const entries = [...moved].filter(([, amount]) => amount !== 0n)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  await sql`
    insert into ledger_entry (transaction_id, account_id, amount)
    select ${transactionId}, account, amount
    from unnest(
      ${bigintArray(entries.map(([account]) => account))}::bigint[],
      ${bigintArray(entries.map(([, amount]) => amount))}::bigint[]) as entry(account, amount)`.execute(tx)
}

/** A customer's account with its balance. */
export interface Balance extends AccountKey {
  id: bigint
  /** Micro-USD or bytes, 0 or more. */
  balance: bigint
}

/** All accounts of a customer, with their balances. */
export async function balancesOfUser(db: Db, customerId: bigint): Promise<Balance[]> {
  const { rows } = await sql<Balance>`
    select a.id, a.kind, a.currency, a.customer_id as "customerId", a.pool, b.balance
    from ledger_account a join ledger_balance b on b.account_id = a.id
    where a.customer_id = ${customerId} order by a.id`.execute(db)
  return rows
}

/**
 * SQL for the bytes that customers hold, all pools together: a query of `customer_id` and `bytes` over all of
 * them, or over the one whom an expression names.
 */
export function heldBytes(customerId?: RawBuilder<unknown>): RawBuilder<unknown> {
  const whose =
    customerId === undefined ? sql`owned.customer_id is not null` : sql`owned.customer_id = ${customerId}`
  // A name of its own: the expression may refer to an outer query's tables, which a common one would hide.
  return sql`select owned.customer_id, sum(b.balance) as bytes
    from ledger_account owned join ledger_balance b on b.account_id = owned.id
    where ${whose} and owned.currency = 'byte' group by owned.customer_id`
}

/**
 * SQL for the bytes left in the pools from which customers used any in an hour (UTC) or after it: a query of
 * `customer_id`, `pool` and
 * `bytes`, paid and bonus together.
 */
export function leftSince(hour: Date): RawBuilder<unknown> {
  return sql`select owned.customer_id, owned.pool, sum(b.balance)::bigint as bytes
    from ledger_account owned join ledger_balance b on b.account_id = owned.id
    where owned.currency = 'byte' and (owned.customer_id, owned.pool) in (
      select drawn.customer_id, drawn.pool from ledger_balance open join ledger_account drawn on drawn.id = open.account_id
      where open.open_hour >= ${hour} and drawn.customer_id is not null and drawn.currency = 'byte')
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
  const accounts = await balancesOfUser(db, customerId)
  return accounts.find((account) => account.kind === 'referral')?.balance ?? 0n
}

/** The balances of customers' accounts by id. Ids of house accounts and unknown ids are left out. */
export async function balancesById(db: Db, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const { rows } = await sql<{ id: bigint; balance: bigint }>`
    select account_id as id, balance from ledger_balance
    where account_id = any(${bigintArray(ids)}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row.balance]))
}
