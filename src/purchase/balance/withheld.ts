/** Money of disputed top-ups: withheld from the balance while the dispute is open. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { postOnce } from '#ledger'
import type { Invoice } from '../invoices/invoice.ts'
import { type ReleasedBy, releaseWithheld, withholdReleased } from '../invoices/withheld.rows.ts'
import { freezeMoney, releaseMoney } from './money.ts'

/** What disputes of a top-up withhold of the balance. */
export async function frozenOf(db: Kysely<DB>, invoiceId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(frozen_micros), 0)::bigint as micros from payment_dispute
    where invoice_id = ${invoiceId} and released_at is null`.execute(db)
  return rows[0]?.micros ?? 0n
}

/** Withholds at most this much of the balance for a dispute, and returns how much. */
export async function withholdMoney(
  tx: Transaction<DB>,
  { accountId }: Invoice,
  { micros, reference }: { micros: bigint; reference: string },
): Promise<bigint> {
  if (micros <= 0n) return 0n
  const { frozen, postings } = await freezeMoney(tx, accountId, micros)
  if (frozen > 0n) await postOnce(tx, { kind: 'dispute_freeze', reference, postings })
  return frozen
}

/** Releases what disputes of a top-up withhold of the balance, and returns how much. */
export async function releaseFrozenMoney(
  tx: Transaction<DB>,
  { id, accountId, method }: Invoice,
  by: ReleasedBy,
  now: Date,
): Promise<bigint> {
  return releaseWithheld(
    tx,
    { id, method },
    {
      column: 'frozen_micros',
      by,
      give: async ({ amount, reference }) => {
        const postings = await releaseMoney(tx, accountId, amount)
        await postOnce(tx, { kind: 'dispute_release', reference, postings })
      },
    },
    now,
  )
}

/** Makes the open disputes of a top-up withhold again what a refund had released and its reversal has restored. */
export async function withholdMoneyAgain(
  tx: Transaction<DB>,
  invoice: Invoice,
  { micros, reference }: { micros: bigint; reference: string },
): Promise<void> {
  await withholdReleased(tx, invoice, {
    column: 'frozen_micros',
    amount: micros,
    reference,
    mostOf: (disputed) => disputed,
    take: (part) => withholdMoney(tx, invoice, { micros: part.amount, reference: part.reference }),
  })
}
