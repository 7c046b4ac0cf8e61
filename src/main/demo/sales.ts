/**
 * The payments of a demo's past: what settlement and refund leave behind, written as it would have been, with
 * the times of the past and without letters, receipts and documents.
 */
import type { Transaction } from 'kysely'
import { personOf } from '#accounts'
import type { DB } from '#db'
import { customer, house, type PostPast } from '#ledger'
import type { Secrets } from '#lib/secret'
import { countUse } from '#promo'
import { ensureAccess } from '#proxies'
import { hasPurchased, type Invoice } from '#purchase'
import { earnShare, undoShare } from '#referral'
import { noteCredited, openMeter } from '#traffic'
import { bytesPerGb, type Pool } from '#contract/wire'

interface Past {
  secrets: Secrets
  postPast: PostPast
}

/** Pays a new invoice, in full or with less than its price. */
export async function pay(
  tx: Transaction<DB>,
  { secrets, postPast }: Past,
  { invoice, receivedMicros }: { invoice: Invoice; receivedMicros: bigint },
  at: Date,
): Promise<void> {
  const { id, number, accountId, method, promocodeId, costMicros } = invoice
  const pool = invoice.pool as Pool
  const isFull = receivedMicros >= costMicros
  const wholeBytes = invoice.gb * bytesPerGb
  const bytes = isFull ? wholeBytes : (wholeBytes * receivedMicros) / costMicros
  const paymentId = `demo ${number}`
  if (promocodeId !== null) await countUse(tx, { promocodeId, accountId, invoice: number, hasPurchased }, at)
  const { id: accessId } = await ensureAccess(tx, secrets, { accountId, pool })
  await openMeter(tx, { accessId, accountId, pool })
  const buyer = await personOf(tx, accountId)
  const share = await earnShare(tx, { invoiceId: id, buyer, paidMicros: receivedMicros }, at)
  await postPast(at, {
    kind: 'purchase',
    reference: `${method}:${paymentId}`,
    postings: [
      { account: house.trafficSold(pool), amount: -bytes },
      { account: customer.trafficPaid(accountId, pool), amount: bytes },
      { account: house.cash(method), amount: receivedMicros },
      { account: house.sales(), amount: -receivedMicros },
      ...share,
    ],
  })
  await noteCredited(tx, accessId)
  await tx
    .insertInto('payment')
    .values({
      method,
      external_payment_id: paymentId,
      invoice_id: id,
      received_micros: receivedMicros,
      received_at: at,
    })
    .execute()
  await tx
    .updateTable('invoice')
    .set({
      state: isFull ? 'paid' : 'underpaid',
      received_micros: receivedMicros,
      credited_bytes: bytes,
      settled_at: at,
    })
    .where('id', '=', id)
    .execute()
}

/** Refunds all of a paid invoice whose traffic is unused. */
export async function refund(
  tx: Transaction<DB>,
  { postPast }: Pick<Past, 'postPast'>,
  { id, number, accountId, pool, method, receivedMicros, creditedBytes }: Invoice,
  at: Date,
): Promise<void> {
  const amounts = { refundedMicros: receivedMicros, paidMicros: receivedMicros }
  const share = await undoShare(tx, { invoiceId: id, ...amounts }, at)
  const name = `${number}-demo`
  await tx
    .insertInto('refund')
    .values({
      name,
      invoice_id: id,
      method,
      way: 'hand',
      currency: 'USD',
      amount_micros: receivedMicros,
      usd_micros: receivedMicros,
      taken_back_bytes: creditedBytes,
      created_at: at,
      booked_at: at,
      state: 'done',
      sent_at: at,
      ended_at: at,
    })
    .execute()
  await postPast(at, {
    kind: 'refund',
    reference: name,
    postings: [
      { account: customer.trafficPaid(accountId, pool), amount: -creditedBytes },
      { account: house.trafficSold(pool), amount: creditedBytes },
      { account: house.cash(method), amount: -receivedMicros },
      { account: house.sales(), amount: receivedMicros },
      ...share,
    ],
  })
  await tx
    .updateTable('invoice')
    .set({
      state: 'refunded',
      refunded_at: at,
      refunded_micros: receivedMicros,
      taken_back_bytes: creditedBytes,
    })
    .where('id', '=', id)
    .execute()
}

/** Cancels an unpaid invoice. */
export async function cancel(tx: Transaction<DB>, { id }: Invoice): Promise<void> {
  await tx.updateTable('invoice').set({ state: 'cancelled' }).where('id', '=', id).execute()
}

/** Disputes a paid invoice. */
export async function dispute(
  tx: Transaction<DB>,
  { id }: Invoice,
  { state, respondBy }: { state: 'won' | 'needs_response'; respondBy: Date },
  at: Date,
): Promise<void> {
  await tx
    .updateTable('invoice')
    .set({
      checked_verdict: 'known_payment',
      disputed_at: at,
      dispute_state: state,
      dispute_respond_by: respondBy,
    })
    .where('id', '=', id)
    .execute()
}
