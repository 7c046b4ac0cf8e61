/** The operator's actions on accounts: looking them up, blocking them, setting their share. */
import { likePart } from '#lib/like'
import { type Kysely, sql } from 'kysely'
import { type DB, transaction } from '#db'
import { parseId } from '#lib/bigint'
import { Refusal } from '#lib/refusal'
import { minuteInUtc } from '#lib/zone'
import { announceChange } from '#proxies'
import { nameKey } from './names.ts'
import { endSessions } from './signin/session.ts'
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

interface Search {
  text: string
  limit: number
  before?: bigint
  emails?: 'part' | 'whole'
}

/**
 * Accounts whose name or e-mail contains the text, newest first; an empty text matches all. With `whole`,
 * only a whole e-mail is found: for those who may not see addresses.
 */
export function searchAccounts(
  db: Kysely<DB>,
  { text, limit, before, emails = 'part' }: Search,
): Promise<AccountLine[]> {
  const pattern = likePart(nameKey(text))
  let query = db.selectFrom('account').select(columns).orderBy('id', 'desc').limit(limit)
  if (before !== undefined) query = query.where('id', '<', before)
  if (pattern !== '%%')
    query = query.where((or) =>
      or.or([
        or('username_key', 'like', pattern),
        emails === 'part' ? or('email_key', 'like', pattern) : or('email_key', '=', nameKey(text)),
      ]),
    )
  return query.execute()
}

/** The account number in a text such as “17” or “#17”; null: the text is not a number. */
export const accountNumber = (text: string): bigint | null => parseId(text.trim().replace(/^#/, ''))

/** The account with this id, or null. */
export async function accountById(db: Kysely<DB>, id: bigint): Promise<AccountLine | null> {
  const found = await db.selectFrom('account').select(columns).where('id', '=', id).executeTakeFirst()
  return found ?? null
}

/** The accounts with these ids that exist. */
export async function accountsById(db: Kysely<DB>, ids: readonly bigint[]): Promise<AccountLine[]> {
  if (ids.length === 0) return []
  const chosen = sql<bigint>`any(${ids.map(String)}::bigint[])`
  return db.selectFrom('account').select(columns).where('id', '=', chosen).execute()
}

/** The account with this e-mail or user name, otherwise with this id. */
export async function accountCalled(db: Kysely<DB>, name: string): Promise<AccountLine | null> {
  const key = nameKey(name)
  const by = (column: 'username_key' | 'email_key') =>
    db.selectFrom('account').select(columns).where(column, '=', key).executeTakeFirst()
  const named = await by(key.includes('@') ? 'email_key' : 'username_key')
  if (named !== undefined) return named
  const id = parseId(key)
  return id === null ? null : accountById(db, id)
}

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

/**
 * Sets an account's own share of its invitees' payments, in parts per million; 0 is the operator's default.
 */
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
