/**
 * The data of an account for other slices: its names, its owner's addresses, and the account that invited it.
 */
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { LanguageCode } from '#contract/language'
import type { DB } from '#db'

export interface Person {
  id: bigint
  username: string | null
  email: string | null
  lang: LanguageCode
  /** The code in their referral links. */
  refCode: string
  invitedBy: bigint | null
  /** Their own share of the payments of people they invited; 0: the operator's default. */
  persPercentPpm: number
}

/** The person behind an account that is known to exist. */
export async function personOf(db: Kysely<DB>, accountId: bigint): Promise<Person> {
  const row = await db
    .selectFrom('account')
    .select(['id', 'username', 'email', 'lang', 'ref_code', 'invited_by', 'pers_percent_ppm'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    lang: row.lang as LanguageCode,
    refCode: row.ref_code,
    invitedBy: row.invited_by,
    persPercentPpm: row.pers_percent_ppm,
  }
}

/** How a customer can be notified. */
export interface Addresses {
  /** Null: there is none, or it was not confirmed. */
  email: string | null
  lang: LanguageCode
  /** The account is blocked or erased. */
  isClosed: boolean
}

/** How the customer of an account that is known to exist can be notified. */
export async function addressesOf(db: Kysely<DB>, accountId: bigint): Promise<Addresses> {
  const row = await db
    .selectFrom('account')
    .select(['email', 'email_confirmed_at', 'lang', 'blocked_at', 'erased_at'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return {
    email: row.email_confirmed_at === null ? null : row.email,
    lang: row.lang as LanguageCode,
    isClosed: row.blocked_at !== null || row.erased_at !== null,
  }
}

/** The referral code of a new account: 12 hexadecimal digits. */
export const newRefCode = (): string => randomBytes(6).toString('hex')

/** The account with this referral code, in any letter case; undefined when there is none. */
export function findInviter(db: Kysely<DB>, code: string): Promise<{ id: bigint } | undefined> {
  return db.selectFrom('account').select('id').where('ref_code', '=', code.toLowerCase()).executeTakeFirst()
}

/** The number of accounts that this one invited. */
export async function countInvited(db: Kysely<DB>, accountId: bigint): Promise<bigint> {
  const { count } = await db
    .selectFrom('account')
    .select((all) => all.fn.countAll<bigint>().as('count'))
    .where('invited_by', '=', accountId)
    .executeTakeFirstOrThrow()
  return count
}
