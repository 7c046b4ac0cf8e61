import { amountOf } from '#catalog'
import type { Parsed } from '#contract/contract'
import type { balanceWire, purchaseWire } from '#contract/purchase/calls'
import { callerOf, type Context, type HandlersOf } from '#db/call'
import { slowGuesses } from '#promo'
import { usdToWire } from '#lib/money'
import { closedNote } from '#payments'
import { checkReceiptEmail } from '#receipts'
import { balanceCalls, shownBought } from './balance.calls.ts'
import { historyCalls } from './invoices/history.ts'

export { purchaseJsonAnswers } from './invoices/history.ts'
import {
  createInvoice,
  type Order,
  payFromBalance,
  payFromReferral,
  type PurchaseDeps,
  type Saving,
} from './purchase.ts'

/**
 * Checks what the payer agrees to when the payment method shall be saved; refuses when that is not possible.
 */
export type AgreeToSave = (context: Context, wish: { method: string; consent: string }) => Saving

/** The calls of buying, of the money balance, and of invoices. */
export function purchaseCalls(deps: PurchaseDeps & { agreeToSave: AgreeToSave }) {
  return {
    payment_systems: async (_input, { database, language, now }) =>
      (await deps.methods.offered(database.db, now())).map(({ method, isClosed, leastUsdMicros }) => ({
        name: method.name,
        title: null,
        description: method.description[language],
        ...(isClosed ? { unavailable: closedNote(method.currency, language) } : {}),
        ...(leastUsdMicros === null ? {} : { least_usd: usdToWire(leastUsdMicros) }),
      })),
    create_invoice_web: async (input, context) => {
      const { receipt_email: given = null } = input
      const receiptEmail = given === null ? null : checkReceiptEmail(given)
      const { payment_method: method, save_consent: consent = null } = input
      const saving = consent === null ? {} : { saving: deps.agreeToSave(context, { method, consent }) }
      const order = { ...orderOf(input, context), method, receiptEmail, ...saving }
      const { number, paymentUrl } = await place(context, order, () =>
        createInvoice(context.database, deps, order, context.now()),
      )
      context.setHeader('x-invoice-id', number)
      return paymentUrl
    },
    referral_payment: async (input, context) => {
      const order = orderOf(input, context)
      await place(context, order, () => payFromReferral(context.database, deps, order, context.now()))
      return { ok: true }
    },
    buy: async (input, context) => {
      const order = orderOf(input, context)
      const invoice = await place(context, order, () =>
        payFromBalance(context.database, deps, order, context.now()),
      )
      return shownBought(context.database.db, invoice)
    },
    ...balanceCalls(deps),
    ...historyCalls(deps.methods),
  } satisfies HandlersOf<typeof purchaseWire & typeof balanceWire>
}

function orderOf(input: Parsed<'referral_payment'>, context: Context): Order {
  const promocode = input.promocode?.trim() ?? ''
  return {
    accountId: callerOf(context).id,
    pool: input.pool,
    gb: amountOf(input.amount),
    promocode: promocode === '' ? null : promocode,
    language: context.language,
    ...(context.operation === undefined ? {} : { number: context.operation }),
  }
}

/** An order with a promo code may be an attempt to guess one. */
function place<T>(context: Context, { promocode }: Order, work: () => Promise<T>): Promise<T> {
  return promocode === null ? work() : slowGuesses(context, work)
}
