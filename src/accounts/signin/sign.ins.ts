/** The last sign-ins of an account, with their addresses: what a shop can show in a dispute. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

export type SignInWay = 'password' | 'telegram' | 'passkey'

export interface SignIn {
  at: Date
  ip: string
  way: SignInWay
}

/** The number of sign-ins kept for an account. */
export const mostSignIns = 50

const dayMs = 86_400_000

/** Records a sign-in, and deletes the oldest one above the limit. */
export async function noteSignIn(
  db: Kysely<DB>,
  { accountId, ip, way }: { accountId: bigint; ip: string; way: SignInWay },
  now: Date,
): Promise<void> {
  await db.insertInto('sign_in').values({ account_id: accountId, at: now, ip, way }).execute()
  await sql`
    delete from sign_in where account_id = ${accountId} and id <= (
      select id from sign_in where account_id = ${accountId} order by id desc offset ${mostSignIns} limit 1)`.execute(
    db,
  )
}

/** The sign-ins of an account, the latest first. */
export async function signInsOf(db: Kysely<DB>, accountId: bigint): Promise<SignIn[]> {
  const { rows } = await sql<SignIn>`
    select at, ip, way from sign_in where account_id = ${accountId} order by id desc`.execute(db)
  return rows
}

/** Deletes sign-ins older than this number of days. */
export async function forgetOldSignIns(
  db: Kysely<DB>,
  { now, keptDays }: { now: Date; keptDays: number },
): Promise<void> {
  await db
    .deleteFrom('sign_in')
    .where('at', '<', new Date(now.getTime() - keptDays * dayMs))
    .execute()
}
