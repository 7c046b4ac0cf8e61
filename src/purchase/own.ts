/** What is left of the traffic of one purchase: a refund gives back its own bytes at its own price, never those of another one. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { least, most } from '#lib/bigint'
import { balancesOf } from '#traffic'
import type { Invoice } from './invoice.ts'
import { purchaseLots } from './lots.ts'

/** A purchase, or traffic that was received, less what was moved on and taken back. */
interface Lot {
  invoiceId: bigint | null
  bytes: bigint
}

/** The bytes of a purchase that are left, when this much of all `lots` is held: the oldest lots are used first. */
export function ownLeft(lots: readonly Lot[], heldBytes: bigint, invoiceId: bigint): bigint {
  let usedBytes = most(0n, lots.reduce((sum, { bytes }) => sum + bytes, 0n) - heldBytes)
  for (const { invoiceId: id, bytes } of lots) {
    const used = least(usedBytes, bytes)
    usedBytes -= used
    if (id === invoiceId) return bytes - used
  }
  return 0n
}

/**
 * How much of these bytes of a locked invoice a refund or a dispute may take: what is left of its own. Locks the account, as gifts and
 * exchanges do, so that none of them moves the bytes before they are taken.
 */
export async function limitToOwn(
  tx: Transaction<DB>,
  { id, accountId, pool, isTest, creditedBytes, takenBackBytes }: Invoice,
  bytes: bigint,
): Promise<bigint> {
  if (bytes <= 0n) return 0n
  // Test purchases are no lots.
  if (isTest) return least(bytes, creditedBytes - takenBackBytes)
  await sql`select from account where id = ${accountId} for no key update`.execute(tx)
  const lots = await purchaseLots(tx, [{ accountId, pool }])
  const heldBytes = (await balancesOf(tx, accountId)).get(pool)?.paid ?? 0n
  return least(bytes, ownLeft(lots, heldBytes + (await frozenBytes(tx, { accountId, pool })), id))
}

/** What disputes withhold of this traffic: it is in no balance, and was not used. */
async function frozenBytes(
  tx: Transaction<DB>,
  { accountId, pool }: { accountId: bigint; pool: string },
): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select coalesce(sum(d.frozen_bytes), 0)::bigint as bytes from payment_dispute d join invoice i on i.id = d.invoice_id
    where i.account_id = ${accountId} and i.pool = ${pool} and d.released_at is null`.execute(tx)
  return rows[0]?.bytes ?? 0n
}
