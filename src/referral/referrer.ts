/** A customer's referral balance: its lock, its debt, and what is credited to it. */
import type { Transaction } from 'kysely'
import type { DB } from '#db'
import { type AccountKey, customer, house, type Posting } from '#ledger'
import { payDebt } from './share.ts'

/** Locks a customer's referral balance against other postings; returns the customer's debt. */
export async function lockReferrer(tx: Transaction<DB>, accountId: bigint): Promise<bigint> {
  await tx
    .insertInto('referrer')
    .values({ account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { owed_micros } = await tx
    .selectFrom('referrer')
    .select('owed_micros')
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return owed_micros
}

export async function setOwed(tx: Transaction<DB>, accountId: bigint, owed: bigint): Promise<void> {
  await tx.updateTable('referrer').set({ owed_micros: owed }).where('account_id', '=', accountId).execute()
}

/** The postings of money for a referral balance, of which the customer's debt is paid first. */
export async function credit(
  tx: Transaction<DB>,
  { accountId, micros, from, owed }: { accountId: bigint; micros: bigint; from: AccountKey; owed: bigint },
): Promise<Posting[]> {
  const after = payDebt(micros, owed)
  if (after.owed !== owed) await setOwed(tx, accountId, after.owed)
  return [
    { account: from, amount: -micros },
    { account: customer.referral(accountId), amount: after.spendable },
    { account: house.referralCost(), amount: micros - after.spendable },
  ]
}
