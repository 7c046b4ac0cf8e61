/**
 * A customer's open payout, as the rest of the referral programme sees it. Read and changed under the lock of
 * the referrer.
 */
import type { Transaction } from 'kysely'
import type { DB } from '#db'
import { tellOfPayout } from './payout.tell.ts'

function requested(tx: Transaction<DB>, accountId: bigint) {
  return tx
    .selectFrom('referral_payout')
    .select(['id', 'micros', 'network'])
    .where('account_id', '=', accountId)
    .where('state', '=', 'requested')
    .executeTakeFirst()
}

/** What is requested to be paid out and not yet being sent, micro-USD. */
export async function requestedMicros(tx: Transaction<DB>, accountId: bigint): Promise<bigint> {
  return (await requested(tx, accountId))?.micros ?? 0n
}

/**
 * Takes from the requested payout what a refund undoes, and tells the customer. Nothing left: it is refused.
 */
export async function reducePayout(
  tx: Transaction<DB>,
  accountId: bigint,
  micros: bigint,
  now: Date,
): Promise<void> {
  const row = await requested(tx, accountId)
  if (row === undefined || row.micros < micros) throw new Error(`account ${accountId} has requested less`)
  const left = row.micros - micros
  await tx
    .updateTable('referral_payout')
    .set({ micros: left, ...(left === 0n ? { state: 'refused', ended_at: now } : {}) })
    .where('id', '=', row.id)
    .execute()
  const { network } = row
  if (left === 0n)
    return tellOfPayout(tx, accountId, { event: 'refused', micros: row.micros, network, reason: null }, now)
  await tellOfPayout(tx, accountId, { event: 'reduced', micros: left, network }, now)
}
