/**
 * Switching automatic top-up on and off. Switching off takes effect with its commit, whatever the processor
 * does.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { OffReason } from '#contract/topup/rules'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { type Agreement, consentValues } from './saving.ts'
import { cardText, deleteMethod, lockTopUps, type SavedMethod } from './saved.ts'
import type { Terms } from './consent.ts'
import { sendConsent } from './tell.ts'

type EndedBy = 'customer' | 'staff' | 'processor' | 'shop' | 'replaced'

/**
 * Stores the consent and switches the top-up on. When the balance is already below the threshold, the next
 * check charges.
 */
export async function switchOn(
  tx: Transaction<DB>,
  { agreement, saved, terms }: { agreement: Agreement; saved: SavedMethod; terms: Terms },
  now: Date,
): Promise<void> {
  const { accountId } = agreement
  const { pool, belowBytes, gb, monthMicros, most } = terms
  const agreed = {
    below_bytes: belowBytes,
    gb,
    month_micros: monthMicros,
    most_currency: most.currency,
    most_micros: most.micros,
  }
  await endConsents(tx, { accountId, pool }, 'replaced', now)
  const { id: consentId } = await tx
    .insertInto('top_up_consent')
    .values({
      ...consentValues(agreement, now),
      ...agreed,
      kind: 'top_up',
      pool,
      method: saved.method,
      card: cardText(saved),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const on = {
    ...agreed,
    is_on: true,
    off_reason: null,
    saved_method_id: saved.id,
    consent_id: consentId,
    is_armed: true,
    failures: 0,
    retry_at: null,
    bound_told: null,
    changed_at: now,
  }
  await tx
    .insertInto('top_up')
    .values({ account_id: accountId, pool, ...on })
    .onConflict((conflict) => conflict.columns(['account_id', 'pool']).doUpdateSet(on))
    .execute()
  await sendConsent(tx, accountId, agreement.text, now)
}

/** Switches it off; false: it is off already, or was never on. */
export async function switchOff(
  tx: Kysely<DB>,
  { accountId, pool }: { accountId: bigint; pool: string },
  { reason, by }: { reason: OffReason; by: EndedBy },
  now: Date,
): Promise<boolean> {
  const done = await tx
    .updateTable('top_up')
    .set({ is_on: false, off_reason: reason, is_armed: false, retry_at: null, changed_at: now })
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .where('is_on', '=', true)
    .executeTakeFirst()
  await endConsents(tx, { accountId, pool }, by, now)
  return done.numUpdatedRows > 0n
}

/** Switches a customer's top-up off on behalf of staff, in the transaction that records it. */
export async function switchOffByStaff(
  tx: Transaction<DB>,
  of: { accountId: bigint; pool: Pool },
  now: Date,
): Promise<boolean> {
  await lockTopUps(tx, of.accountId)
  return switchOff(tx, of, { reason: 'staff', by: 'staff' }, now)
}

/**
 * Removes a saved method: what is charged with it is switched off, and consents to save it end. Returns the
 * pools that were on.
 */
export async function removeMethod(
  tx: Transaction<DB>,
  saved: SavedMethod,
  { reason, by }: { reason: OffReason; by: EndedBy },
  now: Date,
): Promise<string[]> {
  const { accountId } = saved
  const used = await tx
    .selectFrom('top_up')
    .select('pool')
    .where('account_id', '=', accountId)
    .where('saved_method_id', '=', saved.id)
    .where('is_on', '=', true)
    .execute()
  for (const { pool } of used) await switchOff(tx, { accountId, pool }, { reason, by }, now)
  await tx
    .updateTable('top_up_consent')
    .set({ ended_at: now, ended_by: by })
    .where('account_id', '=', accountId)
    .where('kind', '=', 'save')
    .where('ended_at', 'is', null)
    .where(sql<boolean>`card is not distinct from ${cardText(saved)}`)
    .execute()
  await deleteMethod(tx, saved)
  return used.map(({ pool }) => pool)
}

async function endConsents(
  tx: Kysely<DB>,
  { accountId, pool }: { accountId: bigint; pool: string },
  by: EndedBy,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('top_up_consent')
    .set({ ended_at: now, ended_by: by })
    .where('account_id', '=', accountId)
    .where('pool', '=', pool)
    .where('ended_at', 'is', null)
    .execute()
}
