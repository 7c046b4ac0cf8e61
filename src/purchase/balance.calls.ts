/** The calls of the money balance. */
import type { Kysely } from 'kysely'
import type { Output } from '#contract/contract'
import type { balanceWire } from '#contract/purchase/calls'
import type { Pool } from '#contract/wire'
import { trafficToWire } from '#contract/traffic'
import type { DB } from '#db'
import { callerOf, type HandlersOf } from '#db/call'
import { usdToWire } from '#lib/money'
import { checkReceiptEmail } from '#receipts'
import { shownToPay } from './invoices/history.ts'
import type { Invoice } from './invoices/invoice.ts'
import { createInvoice, type PurchaseDeps } from './purchase.ts'
import { moneyHistory } from './balance/history.ts'
import { moneyOf } from './balance/money.ts'

/** The most changes in one answer. */
const listed = 50

/** The answer of `buy`. */
export async function shownBought(db: Kysely<DB>, invoice: Invoice): Promise<Output<'buy'>> {
  const { micros } = await moneyOf(db, invoice.accountId)
  return {
    invoice: invoice.number,
    short_number: invoice.shortNumber,
    pool: invoice.pool as Pool,
    credited: trafficToWire(invoice.creditedBytes),
    cost_usd: usdToWire(invoice.costMicros),
    balance_usd: usdToWire(micros),
  }
}

/** The calls create_balance_invoice and money_balance. */
export function balanceCalls(deps: PurchaseDeps) {
  return {
    create_balance_invoice: async (input, context) => {
      const { receipt_email: email = null, payment_method: method, amount_usd: usd } = input
      const { number } = await createInvoice(
        context.database,
        deps,
        {
          accountId: callerOf(context).id,
          pool: 'balance',
          micros: BigInt(usd) * 1_000_000n,
          promocode: null,
          language: context.language,
          method,
          receiptEmail: email === null ? null : checkReceiptEmail(email),
          ...(context.operation === undefined ? {} : { number: context.operation }),
        },
        context.now(),
      )
      return shownToPay(deps.methods, context, number)
    },
    money_balance: async ({ after }, context) => {
      const { db } = context.database
      const accountId = callerOf(context).id
      const before = after === undefined ? null : BigInt(after)
      const [money, changes] = await Promise.all([
        moneyOf(db, accountId),
        moneyHistory(db, accountId, { before, limit: listed + 1 }),
      ])
      const page = changes.slice(0, listed)
      return {
        balance_usd: usdToWire(money.micros),
        withheld_usd: usdToWire(money.frozenMicros),
        owed_usd: usdToWire(money.owedMicros),
        history: page.map(({ id, at, kind, micros, invoice }) => ({
          id: String(id),
          at: at.toISOString(),
          kind,
          amount_usd: usdToWire(micros),
          invoice,
        })),
        next: changes.length > listed ? String(page.at(-1)?.id) : null,
      }
    },
  } satisfies Pick<HandlersOf<typeof balanceWire>, 'create_balance_invoice' | 'money_balance'>
}
