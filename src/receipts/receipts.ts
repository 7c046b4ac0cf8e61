/**
 * Fiscal receipts of sales and refunds: prepared, registered by a processor or by hand. README.md has the
 * rules.
 */
import type { ReceiptFault } from '#contract/desk/choices'
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import type { FiscalReceipt, Price } from '#payments'
import {
  contentOf,
  type Goods,
  itemName,
  partReceipt,
  type ReceiptSettings,
  type Registrar,
  saleReceipt,
} from './content.ts'
import { receiptEmailOf, setReceiptEmail } from './email.ts'
import type { ReceiptKind } from './list.ts'

export { longestName, maxNameLength, type ReceiptSettings, type Registrar } from './content.ts'
export { checkReceiptEmail, type ReceiptEmail, receiptEmailOf, setReceiptEmail } from './email.ts'
export { eraseReceipts, receiptObstacles, receiptParts } from './export.and.erase.ts'
export { registerReceipts } from './register.ts'
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

/** The facts of a sale that receipts need. */
export interface Sold extends Goods {
  invoiceNumber: string
  accountId: bigint
  method: string
}

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
  await insert(tx, sold, {
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
 * The receipt sent to the processor with an invoice's payment or partial refund; null: none.
 */
export async function preparedContent(
  db: Kysely<DB>,
  invoiceNumber: string,
  kind: 'payment' | 'refund',
): Promise<FiscalReceipt | null> {
  const row = await db
    .selectFrom('receipt')
    .select('content')
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', kind)
    .where('registrar', '<>', 'manual')
    .executeTakeFirst()
  return row === undefined ? null : contentOf(row)
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
  const prepared = await startPending(tx, sold.invoiceNumber, 'payment', sold.objectId, now)
  if (prepared !== null) {
    const { content, registrar, description } = prepared
    if (content?.items[0]?.payment_mode !== 'full_prepayment') return
    const closingDays = settings?.closingDays ?? 0
    await insert(tx, sold, {
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
  if (settings.registrar === 'manual') {
    // A test purchase is not income; orders paid from the referral balance do not reach this function.
    if (sold.isTest || sold.received.micros === 0n) return
    await insert(tx, sold, {
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
  await insert(tx, sold, {
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

/** Records that the processor received the prepared receipt. Null: none was prepared. */
async function startPending(
  tx: Transaction<DB>,
  invoiceNumber: string,
  kind: 'payment' | 'refund',
  objectId: string,
  now: Date,
): Promise<{ content: FiscalReceipt | null; registrar: Registrar; description: string } | null> {
  const row = await tx
    .updateTable('receipt')
    .set({ state: 'pending', object_id: objectId, pending_since: now })
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', kind)
    .where('state', '=', 'prepared')
    .returning(['content', 'registrar', 'description'])
    .executeTakeFirst()
  if (row === undefined) return null
  return { content: contentOf(row), registrar: row.registrar as Registrar, description: row.description }
}

/** A refund of an invoice. */
export interface Returned {
  invoiceNumber: string
  returned: Price
  /**
   * Whether the whole payment is refunded: the processor then uses the positions of the payment's receipt.
   */
  isWhole: boolean
  /** Whether the processor sends the money; otherwise the operator returns it. */
  byProcessor: boolean
  /** The processor's id of a refund that it made without a request by the shop. */
  madeId?: string
}

/**
 * Records, in the transaction of a refund, the receipt to be registered. Unregistered receipts are reduced to
 * the amount that the shop keeps: a due closing receipt, and sales to be registered by hand.
 */
export async function noteReturned(tx: Transaction<DB>, refund: Returned, now: Date): Promise<void> {
  if (refund.returned.micros === 0n) return
  const rows = await tx
    .selectFrom('receipt')
    .selectAll()
    .where('invoice_number', '=', refund.invoiceNumber)
    .orderBy('id', 'desc')
    .forUpdate()
    .execute()
  const sale = rows.find(({ kind }) => kind === 'payment')
  if (sale === undefined) return
  if (sale.registrar === 'manual') return returnByHand(tx, rows, refund, now)
  const closing = rows.find(({ kind }) => kind === 'closing')
  if (closing?.state === 'due') {
    const left = closing.amount_micros - refund.returned.micros
    await keepOnly(tx, closing, left > 0n ? left : 0n)
  }
  if (refund.madeId !== undefined) {
    // The processor registers this receipt itself: it got the positions with the refund.
    const { madeId } = refund
    const registrar = sale.registrar as Registrar
    await insert(tx, soldOf(sale), {
      kind: 'refund',
      registrar,
      description: sale.description,
      state: 'pending',
      price: refund.returned,
      payment_id: madeId,
      object_id: madeId,
      pending_since: now,
      created_at: now,
    })
    return
  }
  const content = contentOf(sale)
  const isClosed = closing !== undefined && closing.state !== 'due'
  const mode = isClosed ? 'full_payment' : (content?.items[0]?.payment_mode ?? 'full_payment')
  await insert(tx, soldOf(sale), {
    kind: 'refund',
    registrar: sale.registrar as Registrar,
    description: sale.description,
    state: refund.byProcessor ? 'prepared' : 'failed',
    price: refund.returned,
    content: refund.isWhole || content === null ? null : partReceipt(content, refund.returned, mode),
    ...(refund.byProcessor ? {} : { fault: 'returned_by_hand' satisfies ReceiptFault }),
    created_at: now,
  })
}

type Row = Selectable<DB['receipt']>

async function returnByHand(
  tx: Transaction<DB>,
  rows: readonly Row[],
  { returned, madeId = '' }: Returned,
  now: Date,
): Promise<void> {
  let left = returned.micros
  for (const row of rows) {
    if (row.state !== 'due' || left === 0n) continue
    const taken = row.amount_micros < left ? row.amount_micros : left
    await keepOnly(tx, row, row.amount_micros - taken)
    left -= taken
  }
  const [sale] = rows
  if (left === 0n || sale === undefined) return
  await insert(tx, soldOf(sale), {
    kind: 'refund',
    registrar: 'manual',
    description: sale.description,
    state: 'due',
    price: { ...returned, micros: left },
    payment_id: madeId,
    created_at: now,
  })
}

/** Reduces unregistered receipts. */
async function keepOnly(tx: Transaction<DB>, row: Row, micros: bigint): Promise<void> {
  const content = contentOf(row)
  const price = { currency: row.currency, micros }
  await tx
    .updateTable('receipt')
    .set({
      amount_micros: micros,
      ...(micros === 0n ? { state: 'void' } : {}),
      ...(micros === 0n || content === null
        ? {}
        : { content: JSON.stringify(partReceipt(content, price, 'full_payment')) }),
    })
    .where('id', '=', row.id)
    .execute()
}

/**
 * Records whether the processor accepted the refund; if not, the operator has to register its receipt too.
 */
export async function noteRefundSent(
  tx: Transaction<DB>,
  invoiceNumber: string,
  outcome: { reference: string } | { fault: string },
  now: Date,
): Promise<void> {
  if ('reference' in outcome) {
    await startPending(tx, invoiceNumber, 'refund', outcome.reference, now)
    return
  }
  await tx
    .updateTable('receipt')
    .set({ state: 'failed', fault: outcome.fault })
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', 'refund')
    .where('state', '=', 'prepared')
    .execute()
}

/**
 * Records that the money of a processor's refund came back: its unregistered receipt is no longer due.
 */
export async function noteMadeRefundFailed(
  tx: Transaction<DB>,
  { invoiceNumber, madeId }: { invoiceNumber: string; madeId: string },
): Promise<void> {
  await tx
    .updateTable('receipt')
    .set({ state: 'void', amount_micros: 0n })
    .where('invoice_number', '=', invoiceNumber)
    .where('kind', '=', 'refund')
    .where('payment_id', '=', madeId)
    .where('state', 'in', ['due', 'pending', 'failed'])
    .execute()
}

interface Added {
  kind: ReceiptKind
  registrar: Registrar
  description: string
  state: 'prepared' | 'due' | 'pending' | 'failed'
  price: Price
  content?: FiscalReceipt | null
  object_id?: string
  payment_id?: string
  due_at?: Date
  pending_since?: Date
  fault?: string
  created_at: Date
}

const soldOf = ({ invoice_number: invoiceNumber, account_id: accountId, method }: Row) => ({
  invoiceNumber,
  accountId,
  method,
})

async function insert(
  tx: Transaction<DB>,
  { invoiceNumber, accountId, method }: Pick<Sold, 'invoiceNumber' | 'accountId' | 'method'>,
  { price, content = null, ...added }: Added,
): Promise<void> {
  await tx
    .insertInto('receipt')
    .values({
      ...added,
      invoice_number: invoiceNumber,
      account_id: accountId,
      method,
      currency: price.currency,
      amount_micros: price.micros,
      content: content === null ? null : JSON.stringify(content),
    })
    // A recorded payment or refund must not fail because of its receipt.
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
