/** Traffic codes: bonus traffic, once per customer. */
import type { Pool } from '#contract/wire'
import { type Database, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { ensureSubuser, type Secrets } from '#proxies'
import { creditTraffic, openMeter } from '#traffic'
import { isOpen } from './code.ts'
import { findCode, findUse, writeUse } from './store.ts'

/**
 * Credits the bonus traffic of a code and returns it; a repeated operation gets the same answer. Refuses with
 * `promocode_used` (by this customer, before) and `promocode_invalid` (unknown, not for traffic, disabled, expired,
 * used up).
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
    const use = await findUse(tx, code.id, accountId)
    // Done before by the same operation, whose answer was lost.
    if (use !== null && use.operation !== null && use.operation === operation) return { pool, bytes }
    if (use !== null) throw new Refusal('promocode_used')
    if (!isOpen(code, code.uses, now)) throw new Refusal('promocode_invalid')
    const taken = { invoice: null, heldUntil: null, usedAt: now, operation }
    await writeUse(tx, { promocodeId: code.id, accountId }, taken)
    const subuser = await ensureSubuser(tx, secrets, { accountId, pool })
    await openMeter(tx, { subuserId: subuser.id, accountId, pool })
    await creditTraffic(tx, {
      subuserId: subuser.id,
      bytes,
      part: 'bonus',
      kind: 'promo',
      reference: `${code.id}:${accountId}`,
    })
    return { pool, bytes }
  })
}
