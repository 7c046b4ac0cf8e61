/** A year of the ledger, written in bulk: purchases, and hours in which traffic was used. */
import type { Database } from '#db'
import { scalePool, withoutTriggers } from './scale.rows.ts'

/** Bytes of each purchase, and of each hour. */
const [boughtBytes, usedBytes] = [2000, 1000]

/** All customers, numbered from 0. */
const customers = 'select row_number() over (order by access_id) - 1 as n, paid_account from meter'

/**
 * Adds a month with this number of entries: half are purchases (two entries each), half are closed hours. The
 * triggers accept only the present, so they are bypassed; the books are verified afterwards.
 */
export async function fillMonth({ pool }: Database, month: string, entries: number): Promise<void> {
  for (const table of ['ledger_entry', 'ledger_usage'])
    await pool.query('select make_month_partition($1, $2::date)', [table, month])
  const purchases = Math.floor(entries / 4)
  const hours = Math.floor(entries / 2)
  await withoutTriggers({ pool }, ['ledger_entry', 'ledger_usage', 'ledger_balance'], async () => {
    await pool.query(
      `with customer as (${customers}), posted as (
         insert into ledger_transaction (kind, reference, month, posted_at)
         select 'bench_purchase', $1 || '-' || n, $1::date, $1::date + n * interval '27 days' / $2::int
         from generate_series(1, $2::int) n returning id
       ), house as (
         select id from ledger_account where kind = 'traffic_sold' and customer_id is null and pool = $4
       )
       insert into ledger_entry (month, transaction_id, account_id, amount)
       select $1::date, posted.id, side.account, side.amount
       from posted join customer on customer.n = posted.id % (select count(*) from meter), house, lateral (values
         (customer.paid_account, $3::bigint), (house.id, -$3::bigint)
       ) side (account, amount)
       order by posted.id`,
      [month, purchases, boughtBytes, scalePool],
    )
    // Rows are inserted in the order of their hours, as settlements do; each hour has other customers.
    await pool.query(
      `with customer as (${customers})
       insert into ledger_usage (hour, account_id, bytes)
       select ($1::date + hour * interval '1 hour') at time zone 'UTC', customer.paid_account, $3
       from generate_series(0, 27 * 24 - 1) hour,
         generate_series(hour * $2::bigint, (hour + 1) * $2::bigint - 1) one
       join customer on customer.n = one % (select count(*) from meter)
       order by 1, 2`,
      [month, Math.floor(hours / (27 * 24)), usedBytes],
    )
    await pool.query(
      `insert into ledger_usage_sum (hour, kind, pool, bytes)
       select u.hour, a.kind, a.pool, sum(u.bytes) from ledger_usage u join ledger_account a on a.id = u.account_id
       where u.hour >= $1::date::timestamp at time zone 'UTC' and u.hour < ($1::date + interval '1 month') at time zone 'UTC'
       group by 1, 2, 3`,
      [month],
    )
    await pool.query(
      `with change as (
         select account_id, sum(amount) as amount, sum(used) as used from (
           select e.account_id, e.amount, 0 as used from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
             where e.month = $1::date and t.kind = 'bench_purchase'
           union all select account_id, -bytes, bytes from ledger_usage
             where hour >= $1::date::timestamp at time zone 'UTC'
               and hour < ($1::date + interval '1 month') at time zone 'UTC'
         ) side group by account_id
       ), changed as (
         update ledger_balance b set balance = b.balance + change.amount from change where b.account_id = change.account_id
       )
       update meter m set pruned_bytes = pruned_bytes + used, forgotten_bytes = forgotten_bytes + used
       from change where m.paid_account = change.account_id`,
      [month],
    )
  })
}

/** The number of ledger entries: those of transactions, and closed hours. */
export async function countEntries({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    'select (select count(*) from ledger_entry) + (select count(*) from ledger_usage) as count',
  )
  return Number(rows[0]?.count ?? 0n)
}
