/** Buying from the money balance. */
import type { Database } from '#db'
import { house } from '#ledger'
import type { Invoice } from '../invoice.ts'
import type { Order } from '../order.ts'
import { payAtOnce, type Payer } from '../paid.at.once.ts'
import type { PurchaseDeps } from '../settlement.ts'
import { spendMoney } from './money.ts'

/**
 * Buys traffic from the customer's money balance and returns the paid invoice. Refuses as `payAtOnce`, and
 * with `insufficient_balance`, which says how much is missing.
 */
export function payFromBalance(
  database: Database,
  deps: Pick<PurchaseDeps, 'secrets' | 'noteSale'>,
  order: Order,
  now: Date,
): Promise<Invoice> {
  return payAtOnce(database, deps, { payer, order }, now)
}

const payer: Payer = {
  method: 'balance',
  spend: async (tx, accountId, micros) => ({
    postings: await spendMoney(tx, { accountId, micros, to: house.sales() }),
  }),
}
