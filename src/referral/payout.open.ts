/**
 * A customer's open payout, for the rest of the referral programme. Callers hold the referrer's lock.
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

/** The amount of a payout that is requested and not being sent yet, micro-USD. */
export async function requestedMicros(tx: Transaction<DB>, accountId: bigint): Promise<bigint> {
  return (await requested(tx, accountId))?.micros ?? 0n
}

/**
 * Reduces the requested payout by a refunded share, and notifies the customer. A payout reduced to zero is
 * refused.
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
