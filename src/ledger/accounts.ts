/** The accounts of the ledger, by their natural keys. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#db'

/** The natural key of an account. */
export interface AccountKey {
  kind: string
  currency: 'usd' | 'byte'
  /** Null: an account of the house. */
  customerId: bigint | null
  /** Traffic is held per pool; money has none. */
  pool: string | null
}

/** The kinds of accounts with traffic that customers may use themselves. */
export const freeKinds = ['traffic_paid', 'traffic_bonus'] as const
/** The kinds of accounts from which traffic is used: free, and reserved for proxy users. */
export const trafficKinds = [...freeKinds, 'reserved_paid', 'reserved_bonus'] as const
/** SQL for whether an account of a customer holds given traffic. */
export const isBonus = (kind: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`${kind} in ('traffic_bonus', 'reserved_bonus')`

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
  /** Bytes bought, reserved for proxy users and not yet used. */
  reservedPaid: (customerId: bigint, pool: string): AccountKey => ({
    kind: 'reserved_paid',
    currency: 'byte',
    customerId,
    pool,
  }),
  /** Bytes given by promo codes, reserved for proxy users and not yet used. */
  reservedBonus: (customerId: bigint, pool: string): AccountKey => ({
    kind: 'reserved_bonus',
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
  /** Micro-USD of earned shares that the customer has asked to have paid out. */
  referralPayout: (customerId: bigint): AccountKey => ({
    kind: 'referral_payout',
    currency: 'usd',
    customerId,
    pool: null,
  }),
  /** Micro-USD paid in advance, not spent yet. */
  money: (customerId: bigint): AccountKey => ({ kind: 'money', currency: 'usd', customerId, pool: null }),
  /** Micro-USD of it that disputes withhold. */
  moneyFrozen: (customerId: bigint): AccountKey => ({
    kind: 'money_frozen',
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
  /** Money of disputed payments, which the processor withholds until the dispute is decided. */
  disputed: (): AccountKey => ({ kind: 'disputed', currency: 'usd', customerId: null, pool: null }),
  /** Minus what customers have on their money balances, withheld money too: the other side of their entries. */
  moneyHeld: (): AccountKey => ({ kind: 'money_held', currency: 'usd', customerId: null, pool: null }),
  /** Minus the money that customers have paid in advance and neither spent nor got back. */
  advances: (): AccountKey => ({ kind: 'advances', currency: 'usd', customerId: null, pool: null }),
  /** Money that staff have put on money balances, less what they took off. */
  moneyGiven: (): AccountKey => ({ kind: 'money_given', currency: 'usd', customerId: null, pool: null }),
  /** What customers owe: payments in advance that processors have returned after they were spent. */
  moneyOwed: (): AccountKey => ({ kind: 'money_owed', currency: 'usd', customerId: null, pool: null }),
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
 * SQL for two common table expressions: `key`, the keys with their numbers from 1 on, and `known`, the numbers and
 * ids of those accounts that exist. Two queries, because an index supports `customer_id = x` and
 * `customer_id is null`, but not `is not distinct from`.
 */
export const knownAccounts = (keys: readonly AccountKey[]): RawBuilder<unknown> => sql`
    key as (
      select * from ${columnsOf(keys)} with ordinality as k(kind, currency, customer_id, pool, n)
    ), known as (
      select key.n, a.id from key join ledger_account a
        on a.customer_id = key.customer_id and a.kind = key.kind and a.currency = key.currency
        and a.pool is not distinct from key.pool
      union all
      select key.n, a.id from key join ledger_account a
        on a.customer_id is null and key.customer_id is null and a.kind = key.kind and a.currency = key.currency
        and a.pool is not distinct from key.pool
    )`

async function findAccounts(db: Db, keys: readonly AccountKey[]): Promise<(bigint | null)[]> {
  const { rows } = await sql<{ n: bigint; id: bigint }>`
    with ${knownAccounts(keys)} select n, id from known`.execute(db)
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
