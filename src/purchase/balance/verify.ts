/** The checks of `ledger verify` of money balances, beside those of every account. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { Finding } from '#ledger'

/**
 * The sum of all money balances equals the shop's debt for them; customers' debts equal those of the ledger;
 * a customer with a debt has nothing to spend; and the ledger withholds exactly what open disputes withhold.
 */
export async function verifyMoney(db: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ subject: string; detail: string }>`
    with house as (
      select a.kind, sum(s.amount)::bigint as micros from (
        select account_id, amount from ledger_house_sum
        union all
        select e.account_id, e.amount from ledger_unsummed u join ledger_transaction t on t.id = u.transaction_id
          join ledger_entry e on e.month = t.month and e.transaction_id = t.id
      ) s join ledger_account a on a.id = s.account_id and a.customer_id is null
      where a.kind in ('money_held', 'advances', 'money_owed') group by a.kind
    ), held as (
      select coalesce(sum(b.balance), 0)::bigint as micros from ledger_account a join ledger_balance b on b.account_id = a.id
      where a.kind in ('money', 'money_frozen')
    ), owed as (
      select coalesce(sum(owed_micros), 0)::bigint as micros from money_balance
    )
    select 'house ' || kind as subject, 'it has ' || micros || ' micro-USD, the customers’ side ' || expected as detail
    from (
      select kinds.kind, coalesce(house.micros, 0) as micros,
        case kinds.kind when 'money_owed' then owed.micros else -held.micros end as expected
      from unnest('{money_held,advances,money_owed}'::text[]) kinds(kind) left join house using (kind), held, owed
    ) sides where micros <> expected
    union all
    select 'account ' || m.account_id, 'it owes ' || m.owed_micros || ' micro-USD and has ' || b.balance
    from money_balance m join ledger_account a on a.customer_id = m.account_id and a.kind = 'money'
      join ledger_balance b on b.account_id = a.id
    where m.owed_micros > 0 and b.balance > 0
    union all
    select 'account ' || account_id, 'the ledger withholds ' || sum(held) || ' micro-USD, disputes ' || sum(frozen) from (
      select a.customer_id as account_id, b.balance as held, 0 as frozen
      from ledger_account a join ledger_balance b on b.account_id = a.id where a.kind = 'money_frozen'
      union all
      select i.account_id, 0, d.frozen_micros from payment_dispute d join invoice i on i.id = d.invoice_id
      where d.released_at is null
    ) both_sides group by account_id having sum(held) <> sum(frozen)`.execute(db)
  return rows.map((row) => ({ check: 'money_balances_are_owed', ...row }))
}
