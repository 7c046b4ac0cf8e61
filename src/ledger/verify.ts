import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

/** Something that must never be. */
export interface Finding {
  /** Which invariant is broken, in snake_case. */
  check: string
  /** What breaks it: "transaction 17", "account 4 (traffic_paid of user 2, residential)". */
  subject: string
  /** A sentence with the numbers. */
  detail: string
}

/**
 * Recomputes every invariant of the ledger from its entries; an empty list means that all hold. Reads one snapshot, so
 * it is right while the shop is open. The database enforces the same invariants at every write: a finding means that
 * somebody went around it, or that storage is damaged.
 */
export async function verifyLedger(db: Kysely<DB>): Promise<Finding[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => [
      ...(await unbalanced(tx)),
      ...(await orphans(tx)),
      ...(await wrongBalances(tx)),
      ...(await belowZero(tx)),
    ])
}

async function unbalanced(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ transaction_id: bigint; currency: string; sum: string }>`
    select e.transaction_id, a.currency, sum(e.amount)::text as sum
    from ledger_entry e join ledger_account a on a.id = e.account_id
    group by e.transaction_id, a.currency having sum(e.amount) <> 0
    order by e.transaction_id`.execute(tx)
  return rows.map((row) => ({
    check: 'transaction_sums_to_zero',
    subject: `transaction ${row.transaction_id}`,
    detail: `its entries sum to ${row.sum} ${row.currency}, not to zero`,
  }))
}

async function orphans(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ transaction_id: bigint; account_id: bigint; missing: string }>`
    select e.transaction_id, e.account_id, case when t.id is null then 'transaction' else 'account' end as missing
    from ledger_entry e
    left join ledger_transaction t on t.id = e.transaction_id
    left join ledger_account a on a.id = e.account_id
    where t.id is null or a.id is null
    order by e.transaction_id, e.account_id`.execute(tx)
  return rows.map((row) => ({
    check: 'entry_has_transaction_and_account',
    subject: `entry of transaction ${row.transaction_id} on account ${row.account_id}`,
    detail: `the ${row.missing} does not exist`,
  }))
}

async function wrongBalances(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{
    id: bigint
    kind: string
    user_id: bigint
    pool: string | null
    balance: string
    sum: string
  }>`
    select a.id, a.kind, a.user_id, a.pool, a.balance::text as balance, coalesce(e.sum, 0)::text as sum
    from ledger_account a
    left join (select account_id, sum(amount) as sum from ledger_entry group by account_id) e on e.account_id = a.id
    where a.user_id is not null and a.balance is distinct from coalesce(e.sum, 0)
    order by a.id`.execute(tx)
  return rows.map((row) => ({
    check: 'balance_is_the_sum_of_entries',
    subject: accountText(row),
    detail: `it says ${row.balance}, its entries sum to ${row.sum}`,
  }))
}

async function belowZero(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{
    id: bigint
    kind: string
    user_id: bigint
    pool: string | null
    balance: string
  }>`
    select id, kind, user_id, pool, balance::text as balance
    from ledger_account where balance < 0 order by id`.execute(tx)
  return rows.map((row) => ({
    check: 'customer_never_below_zero',
    subject: accountText(row),
    detail: `it holds ${row.balance}`,
  }))
}

function accountText(account: { id: bigint; kind: string; user_id: bigint; pool: string | null }): string {
  const pool = account.pool === null ? '' : `, ${account.pool}`
  return `account ${account.id} (${account.kind} of user ${account.user_id}${pool})`
}
