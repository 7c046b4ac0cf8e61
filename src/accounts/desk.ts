/** The operator's actions on accounts: looking them up, blocking them, setting their share. */
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { announceChange } from '#proxies'
import { nameKey } from './names.ts'
import { endTokens } from './token.ts'

export interface AccountLine {
  id: bigint
  username: string | null
  email: string | null
  lang: string
  isConfirmed: boolean
  blockedAt: Date | null
  /** Parts per million; 0: the operator's default. */
  persPercentPpm: number
  invitedBy: bigint | null
  adminReferralCode: string | null
  createdAt: Date
}

const columns = [
  'id',
  'username',
  'email',
  'lang',
  sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'),
  'blocked_at as blockedAt',
  'pers_percent_ppm as persPercentPpm',
  'invited_by as invitedBy',
  'admin_referral_code as adminReferralCode',
  'created_at as createdAt',
] as const

/** Accounts whose name or e-mail contains the text, newest first; an empty text matches all. */
export function searchAccounts(
  db: Kysely<DB>,
  { text, limit, before }: { text: string; limit: number; before?: bigint },
): Promise<AccountLine[]> {
  const pattern = `%${nameKey(text).replace(/[\\%_]/g, String.raw`\$&`)}%`
  let query = db.selectFrom('account').select(columns).orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where('id', '<', before)
  if (pattern !== '%%')
    query = query.where((or) =>
      or.or([or('username_key', 'like', pattern), or('email_key', 'like', pattern)]),
    )
  return query.execute()
}

/** The account with this id, or null. */
export async function accountById(db: Kysely<DB>, id: bigint): Promise<AccountLine | null> {
  const found = await db.selectFrom('account').select(columns).where('id', '=', id).executeTakeFirst()
  return found ?? null
}

/** The account with this e-mail or user name, otherwise with this id. */
export async function accountCalled(db: Kysely<DB>, name: string): Promise<AccountLine | null> {
  const key = nameKey(name)
  const by = (column: 'username_key' | 'email_key') =>
    db.selectFrom('account').select(columns).where(column, '=', key).executeTakeFirst()
  const named = await by(key.includes('@') ? 'email_key' : 'username_key')
  if (named !== undefined || !/^\d{1,18}$/.test(key)) return named ?? null
  return accountById(db, BigInt(key))
}

/**
 * Blocks an account: its sessions and links end immediately, and every gateway cuts its tunnels. Its balance is kept.
 * Returns false when it was blocked before.
 */
export function blockAccount(db: Kysely<DB>, accountId: bigint, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    const blocked = await tx
      .updateTable('account')
      .set({ blocked_at: now, updated_at: now })
      .where('id', '=', accountId)
      .where('blocked_at', 'is', null)
      .executeTakeFirst()
    await tx.deleteFrom('session').where('account_id', '=', accountId).execute()
    await endTokens(tx, accountId)
    await announceAccount(tx, accountId)
    return blocked.numUpdatedRows > 0n
  })
}

/** Unblocks an account. Returns false when it was not blocked. */
export function unblockAccount(db: Kysely<DB>, accountId: bigint, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    const unblocked = await tx
      .updateTable('account')
      .set({ blocked_at: null, updated_at: now })
      .where('id', '=', accountId)
      .where('blocked_at', 'is not', null)
      .executeTakeFirst()
    await announceAccount(tx, accountId)
    return unblocked.numUpdatedRows > 0n
  })
}

async function announceAccount(tx: Kysely<DB>, accountId: bigint): Promise<void> {
  const rows = await tx
    .selectFrom('proxy_login')
    .select('login')
    .where('account_id', '=', accountId)
    .execute()
  for (const { login } of rows) await announceChange(tx, login)
}

/** Sets an account's own share of its invitees' payments, in parts per million; 0 is the operator's default. */
export async function setPersPercent(
  db: Kysely<DB>,
  accountId: bigint,
  ppm: number,
  now: Date,
): Promise<void> {
  await db
    .updateTable('account')
    .set({ pers_percent_ppm: ppm, updated_at: now })
    .where('id', '=', accountId)
    .execute()
}
