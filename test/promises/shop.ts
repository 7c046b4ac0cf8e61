/** A shop shared by several machines: its database migrated and filled, its customers signed up. */
import { randomBytes } from 'node:crypto'
import { seedDemoCatalog } from '#catalog'
import { type Database, migrate, openDatabase } from '#db'
import { migrateJobs } from '#db/jobs'
import { seedDemoExits } from '#exits'
import { customer, house, post } from '#ledger'
import { verifyBooks } from '../../src/main/books.ts'
import type { ApiMachine } from './machines.ts'

/** Opens and fills it. The connections are few, and reconnect when the server is back. */
export async function furnish(databaseUrl: string): Promise<Database> {
  const database = await openDatabase({ databaseUrl, dataDir: '', role: 'guest', maxConnections: 4 })
  await migrate(database)
  await migrateJobs(database.url)
  await seedDemoCatalog(database.db)
  await seedDemoExits(database.db)
  return database
}

export interface Buyer {
  username: string
  accountId: bigint
  token: string
}

/** Signs up a customer and signs in; with a referral balance if requested. */
export async function newBuyer(
  api: Pick<ApiMachine, 'client'>,
  { db }: Database,
  { sharesMicros = 0n } = {},
): Promise<Buyer> {
  const username = `buyer${randomBytes(4).toString('hex')}`
  const password = `password of ${username}`
  const call = api.client(null)
  await call('signup', { username, email: `${username}@example.com`, password })
  const token = await call('signin', { username, password })
  const { id: accountId } = await db
    .selectFrom('account')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirstOrThrow()
  if (sharesMicros > 0n)
    await post(db, {
      kind: 'test_shares',
      reference: username,
      postings: [
        { account: house.referralCost(), amount: -sharesMicros },
        { account: customer.referral(accountId), amount: sharesMicros },
      ],
    })
  return { username, accountId, token }
}

/** The balances of a customer's pool, read directly from the ledger. */
export async function heldBytes({ db }: Database, accountId: bigint, pool: string): Promise<bigint> {
  const rows = await db
    .selectFrom('ledger_account as a')
    .innerJoin('ledger_balance as b', 'b.account_id', 'a.id')
    .select('b.balance')
    .where('a.customer_id', '=', accountId)
    .where('a.pool', '=', pool)
    .execute()
  return rows.reduce((sum, { balance }) => sum + balance, 0n)
}

export const findings = ({ db }: Database) => verifyBooks(db)
