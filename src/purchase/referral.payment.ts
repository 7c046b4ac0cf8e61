/** Paying from the referral balance. */
import { sql, type Transaction } from 'kysely'
import type { Database, DB } from '#db'
import { least, most } from '#lib/bigint'
import { sharesEarned, sharesTakenOut, spendShares } from '#referral'
import { paidMicros } from './lots/purchase.lots.ts'
import type { Order } from './invoices/order.ts'
import { payAtOnce, type Payer } from './paid.at.once.ts'
import type { PurchaseDeps } from './settlement.ts'

const method = 'referral'

/**
 * Buys from the customer's own referral balance. Returns the invoice's number. Refuses as `payAtOnce`, and
 * with `insufficient_referral_balance`.
 */
export async function payFromReferral(
  database: Database,
  deps: Pick<PurchaseDeps, 'secrets' | 'noteSale'>,
  order: Order,
  now: Date,
): Promise<string> {
  const { number } = await payAtOnce(database, deps, { payer, order }, now)
  return number
}

const payer: Payer = {
  method,
  spend: async (tx, accountId, micros) => {
    const postings = await spendShares(tx, accountId, micros)
    // Under the lock of the balance, which spending takes.
    const shares =
      (await sharesEarned(tx, accountId)) -
      (await sharesTakenOut(tx, accountId)) -
      (await sharesSpent(tx, accountId))
    return { postings, fromSharesMicros: least(micros, most(0n, shares)) }
  },
}

/** The part of a customer's orders that was paid from shares, less refunds. */
async function sharesSpent(tx: Transaction<DB>, accountId: bigint): Promise<bigint> {
  const { rows } = await sql<{ micros: bigint }>`
    select coalesce(sum(${paidMicros}), 0)::bigint as micros from invoice i
    where i.account_id = ${accountId} and i.method = ${method} and i.settled_at is not null`.execute(tx)
  return rows[0]?.micros ?? 0n
}
