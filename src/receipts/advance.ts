/** Receipts of purchases that an advance pays: they settle advances which a processor has registered. */
import { sql, type Transaction } from 'kysely'
import { downToCent } from '#contract/price'
import type { DB } from '#db'
import { least } from '#lib/bigint'
import type { Price } from '#payments'
import { itemName, type ReceiptSettings, saleReceipt, type Sold } from './content.ts'
import { receiptEmailOf } from './email.ts'
import { insertReceipt } from './rows.ts'

interface Advance {
  method: string
  object_id: string
  currency: string
  /** What is left of all advances, in the currency. */
  left: bigint
  /** Millionths of the currency for one USD, of the latest advance. */
  per_usd: string | null
}

/**
 * Notes the receipt of a purchase from the money balance, as far as registered advances cover it: the goods are
 * delivered, and the advance counts as their payment. Without such advances there is none.
 */
export async function noteAdvanceSpent(
  tx: Transaction<DB>,
  settings: ReceiptSettings | null,
  { costMicros, ...sold }: Sold & { costMicros: bigint },
  now: Date,
): Promise<void> {
  if (settings === null || settings.registrar === 'manual') return
  const { accountId } = sold
  const { rows } = await sql<Advance>`
    with advance as (
      select r.*, i.rate_per_usd_micros from receipt r join invoice i on i.number = r.invoice_number
      where r.account_id = ${accountId} and i.pool = 'balance' and r.kind in ('payment', 'refund')
        and r.registrar <> 'manual' and r.state in ('pending', 'registered')
    ), spent as (
      -- What was returned of a purchase whose closing receipt was sent is of the advance again.
      select coalesce(sum(case r.kind when 'closing' then r.amount_micros else -r.amount_micros end), 0) as micros
      from receipt r
      where r.account_id = ${accountId} and r.kind in ('closing', 'refund') and r.state <> 'void' and not exists (
        select from receipt sale where sale.invoice_number = r.invoice_number and sale.kind = 'payment')
    )
    select a.method, a.object_id, a.currency,
      ((select sum(case kind when 'payment' then amount_micros else -amount_micros end) from advance) - spent.micros)::bigint as left,
      a.rate_per_usd_micros::text as per_usd
    from advance a, spent
    where a.kind = 'payment' order by a.id desc limit 1`.execute(tx)
  const [advance] = rows
  const { email } = await receiptEmailOf(tx, accountId)
  if (advance === undefined || email === null || advance.left <= 0n) return
  const price = priceOf(advance, costMicros)
  if (price.micros <= 0n) return
  await insertReceipt(
    tx,
    { ...sold, method: advance.method },
    {
      kind: 'closing',
      registrar: settings.registrar,
      description: itemName(settings.itemName, sold, true),
      state: 'due',
      price,
      content: saleReceipt({ ...sold, price }, { ...settings, mode: 'full_payment' }, email),
      object_id: advance.object_id,
      due_at: now,
      created_at: now,
    },
  )
}

/** The cost in the currency of the advance, at its rate, at most what is left of all advances. */
function priceOf({ currency, left, per_usd: perUsd }: Advance, costMicros: bigint): Price {
  const exact = perUsd === null ? costMicros : (costMicros * BigInt(perUsd)) / 1_000_000n
  return { currency, micros: downToCent(least(exact, left)) }
}
