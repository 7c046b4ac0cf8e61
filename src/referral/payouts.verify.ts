/** The payout checks of `ledger verify`: the reserved money equals the open requests. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { Finding } from '#ledger'

/**
 * Customers whose ledger account referral_payout differs from their open requests, and payouts whose payment
 * differs from the record.
 */
export async function verifyPayouts(db: Kysely<DB>): Promise<Finding[]> {
  const { rows } = await sql<{ account_id: bigint; held: string; open: string }>`
    select account_id, sum(held)::text as held, sum(open)::text as open from (
      select a.customer_id as account_id, b.balance as held, 0 as open
      from ledger_account a join ledger_balance b on b.account_id = a.id where a.kind = 'referral_payout'
      union all
      select account_id, 0, micros from referral_payout where state in ('requested', 'sending')
    ) both_sides group by account_id having sum(held) <> sum(open) order by account_id`.execute(db)
  const { rows: unpaid } = await sql<{ id: bigint; paid: string; noted: string }>`
    select p.id, p.micros::text as noted, coalesce(e.amount, 0)::text as paid
    from referral_payout p
    left join ledger_transaction t on t.kind = 'payout_paid' and t.reference = 'payout ' || p.id
    left join (ledger_entry e join ledger_account a on a.id = e.account_id and a.kind = 'referral_paid')
      on e.month = t.month and e.transaction_id = t.id
    where p.state = 'paid' and e.amount is distinct from p.micros
      and not exists (select from ledger_month_archive where month = t.month)
    order by p.id`.execute(db)
  return [
    ...rows.map(({ account_id, held, open }) => ({
      check: 'payouts_are_the_open_requests',
      subject: `account ${account_id}`,
      detail: `the ledger holds ${held} micro-USD for payouts, ${open} are requested`,
    })),
    ...unpaid.map(({ id, paid, noted }) => ({
      check: 'payouts_are_the_open_requests',
      subject: `payout ${id}`,
      detail: `${noted} micro-USD are noted as paid, ${paid} were posted`,
    })),
  ]
}
