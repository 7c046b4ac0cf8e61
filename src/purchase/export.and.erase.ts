/** The personal data that purchases store, what prevents its erasure, and what an erasure removes. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import { blankWebhooks } from '#payments'
import { receiptObstacles } from '#receipts'
import { isDisputeOpen } from './disputes.ts'

export const purchaseParts: readonly PersonalPart[] = [
  {
    name: 'invoices',
    tables: ['invoice', 'money_balance'],
    atErasure: 'kept',
    rows: (id) => sql`
      select id, number, created_at, expires_at, state, pool, gb, method, language, per_gb_micros as per_gb_micro_usd,
        volume_discount_ppm, promo_discount_ppm, promocode, price_list, cost_micros as cost_micro_usd,
        full_cost_micros as full_cost_micro_usd, price_currency, price_micros as price_millionths,
        rate_per_usd_micros as rate_millionths_per_usd,
        shown_currency, shown_micros as shown_millionths, shown_per_usd_micros as shown_millionths_per_usd, received_micros as received_micro_usd, credited_bytes, settled_at,
        refunded_at, refunded_micros as refunded_micro_usd, taken_back_bytes, disputed_at, dispute_state, dispute_respond_by
      from invoice where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'payments',
    tables: ['payment'],
    atErasure: 'kept',
    rows: (id) => sql`
      select p.method, p.external_payment_id as payment, i.number as invoice, p.received_at,
        p.received_micros as received_micro_usd
      from invoice i join payment p on p.invoice_id = i.id where i.account_id = ${id}`,
    key: { method: 'text', payment: 'text' },
  },
  {
    name: 'refunds',
    tables: ['refund'],
    atErasure: 'kept',
    rows: (id) => sql`
      select r.id, i.number as invoice, r.created_at, r.state, r.currency, r.amount_micros as amount_millionths,
        r.usd_micros as refunded_micro_usd, r.taken_back_bytes, r.claim_url, r.sent_at
      from invoice i join refund r on r.invoice_id = i.id where i.account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'traffic_moves',
    tables: ['traffic_move', 'traffic_move_part', 'traffic_move_undone'],
    atErasure: 'kept',
    // The other customer is not named: that is a fact about another person.
    rows: (id) => sql`
      select m.id, m.kind, m.made_at, m.from_account = ${id} as is_own, m.from_pool, m.bytes, m.to_pool, m.to_bytes
      from traffic_move m where m.from_account = ${id} or m.to_account = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'notifications_of_processors',
    tables: ['webhook_event'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select e.id, e.method, e.received_at, e.verdict, e.invoice_number as invoice, e.deliveries
      from invoice i join webhook_event e on e.invoice_number = i.number where i.account_id = ${id}`,
    key: { id: 'bigint' },
  },
]

export type Obstacle = 'open_invoice' | 'dispute' | 'refund_due' | 'receipt_due'

/** What has to be settled before the data of a customer can be erased, with the numbers of the invoices. */
export async function erasureObstacles(
  db: Kysely<DB>,
  accountId: bigint,
): Promise<{ obstacle: Obstacle; numbers: string[] }[]> {
  const { rows } = await sql<{ obstacle: Obstacle; numbers: string[] }>`
    select obstacle, array_agg(number order by number) as numbers from (
      select 'open_invoice' as obstacle, number from invoice where account_id = ${accountId} and state = 'pending'
      union all
      select 'dispute', number from invoice
        where account_id = ${accountId} and ${isDisputeOpen}
      union all
      select distinct 'refund_due', i.number from invoice i join refund r on r.invoice_id = i.id
        where i.account_id = ${accountId} and r.state in ('planned', 'due', 'sent', 'refused')
    ) open group by obstacle order by obstacle`.execute(db)
  const closing = await receiptObstacles(db, accountId)
  return closing.length === 0 ? rows : [...rows, { obstacle: 'receipt_due', numbers: closing }]
}

/**
 * Removes the personal data that bookkeeping does not need: the URLs of payment pages, and the contents of
 * processors' notifications, which have names, addresses and parts of card numbers.
 */
export async function eraseInvoices(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  const { rows } = await sql<{ number: string }>`
    select number from invoice where account_id = ${accountId} order by id for update`.execute(tx)
  await sql`update invoice set payment_url = null where account_id = ${accountId} and payment_url is not null`.execute(
    tx,
  )
  await blankWebhooks(
    tx,
    rows.map(({ number }) => number),
  )
}
