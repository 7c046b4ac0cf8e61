/** What a processor did with the money of an invoice besides its payments: fees, refunds, disputes. */
import type { Kysely } from 'kysely'
import type { DeskOutput } from '#contract/desk/contract'
import type { DisputeState } from '#payments'
import type { DB } from '#db'
import type { Pool } from '#contract/wire'
import { disputedGifts, disputesOf, feesOf, type Invoice, returnedOf } from '#purchase'
import { ownersOf } from '../lists/owners.ts'
import { amount, iso } from '../lists/page.ts'

type Shown = Pick<DeskOutput<'invoice'>, 'returns' | 'disputes' | 'fee_micros' | 'fees'>

export async function processorSide(db: Kysely<DB>, { id, feeMicros }: Invoice): Promise<Shown> {
  const [returns, disputes, fees] = [await returnedOf(db, id), await disputesOf(db, id), await feesOf(db, id)]
  const gifts = await disputedGifts(db, id)
  const owners = await ownersOf(
    db,
    gifts.map(({ accountId }) => accountId),
  )
  return {
    returns: returns.map((one) => ({
      id: one.refundId,
      cause: one.cause,
      state: one.state,
      currency: one.price.currency,
      micros: amount(one.price.micros),
      usd_micros: amount(one.usdMicros),
      taken_back_bytes: amount(one.takenBackBytes),
      lost_bytes: amount(one.lostBytes),
      at: one.madeAt.toISOString(),
    })),
    disputes: disputes.map((one) => ({
      id: one.dispute_id,
      state: one.state as DisputeState,
      currency: one.currency,
      micros: amount(one.amount_micros),
      opened_at: one.opened_at.toISOString(),
      respond_by: iso(one.respond_by),
      frozen_bytes: amount(one.released_at === null ? one.frozen_bytes : 0n),
      gifts: gifts
        .filter(({ disputeId }) => disputeId === one.dispute_id)
        .map((gift) => ({
          customer_id: String(gift.accountId),
          customer_name: owners.get(gift.accountId)?.username ?? null,
          pool: gift.pool as Pool,
          bytes: amount(gift.bytes),
          signal: gift.signal,
          frozen_bytes: amount(gift.frozenBytes),
        })),
    })),
    fee_micros: feeMicros === null ? null : amount(feeMicros),
    fees: fees.map((fee) => ({
      kind: fee.kind,
      source: fee.source,
      currency: fee.currency,
      micros: amount(fee.micros),
      usd_micros: amount(fee.usdMicros),
      at: fee.notedAt.toISOString(),
    })),
  }
}
