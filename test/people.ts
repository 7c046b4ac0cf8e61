import { randomBytes } from 'node:crypto'
import type { Pool } from '#contract/wire'
import type { Database } from '#db'
import { secretsOf } from '#lib/secret'
import { ensureAccess } from '#proxies'

const secrets = secretsOf('a test key of more than thirty-two characters')

/** A customer with nothing but an id, for tests of slices below sign-up. */
export async function newAccount(db: Database['db']): Promise<bigint> {
  const { id } = await db
    .insertInto('account')
    .values({ ref_code: randomBytes(8).toString('hex') })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Access of a new customer to a pool, without a meter. */
export async function newAccess(
  db: Database['db'],
  pool: Pool,
): Promise<{ accessId: bigint; accountId: bigint; pool: Pool }> {
  const accountId = await newAccount(db)
  const { id } = await ensureAccess(db, secrets, { accountId, pool })
  return { accessId: id, accountId, pool }
}
