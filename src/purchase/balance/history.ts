/** The changes of a money balance, from the ledger. */
import { type Kysely, sql } from 'kysely'
import type { Output } from '#contract/contract'
import type { DB } from '#db'

/** A change of what a customer can spend. */
export interface MoneyChange {
  id: bigint
  at: Date
  kind: Output<'money_balance'>['history'][number]['kind']
  micros: bigint
  /** The number of the invoice that it belongs to. */
  invoice: string | null
}

const kinds: Readonly<Record<string, MoneyChange['kind']>> = {
  top_up: 'top_up',
  test_top_up: 'top_up',
  top_up_refund: 'top_up_refund',
  test_top_up_refund: 'top_up_refund',
  purchase: 'purchase',
  test_purchase: 'purchase',
  refund: 'purchase_refund',
  test_refund: 'purchase_refund',
  dispute_freeze: 'withheld',
  dispute_release: 'released',
}

/** The changes of a customer's money balance before the one with the id `before`, the newest first. */
export async function moneyHistory(
  db: Kysely<DB>,
  accountId: bigint,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<MoneyChange[]> {
  const { rows } = await sql<{ id: bigint; at: Date; kind: string; micros: bigint; invoice: string | null }>`
    select t.id, coalesce(t.value_at, t.posted_at) as at, t.kind, e.amount as micros,
      coalesce(
        (select number from invoice where t.kind in ('purchase', 'test_purchase') and number = substr(t.reference, 9)),
        (select i.number from payment p join invoice i on i.id = p.invoice_id
          where t.kind in ('top_up', 'test_top_up') and p.method = split_part(t.reference, ':', 1)
            and p.external_payment_id = substr(t.reference, strpos(t.reference, ':') + 1)),
        (select i.number from refund r join invoice i on i.id = r.invoice_id
          where r.name = split_part(t.reference, ':', 1)),
        (select i.number from processor_refund r join invoice i on i.id = r.invoice_id
          where r.method = split_part(t.reference, ':', 1) and r.refund_id = split_part(t.reference, ':', 2)),
        (select i.number from payment_dispute d join invoice i on i.id = d.invoice_id
          where d.method = split_part(t.reference, ':', 1) and d.dispute_id = split_part(t.reference, ':', 2))
      ) as invoice
    from ledger_account a
      join ledger_entry e on e.account_id = a.id and e.transaction_id < ${before ?? maxId}
      join ledger_transaction t on t.month = e.month and t.id = e.transaction_id
    where a.customer_id = ${accountId} and a.kind = 'money'
    order by e.transaction_id desc limit ${limit}`.execute(db)
  return rows.map(({ kind, ...row }) => ({ ...row, kind: kinds[kind] ?? 'staff' }))
}

const maxId = 9_223_372_036_854_775_807n
