/** Looking accounts up: by id, by name, by a part of either; and an account's own share of payments. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { parseId } from '#lib/bigint'
import { likePart } from '#lib/like'
import { nameKey } from './names.ts'

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
