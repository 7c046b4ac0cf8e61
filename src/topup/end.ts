/** The final states of a charge: each is entered once, with its consequences. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import type { DeclineReason } from '#payments'
import { cancelAutomatic, type Invoice, lockInvoice } from '#purchase'
import type { OpenCharge } from './list.ts'
import { afterFailure, isFaultOfShop } from './rules.ts'
import { lockTopUps, savedMethods } from './saved.ts'
import { removeMethod, switchOff } from './switch.ts'
import { tellFailed } from './tell.ts'

const endOf = (state: 'succeeded' | 'failed', reason: DeclineReason | null, now: Date) => ({
  state,
  reason,
  ended_at: now,
  look_at: now,
})

/** The charge succeeded: resets consecutive failures. False: another worker has recorded it. */
export async function succeed(db: Kysely<DB>, charge: OpenCharge, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockTopUps(tx, charge.accountId)
    const ended = await tx
      .updateTable('top_up_charge')
      .set(endOf('succeeded', null, now))
      .where('id', '=', charge.id)
      .where('state', 'not in', ['succeeded', 'failed'])
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n) return false
    await tx
      .updateTable('top_up')
      .set({ failures: 0, retry_at: null })
      .where('account_id', '=', charge.accountId)
      .where('pool', '=', charge.pool)
      .execute()
    return true
  })
}

/**
 * The charge failed: closes the invoice and notifies the customer. False: another worker has recorded it, or
 * money has arrived.
 */
export async function fail(
  db: Kysely<DB>,
  { charge, invoice, reason }: { charge: OpenCharge; invoice: Invoice; reason: DeclineReason },
  now: Date,
): Promise<boolean> {
  const { accountId, pool } = charge
  return transaction(db, async (tx) => {
    await lockTopUps(tx, accountId)
    // A payment that is credited at the same time ends first: the next run records that it succeeded.
    if ((await lockInvoice(tx, invoice.id)).receivedMicros > 0n) return false
    const ended = await tx
      .updateTable('top_up_charge')
      .set(endOf('failed', reason, now))
      .where('id', '=', charge.id)
      .where('state', 'not in', ['succeeded', 'failed'])
      .executeTakeFirst()
    const row = await tx
      .selectFrom('top_up')
      .select(['failures', 'is_on'])
      .where('account_id', '=', accountId)
      .where('pool', '=', pool)
      .executeTakeFirst()
    if (ended.numUpdatedRows === 0n || row === undefined) return false
    await cancelAutomatic(tx, invoice.id)
    const { failures, off, removesMethod, retryAt } = afterFailure(row.failures, reason, now)
    await tx
      .updateTable('top_up')
      .set({ failures, retry_at: row.is_on ? retryAt : null })
      .where('account_id', '=', accountId)
      .where('pool', '=', pool)
      .execute()
    if (removesMethod) {
      const saved = (await savedMethods(tx, accountId)).find(({ id }) => id === charge.savedMethodId)
      if (saved !== undefined)
        await removeMethod(tx, saved, { reason: 'permission_revoked', by: 'processor' }, now)
    }
    if (off !== null) await switchOff(tx, { accountId, pool }, { reason: off, by: 'shop' }, now)
    const isQuiet = reason === 'method_removed' || reason === 'switched_off' || isFaultOfShop(reason)
    if (!isQuiet) await tellFailed(tx, { charge, invoice, reason, isOff: off !== null, retryAt }, now)
    return true
  })
}
