/** Blocking accounts, and what a blocked account's sign-in is refused with. */
import type { Kysely } from 'kysely'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { minuteInUtc } from '#lib/zone'
import { announceChange } from '#proxies'
import { endSessions } from './signin/session.ts'
import { endTokens } from './token.ts'

export interface Block {
  accountId: bigint
  /** When the block expires; absent: never. */
  until?: Date | undefined
  reason?: string | undefined
  /** The refusal of the customer's sign-in includes the reason. */
  tells?: boolean
}

/**
 * Blocks an account: its sessions and links end immediately, and every gateway cuts its tunnels. Its balance
 * is kept. Returns false when it is already blocked; the existing block is unchanged.
 */
export function blockAccount(
  db: Kysely<DB>,
  { accountId, until, reason, tells = false }: Block,
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const blocked = await tx
      .updateTable('account')
      .set({
        blocked_at: now,
        blocked_until: until ?? null,
        blocked_reason: reason ?? null,
        tells_blocked_reason: tells,
        updated_at: now,
      })
      .where('id', '=', accountId)
      .where('blocked_at', 'is', null)
      .executeTakeFirst()
    await endSessions(tx, accountId)
    await endTokens(tx, accountId)
    await announceAccount(tx, accountId)
    return blocked.numUpdatedRows > 0n
  })
}

/** Unblocks an account. Returns false when it was not blocked, or its owner's data was erased. */
export function unblockAccount(db: Kysely<DB>, accountId: bigint, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    const unblocked = await tx
      .updateTable('account')
      .set({ ...notBlocked, updated_at: now })
      .where('id', '=', accountId)
      .where('blocked_at', 'is not', null)
      .where('erased_at', 'is', null)
      .executeTakeFirst()
    await announceAccount(tx, accountId)
    return unblocked.numUpdatedRows > 0n
  })
}

const notBlocked = {
  blocked_at: null,
  blocked_until: null,
  blocked_reason: null,
  tells_blocked_reason: false,
}

/** Ends expired blocks; returns their number. */
export function unblockDue(db: Kysely<DB>, now: Date): Promise<number> {
  return transaction(db, async (tx) => {
    const ended = await tx
      .updateTable('account')
      .set({ ...notBlocked, updated_at: now })
      .where('blocked_until', '<=', now)
      .returning('id')
      .execute()
    for (const { id } of ended) await announceAccount(tx, id)
    return ended.length
  })
}

/** The refusal of a blocked account's sign-in. */
export function blockedRefusal(account: BlockColumns): Refusal {
  const { blocked_reason: reason, blocked_until: until, tells_blocked_reason: tells } = account
  if (!tells || reason === null) return new Refusal('account_blocked')
  if (until === null) return new Refusal('account_blocked_because', { reason })
  return new Refusal('account_blocked_until', {
    reason,
    until: minuteInUtc(until),
  })
}

/** Refuses a sign-in to a blocked account, which staff may have blocked since its first step. */
export async function refuseBlocked(db: Kysely<DB>, accountId: bigint): Promise<void> {
  const account = await db
    .selectFrom('account')
    .select(['blocked_at', ...blockColumns])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (account.blocked_at !== null) throw blockedRefusal(account)
}

interface BlockColumns {
  blocked_reason: string | null
  blocked_until: Date | null
  tells_blocked_reason: boolean
}

/** The details of a block that `blockedRefusal` reports. */
export const blockColumns = ['blocked_reason', 'blocked_until', 'tells_blocked_reason'] as const

async function announceAccount(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  const rows = await tx
    .selectFrom('proxy_login')
    .select('login')
    .where('account_id', '=', accountId)
    .execute()
  for (const { login } of rows) await announceChange(tx, login)
}
