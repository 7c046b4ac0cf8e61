/**
 * Fiscal receipts of sales and refunds: prepared, registered by a processor or by hand. README.md has the
 * rules.
 */
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import type { FiscalReceipt, Price } from '#payments'
import { contentOf, itemName, partReceipt, type ReceiptSettings, saleReceipt, type Sold } from './content.ts'
import { receiptEmailOf, setReceiptEmail } from './email.ts'
import { insertReceipt, startPending } from './rows.ts'

export { longestName, maxNameLength, type ReceiptSettings, type Registrar, type Sold } from './content.ts'
export { noteAdvanceSpent } from './advance.ts'
export { checkReceiptEmail, type ReceiptEmail, receiptEmailOf, setReceiptEmail } from './email.ts'
export { eraseReceipts, receiptObstacles, receiptParts } from './export.and.erase.ts'
export { registerReceipts } from './register.ts'
export { noteRefundSent, noteReturned, noteReturnUndone } from './returned.ts'
export {
  listReceipts,
  markRegistered,
  type NeedyReceipt,
  needyReceipts,
  type ListedReceipt,
  type ReceiptFilter,
  type ReceiptKind,
  receiptById,
  receiptsOf,
  registrationOf,
  type ReceiptState,
} from './list.ts'

/** The only processor that registers receipts. */
const fiscalMethod = 'yookassa'

/** Whether an order by this method needs an e-mail for its receipt. */
export const needsReceiptEmail = (settings: ReceiptSettings | null, method: string): boolean =>
  settings !== null && settings.registrar !== 'manual' && method === fiscalMethod

/**
 * Prepares the receipt that is sent to the processor with an order, in the transaction that creates the
 * invoice. A given e-mail is stored for later receipts. Refuses with `invalid_receipt_email`, and with
 * `receipt_email_required` when the method registers receipts and there is no address for them.
 */
export async function prepareReceipt(
  tx: Transaction<DB>,
  settings: ReceiptSettings | null,
  sold: Sold & { receiptEmail: string | null },
  now: Date,
): Promise<void> {
  if (sold.receiptEmail !== null) await setReceiptEmail(tx, sold.accountId, sold.receiptEmail, now)
  if (settings === null || !needsReceiptEmail(settings, sold.method)) return
  const { email } = await receiptEmailOf(tx, sold.accountId)
  if (email === null) throw new Refusal('receipt_email_required', { field: 'receipt_email' })
  await insertReceipt(tx, sold, {
    kind: 'payment',
    registrar: settings.registrar,
    description: itemName(settings.itemName, sold, true),
    state: 'prepared',
    price: sold.price,
    content: saleReceipt(sold, settings, email),
    created_at: now,
  })
}

/**
 * The receipt sent to the processor with an invoice's payment, or with the partial refund of this name; null:
 * none.
 */
export async function preparedContent(
  db: Kysely<DB>,
  invoiceNumber: string,
  of: 'payment' | { refund: string },
): Promise<FiscalReceipt | null> {
  const row = await db
    .selectFrom('receipt')
    .select('content')
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', of === 'payment' ? of : 'refund')
    .where('payment_id', '=', of === 'payment' ? '' : of.refund)
    .where('registrar', '<>', 'manual')
    .executeTakeFirst()
  return row === undefined ? null : contentOf(row)
}

/**
 * Records that the processor accepts the payment of an invoice without its receipt: once the money arrives,
 * staff register the receipt by hand.
 */
export async function registerByHand(tx: Transaction<DB>, invoiceNumber: string): Promise<void> {
  await tx
    .deleteFrom('receipt')
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', 'payment')
    .where('state', '=', 'prepared')
    .execute()
}

/** A settled payment. */
export interface Received {
  /** The processor's id of the payment, which makes settlement idempotent. */
  paymentId: string
  /** The processor's id of its invoice. */
  objectId: string
  /** The received amount, in the currency of the price. */
  received: Price
  isTest: boolean
  /** The processor did not accept the receipt with the payment. */
  isByHand: boolean
}

/**
 * Records, in the transaction of a payment, the receipt to be registered. The money is credited even if the
 * receipt fails.
 */
export async function noteReceived(
  tx: Transaction<DB>,
  settings: ReceiptSettings | null,
  sold: Sold & Received,
  now: Date,
): Promise<void> {
  const { invoiceNumber, objectId } = sold
  const prepared = await startPending(tx, { invoiceNumber, kind: 'payment', of: '', objectId }, now)
  if (prepared !== null) {
    const { content, registrar, description } = prepared
    // What an advance buys later is closed with each purchase.
    if (sold.pool === 'balance' || content?.items[0]?.payment_mode !== 'full_prepayment') return
    const closingDays = settings?.closingDays ?? 0
    await insertReceipt(tx, sold, {
      kind: 'closing',
      registrar,
      description,
      state: 'due',
      price: sold.price,
      content: partReceipt(content, sold.price, 'full_payment'),
      object_id: sold.objectId,
      due_at: new Date(now.getTime() + closingDays * 86_400_000),
      created_at: now,
    })
    return
  }
  if (settings === null) return
  const isByHand = sold.isByHand || (settings.byHand?.has(sold.method) ?? false)
  if (settings.registrar === 'manual' || isByHand) {
    // A test purchase is not income; orders paid from the referral balance do not reach this function.
    if (sold.isTest || sold.received.micros === 0n) return
    await insertReceipt(tx, sold, {
      kind: 'payment',
      registrar: 'manual',
      description: itemName(settings.itemName, sold, true),
      state: 'due',
      price: sold.received,
      payment_id: sold.paymentId,
      created_at: now,
    })
    return
  }
  if (sold.method !== fiscalMethod) return
  // Ordered before receipts were enabled, or recovered after a restore: the processor is asked whether there
  // is one.
  const { email } = await receiptEmailOf(tx, sold.accountId)
  await insertReceipt(tx, sold, {
    kind: 'payment',
    registrar: settings.registrar,
    description: itemName(settings.itemName, sold, true),
    state: 'pending',
    price: sold.price,
    content: email === null ? null : saleReceipt(sold, settings, email),
    object_id: sold.objectId,
    pending_since: now,
    created_at: now,
  })
}
