/** Buying from the money balance. */
import type { Database } from '#db'
import { house } from '#ledger'
import { type Invoice, soldOf } from './invoices/invoice.ts'
import type { Order } from './invoices/order.ts'
import { noteAdvanceSpent, type ReceiptSettings } from '#receipts'
import { payAtOnce, type Payer } from './paid.at.once.ts'
import type { PurchaseDeps } from './settlement.ts'
import { spendMoney } from './balance/money.ts'

/**
 * Buys traffic from the customer's money balance and returns the paid invoice. Refuses as `payAtOnce`, and
 * with `insufficient_balance`, which says how much is missing.
 */
export function payFromBalance(
  database: Database,
  deps: Pick<PurchaseDeps, 'secrets' | 'noteSale' | 'receipts'>,
  order: Order,
  now: Date,
): Promise<Invoice> {
  return payAtOnce(database, deps, { payer: payerOf(deps.receipts), order }, now)
}

const payerOf = (receipts: ReceiptSettings | null): Payer => ({
  method: 'balance',
  spend: async (tx, accountId, micros) => ({
    postings: await spendMoney(tx, { accountId, micros, to: house.sales() }),
  }),
  note: (tx, invoice, now) =>
    invoice.isTest
      ? Promise.resolve()
      : noteAdvanceSpent(tx, receipts, { ...soldOf(invoice), costMicros: invoice.costMicros }, now),
})
