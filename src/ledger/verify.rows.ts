/** Checks of entries alone: sums that are not zero, and references to missing rows. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { trafficKinds } from './accounts.ts'
import type { Finding } from './finding.ts'
import type { LedgerRows } from './rows.ts'

export async function wrongRows(tx: Kysely<DB>, rows: LedgerRows): Promise<Finding[]> {
  return [...(await unbalanced(tx, rows)), ...(await orphans(tx, rows))]
}

async function unbalanced(tx: Kysely<DB>, { entries }: LedgerRows): Promise<Finding[]> {
  const { rows } = await sql<{ transaction_id: bigint; currency: string; sum: string }>`
    select e.transaction_id, a.currency, sum(e.amount)::text as sum
    from ${entries} e join ledger_account a on a.id = e.account_id
    group by e.transaction_id, a.currency having sum(e.amount) <> 0
    order by e.transaction_id`.execute(tx)
  return rows.map((row) => ({
    check: 'transaction_sums_to_zero',
    subject: `transaction ${row.transaction_id}`,
    detail: `its entries sum to ${row.sum} ${row.currency}, not to zero`,
  }))
}

async function orphans(tx: Kysely<DB>, { transactions, entries, usage }: LedgerRows): Promise<Finding[]> {
  const { rows } = await sql<{ subject: string; missing: string }>`
    select 'entry of transaction ' || e.transaction_id || ' on account ' || e.account_id as subject,
      case when t.id is null then 'transaction' else 'account' end as missing
    from ${entries} e
    left join ${transactions} t on t.id = e.transaction_id
    left join ledger_account a on a.id = e.account_id
    where t.id is null or a.id is null
    union all
    select 'hour ' || to_char(u.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24') || ' of account ' || u.account_id,
      'account with traffic'
    from ${usage} u left join ledger_account a on a.id = u.account_id
    where a.kind is null or a.kind <> all(${[...trafficKinds]}::text[])
    order by subject`.execute(tx)
  return rows.map(({ subject, missing }) => ({
    check: 'entry_has_transaction_and_account',
    subject,
    detail: `the ${missing} does not exist`,
  }))
}
