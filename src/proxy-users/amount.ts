/** Adds an amount to what a proxy user may use in all, or subtracts it. */
import { sql, type Transaction } from 'kysely'
import { mostUserBytes } from '#contract/proxy-users/rules'
import type { DB } from '#db'
import { most } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { lockedUser, recallLeases } from './change.ts'
import { addToTotals } from './changes.ts'
import type { Reserve } from './reserve.ts'
import { type ProxyUser, type UserKey, userOf } from './rows.ts'

/** An amount to add to `totalBytes`; negative: to subtract from it. */
export interface Amount {
  bytes: bigint
  /** The account and the operation of the Idempotency-Key; null: none was sent. */
  reference: string | null
  /** What the proxy user was charged so far. */
  usedBytes: (tx: Transaction<DB>, id: bigint) => Promise<bigint>
  reserve: Reserve
}

/**
 * Adds an amount to what a proxy user may use in all, once per reference. Concurrent calls add up. What is
 * added to a reserve is taken from the free traffic of the access, and what is taken from it returns there.
 * Refuses with `user_not_found`, `user_unlimited`, `user_limit_too_large`, `reserve_not_covered`, and with
 * `user_has_less` when more would be taken than is left.
 */
export async function addToUser(tx: Transaction<DB>, key: UserKey, amount: Amount): Promise<ProxyUser> {
  const { bytes, reference, reserve } = amount
  const { isReserved } = await userOf(tx, key)
  if (isReserved) await reserve.lock(tx, key.accessId)
  const user = await lockedUser(tx, key)
  if (reference !== null && (await wasMade(tx, reference))) return user
  if (user.totalBytes === null) throw new Refusal('user_unlimited')
  if (user.totalBytes + bytes > BigInt(mostUserBytes)) throw new Refusal('user_limit_too_large')
  if (bytes < 0n) await needLeft(tx, user, amount)
  const [change] = await addToTotals(tx, [{ ...key, bytes, reference }])
  if (isReserved) await reserve.move(tx, { accessId: key.accessId, bytes, reference: String(change) })
  // Leases may hold bytes that the limit no longer covers.
  else if (bytes < 0n) await recallLeases(tx, user.id)
  return userOf(tx, key)
}

async function needLeft(tx: Transaction<DB>, user: ProxyUser, amount: Amount): Promise<void> {
  const { free, held } = user.isReserved
    ? ((await amount.reserve.left(tx, user.accessId, [user.id])).get(user.id) ?? { free: 0n, held: 0n })
    : { free: most((user.totalBytes ?? 0n) - (await amount.usedBytes(tx, user.id)), 0n), held: 0n }
  if (free + amount.bytes >= 0n) return
  // The refusal has `held` only if recalling the leases may free enough bytes.
  const isHeld = held > 0n && free + held + amount.bytes >= 0n
  throw new Refusal('user_has_less', { left: Number(free), ...(isHeld ? { held: Number(held) } : {}) })
}

/** Whether an earlier call with this reference, whose answer was lost, has made the change. */
async function wasMade(tx: Transaction<DB>, reference: string): Promise<boolean> {
  const { rows } = await sql`select from proxy_user_change where reference = ${reference}`.execute(tx)
  return rows.length > 0
}
