/** Traffic codes: bonus traffic, as often per customer as the code allows. */
import type { Pool } from '#contract/wire'
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { ensureAccess, type Secrets } from '#proxies'
import { creditTraffic, openMeter } from '#traffic'
import { isOpen } from './code.ts'
import { slotFor } from './slot.ts'
import { findCode, usesBy, writeUse } from './store.ts'

/**
 * Credits the bonus traffic of a code and returns it; a repeated operation gets the same answer. Refuses with
 * `promocode_used` (by this customer, as often as allowed) and `promocode_invalid` (unknown, not for traffic,
 * disabled, expired, used up).
 */
export function activateTrafficCode(
  database: Database,
  secrets: Secrets,
  {
    code: typed,
    accountId,
    operation = null,
  }: { code: string; accountId: bigint; operation?: string | null },
  now: Date,
): Promise<{ pool: Pool; bytes: bigint }> {
  return transaction(database.db, async (tx) => {
    const code = await findCode(tx, typed, 'lock')
    if (code === null || code.grant.kind !== 'traffic') throw new Refusal('promocode_invalid')
    const { pool, bytes } = code.grant
    const uses = await usesBy(tx, code.id, accountId)
    // The same operation succeeded before and its answer was lost.
    if (operation !== null && uses.some((use) => use.operation === operation)) return { pool, bytes }
    const slot = slotFor(uses, code.usesPerPerson)
    if (slot === null) throw new Refusal('promocode_used')
    if (!isOpen(code, code.uses, now)) throw new Refusal('promocode_invalid')
    const taken = { invoice: null, heldUntil: null, usedAt: now, operation }
    await writeUse(tx, { promocodeId: code.id, accountId, nth: slot.nth }, taken)
    const access = await ensureAccess(tx, secrets, { accountId, pool })
    await openMeter(tx, { accessId: access.id, accountId, pool })
    await creditTraffic(tx, {
      accessId: access.id,
      bytes,
      part: 'bonus',
      kind: 'promo',
      reference: slot.nth === 1 ? `${code.id}:${accountId}` : `${code.id}:${accountId}:${slot.nth}`,
    })
    return { pool, bytes }
  })
}
