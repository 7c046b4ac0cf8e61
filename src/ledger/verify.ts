import { type Kysely, sql } from 'kysely'
import { type DB, inSnapshot } from '#db'
import type { Finding } from './finding.ts'
import { lastVerifiedMonth, rowsAfter, sumsOf } from './rows.ts'
import { brokenChain, changedMonths } from './verify.months.ts'
import { wrongRows } from './verify.rows.ts'
import { wrongSums } from './verify.sums.ts'

/**
 * Verifies every invariant of the ledger; an empty list means that all hold. Reads one snapshot, so it may
 * run while the shop is open. The database enforces the same invariants at every write: a finding means that
 * its rules were circumvented, or that storage is damaged.
 *
 * For months that were verified when they were closed the stored sums are used, and the chain of their
 * digests is checked. `full` also reads their entries again, unless they are archived, and compares them with
 * the digests. The sums that reports read are compared with the entries of the same months.
 */
export async function verifyLedger(db: Kysely<DB>, { full = false } = {}): Promise<Finding[]> {
  return inSnapshot(db, async (tx) => {
    const last = await lastVerifiedMonth(tx)
    return [
      ...(await brokenChain(tx)),
      ...(full ? await changedMonths(tx) : []),
      ...(await wrongRows(tx, rowsAfter(last))),
      ...(await wrongBalances(tx, last)),
      ...(await outOfPlace(tx)),
      ...(await wrongSums(tx, { lastVerified: last, full })),
    ]
  })
}

/**
 * SQL for the total of each account since the beginning: account_id, amount, used_bytes. Open hours are not
 * included.
 */
export const allSums = (lastVerified: string | null) => sql`(
  select account_id, sum(amount)::bigint as amount, sum(used_bytes)::bigint as used_bytes
  from (
    select s.account_id, s.amount, s.used_bytes from ledger_month_sum s join ledger_month_digest d on d.month = s.month
    union all select account_id, amount, used_bytes from ${sumsOf(rowsAfter(lastVerified))} since
  ) part
  group by account_id)`

interface AccountRow {
  id: bigint
  kind: string
  customer_id: bigint
  pool: string | null
}

async function wrongBalances(tx: Kysely<DB>, lastVerified: string | null): Promise<Finding[]> {
  const { rows } = await sql<AccountRow & { balance: string | null; sum: string }>`
    select a.id, a.kind, a.customer_id, a.pool, b.balance::text as balance,
      (coalesce(s.amount, 0) - coalesce(b.open_bytes, 0))::text as sum
    from ledger_account a
    left join ledger_balance b on b.account_id = a.id
    left join ${allSums(lastVerified)} s on s.account_id = a.id
    where a.customer_id is not null and b.balance is distinct from coalesce(s.amount, 0) - coalesce(b.open_bytes, 0)
    order by a.id`.execute(tx)
  return rows.map((row) => ({
    check: 'balance_is_the_sum_of_entries',
    subject: accountText(row),
    detail: `it says ${row.balance ?? 'nothing'}, its entries sum to ${row.sum}`,
  }))
}

/**
 * States that the database refuses: negative balances, and open hours and entries in closed or archived
 * months.
 */
async function outOfPlace(tx: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<AccountRow & { balance: string; open_bytes: string; is_late: boolean }>`
    select a.id, a.kind, a.customer_id, a.pool, b.balance::text as balance, b.open_bytes::text as open_bytes,
      coalesce(month_of(b.open_hour) <= (select max(month) from ledger_month), false) as is_late
    from ledger_balance b join ledger_account a on a.id = b.account_id
    where b.balance < 0 or b.open_bytes < 0
      or month_of(b.open_hour) <= (select max(month) from ledger_month)
    order by a.id`.execute(tx)
  const { rows: archived } = await sql<{ month: string }>`
    select month from ledger_month_archive r
    where exists (select from ledger_entry e where e.month = r.month)
      or exists (select from ledger_usage u where u.hour >= r.month::timestamp at time zone 'UTC'
        and u.hour < (r.month + interval '1 month') at time zone 'UTC')`.execute(tx)
  return [
    ...rows.map((row) =>
      row.is_late
        ? {
            check: 'closed_month_is_unchanged',
            subject: accountText(row),
            detail: 'its open hour is in a closed month',
          }
        : {
            check: 'customer_never_below_zero',
            subject: accountText(row),
            detail: `it holds ${row.balance}, and used ${row.open_bytes} in its open hour`,
          },
    ),
    ...archived.map(({ month }) => ({
      check: 'closed_month_is_unchanged',
      subject: `month ${month.slice(0, 7)}`,
      detail: 'it is archived and has entries here',
    })),
  ]
}

function accountText(account: AccountRow): string {
  const pool = account.pool === null ? '' : `, ${account.pool}`
  return `account ${account.id} (${account.kind} of customer ${account.customer_id}${pool})`
}
