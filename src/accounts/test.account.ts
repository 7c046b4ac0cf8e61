/**
 * The account of test purchases: it has neither a name nor a password, so nobody can sign in to it, and its
 * purchases are not sales.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '#db'
import { newRefCode } from './person.ts'

/** Its tag in lists of customers. */
const tag = 'test'

/** Finds the account, or makes it. Any number of processes may do so concurrently: there is one. */
export async function testAccount(db: Kysely<DB>): Promise<bigint> {
  const known = await knownTestAccount(db)
  if (known !== null) return known
  const made = await db
    .insertInto('account')
    .values({ lang: 'eng', ref_code: newRefCode(), is_test: true })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) return testAccount(db)
  await db.insertInto('account_tag').values({ account_id: made.id, tag }).execute()
  return made.id
}

/** Null: no test purchase was made yet. */
export async function knownTestAccount(db: Kysely<DB>): Promise<bigint | null> {
  const row = await db.selectFrom('account').select('id').where('is_test', '=', true).executeTakeFirst()
  return row?.id ?? null
}

/** SQL for whether an account is that of test purchases. */
export const isTestAccount = (accountId: bigint): RawBuilder<boolean> =>
  sql<boolean>`(select is_test from account where id = ${accountId})`
