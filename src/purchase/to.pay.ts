/**
 * The request for an invoice, always the same bytes: processors compare repetitions under an idempotency key.
 */
import type { Kysely } from 'kysely'
import { accountById } from '#accounts'
import { type Database, type DB, transaction } from '#db'
import {
  describe,
  type InvoiceToPay,
  makeAtProcessor,
  noteWishes,
  type PaymentMethod,
  printOrder,
} from '#payments'
import { preparedContent, registerByHand } from '#receipts'
import { type Invoice, notePaymentPage } from './invoices/invoice.ts'
import type { PurchaseDeps } from './settlement.ts'

/**
 * `orderText`: the signed order as it was printed before; absent: it is printed now. `hasReceipt` false: no
 * receipt was prepared.
 */
export async function toPayOf(
  db: Kysely<DB>,
  { secrets }: Pick<PurchaseDeps, 'secrets'>,
  invoice: Invoice,
  { isRepeat, hasReceipt = true, orderText }: { isRepeat: boolean; hasReceipt?: boolean; orderText?: string },
): Promise<InvoiceToPay> {
  const { number, price, rate, language, expiresAt, createdAt, savesMethod, without } = invoice
  const lifeSeconds = Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000)
  const order = orderText ?? (await orderTextOf(db, { secrets }, invoice))
  const description = describe(invoice, rate)
  const isSent = hasReceipt && !without.includes('receipt')
  const receipt = isSent ? await preparedContent(db, number, 'payment') : null
  return {
    number,
    price,
    description,
    language,
    expiresAt,
    lifeSeconds,
    order,
    isRepeat,
    receipt,
    savesMethod,
    without,
  }
}

/** What was ordered, signed, for the processor to keep. */
export async function orderTextOf(
  db: Kysely<DB>,
  { secrets }: Pick<PurchaseDeps, 'secrets'>,
  invoice: Invoice,
): Promise<string> {
  const { number, price, rate } = invoice
  const account = await accountById(db, invoice.accountId)
  if (account === null) throw new Error(`invoice ${number} has no account`)
  return printOrder(secrets, { ...invoice, invoice: number, account, priced: { price, rate } })
}

/**
 * Makes the payment page of an invoice, without the optional wishes that the processor refuses; a repetition
 * leads to the same page. Throws `ProcessorFault`.
 */
export async function makePaymentPage(
  { db }: Pick<Database, 'db'>,
  { method, invoice, toPay }: { method: PaymentMethod; invoice: Invoice; toPay: InvoiceToPay },
  now: Date,
): Promise<string> {
  const made = await makeAtProcessor(method, toPay)
  // There is nothing else to note.
  if ((method.wishes ?? []).length + made.refused.length === 0) return notePaymentPage(db, invoice.id, made)
  return transaction(db, async (tx) => {
    await noteWishes(tx, { method, invoice: toPay, made }, now)
    if (made.refused.length > 0)
      await tx
        .updateTable('invoice')
        .set({
          without: [...invoice.without, ...made.refused],
          saves_method: invoice.savesMethod && !made.refused.includes('save_method'),
        })
        .where('id', '=', invoice.id)
        .execute()
    if (made.refused.includes('receipt')) await registerByHand(tx, invoice.number)
    return notePaymentPage(tx, invoice.id, made)
  })
}
