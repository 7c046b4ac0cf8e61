/**
 * The request for an invoice, always the same bytes: processors compare repetitions under an idempotency key.
 */
import type { Kysely } from 'kysely'
import { accountById } from '#accounts'
import type { DB } from '#db'
import { describe, type InvoiceToPay, printOrder } from '#payments'
import { preparedContent } from '#receipts'
import type { Invoice } from './invoice.ts'
import type { PurchaseDeps } from './settlement.ts'

/** `orderText`: the signed order as it was printed before; absent: it is printed now. */
export async function toPayOf(
  db: Kysely<DB>,
  { secrets }: Pick<PurchaseDeps, 'secrets'>,
  invoice: Invoice,
  { isRepeat, orderText }: { isRepeat: boolean; orderText?: string },
): Promise<InvoiceToPay> {
  const { number, price, rate, language, expiresAt, createdAt, savesMethod } = invoice
  const lifeSeconds = Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000)
  const order = orderText ?? (await orderTextOf(db, { secrets }, invoice))
  const description = describe(invoice, rate)
  const receipt = await preparedContent(db, number, 'payment')
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
