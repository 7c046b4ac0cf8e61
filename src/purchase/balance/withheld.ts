/** Money of disputed top-ups: withheld from the balance while the dispute is open. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { post } from '#ledger'
import { least } from '#lib/bigint'
import type { Invoice } from '../invoices/invoice.ts'
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
  if (frozen > 0n) await post(tx, { kind: 'dispute_freeze', reference, postings })
  return frozen
}

/**
 * Releases at most `mostMicros` of what the disputes of a top-up withhold (null: all), and returns how much: the
 * disputes are over, or the refund `of` returns the money.
 */
export async function releaseFrozenMoney(
  tx: Transaction<DB>,
  { id, accountId, method }: Invoice,
  { of = null, mostMicros = null }: { of?: string | null; mostMicros?: bigint | null },
  now: Date,
): Promise<bigint> {
  const rows = await tx
    .selectFrom('payment_dispute')
    .select(['dispute_id', 'frozen_micros'])
    .where('invoice_id', '=', id)
    .where('released_at', 'is', null)
    .where('frozen_micros', '>', 0n)
    .orderBy('opened_at')
    .execute()
  let released = 0n
  for (const { dispute_id: disputeId, frozen_micros: frozen } of rows) {
    const micros = mostMicros === null ? frozen : least(frozen, mostMicros - released)
    if (micros <= 0n) break
    await tx
      .updateTable('payment_dispute')
      .set(micros === frozen ? { released_at: now } : { frozen_micros: frozen - micros })
      .where('method', '=', method)
      .where('dispute_id', '=', disputeId)
      .execute()
    await post(tx, {
      kind: 'dispute_release',
      reference: `${method}:${disputeId}${of === null ? '' : `:${of}`}`,
      postings: await releaseMoney(tx, accountId, micros),
    })
    released += micros
  }
  return released
}

/** Makes the open disputes of a top-up withhold again what a refund had released and its reversal has restored. */
export async function withholdMoneyAgain(
  tx: Transaction<DB>,
  invoice: Invoice,
  { micros, reference }: { micros: bigint; reference: string },
): Promise<void> {
  const rows = await tx
    .selectFrom('payment_dispute')
    .selectAll()
    .where('invoice_id', '=', invoice.id)
    .where('state', 'not in', ['won', 'lost'])
    .where('frozen_micros', '>', 0n)
    .orderBy('opened_at')
    .execute()
  let left = micros
  for (const row of rows) {
    const held = row.released_at === null ? row.frozen_micros : 0n
    const wanted = least(left, row.amount_micros - held)
    const dispute = `${row.method}:${row.dispute_id}:${reference}`
    const taken = await withholdMoney(tx, invoice, { micros: wanted, reference: dispute })
    if (taken === 0n) continue
    left -= taken
    await tx
      .updateTable('payment_dispute')
      .set({ frozen_micros: held + taken, released_at: null })
      .where('method', '=', row.method)
      .where('dispute_id', '=', row.dispute_id)
      .execute()
  }
}
