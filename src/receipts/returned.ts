/** Receipts of returned money. */
import type { Transaction } from 'kysely'
import type { ReceiptFault } from '#contract/desk/choices'
import { downToCent } from '#contract/price'
import type { DB } from '#db'
import type { Price } from '#payments'
import { contentOf, partReceipt, type Registrar } from './content.ts'
import { insertReceipt, type Row, soldOf, startPending } from './rows.ts'

/** A refund of an invoice. */
export interface Returned {
  invoiceNumber: string
  returned: Price
  /**
   * Whether the whole payment is refunded: the processor then uses the positions of the payment's receipt.
   */
  isWhole: boolean
  /**
   * `asked`: the processor is asked to send the money. `made`: it has sent it without a request by the shop.
   * `hand`: staff have sent it.
   */
  by: 'asked' | 'made' | 'hand'
  /** Our name of the refund, or the processor's id of one that it made. */
  of: string
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
  if (sale === undefined) return returnToAdvance(tx, rows, refund, now)
  if (sale.registrar === 'manual') return returnByHand(tx, rows, refund, now)
  const closing = rows.find(({ kind }) => kind === 'closing')
  if (closing?.state === 'due') {
    const left = closing.amount_micros - refund.returned.micros
    await keepOnly(tx, closing, left > 0n ? left : 0n)
  }
  if (refund.by === 'made') {
    // The processor registers this receipt itself: it got the positions with the refund.
    const registrar = sale.registrar as Registrar
    await insertReceipt(tx, soldOf(sale), {
      kind: 'refund',
      registrar,
      description: sale.description,
      state: 'pending',
      price: refund.returned,
      payment_id: refund.of,
      object_id: refund.of,
      pending_since: now,
      created_at: now,
    })
    return
  }
  const content = contentOf(sale)
  const isClosed = closing !== undefined && closing.state !== 'due'
  const mode = isClosed ? 'full_payment' : (content?.items[0]?.payment_mode ?? 'full_payment')
  await insertReceipt(tx, soldOf(sale), {
    kind: 'refund',
    registrar: sale.registrar as Registrar,
    description: sale.description,
    state: refund.by === 'asked' ? 'prepared' : 'failed',
    price: refund.returned,
    payment_id: refund.of,
    content: refund.isWhole || content === null ? null : partReceipt(content, refund.returned, mode),
    ...(refund.by === 'asked' ? {} : { fault: 'returned_by_hand' satisfies ReceiptFault }),
    created_at: now,
  })
}

/**
 * A purchase that an advance paid was refunded to the balance, as a whole or in part: its receipt is reduced
 * while it is not sent; a sent one is left to the operator, who corrects it at the till. The refund takes its
 * part of what earlier refunds left of the receipt, and the last one all of it, so that they add up to it.
 */
async function returnToAdvance(
  tx: Transaction<DB>,
  rows: readonly Row[],
  { returned, invoiceNumber, of }: Returned,
  now: Date,
): Promise<void> {
  const closing = rows.find(({ kind }) => kind === 'closing')
  if (closing === undefined) return
  // With this refund.
  const { cost_micros: cost, refunded_micros: refunded } = await tx
    .selectFrom('invoice')
    .select(['cost_micros', 'refunded_micros'])
    .where('number', '=', invoiceNumber)
    .executeTakeFirstOrThrow()
  const open = rows
    .filter(({ kind, state }) => kind === 'refund' && state !== 'void')
    .reduce((left, row) => left - row.amount_micros, closing.amount_micros)
  const kept = cost - refunded
  const micros = kept <= 0n ? open : downToCent((open * returned.micros) / (kept + returned.micros))
  if (micros <= 0n) return
  if (closing.state === 'due') return keepOnly(tx, closing, closing.amount_micros - micros)
  await insertReceipt(tx, soldOf(closing), {
    kind: 'refund',
    registrar: closing.registrar as Registrar,
    description: closing.description,
    state: 'failed',
    fault: 'returned_by_hand' satisfies ReceiptFault,
    price: { currency: closing.currency, micros },
    payment_id: of,
    created_at: now,
  })
}

async function returnByHand(
  tx: Transaction<DB>,
  rows: readonly Row[],
  { returned, of }: Returned,
  now: Date,
): Promise<void> {
  let left = returned.micros
  for (const row of rows) {
    if (row.kind !== 'payment' || row.state !== 'due' || left === 0n) continue
    const taken = row.amount_micros < left ? row.amount_micros : left
    await keepOnly(tx, row, row.amount_micros - taken)
    left -= taken
  }
  const [sale] = rows
  if (left === 0n || sale === undefined) return
  await insertReceipt(tx, soldOf(sale), {
    kind: 'refund',
    registrar: 'manual',
    description: sale.description,
    state: 'due',
    price: { ...returned, micros: left },
    payment_id: of,
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

/** Records that the processor has accepted the refund of this name, with its receipt. */
export async function noteRefundSent(
  tx: Transaction<DB>,
  { invoiceNumber, of, reference }: { invoiceNumber: string; of: string; reference: string },
  now: Date,
): Promise<void> {
  await startPending(tx, { invoiceNumber, kind: 'refund', of, objectId: reference }, now)
}

/**
 * Records that the money of a refund was not returned: its unregistered receipt is no longer due, and the
 * sale's receipts that it had reduced are restored.
 */
export async function noteReturnUndone(
  tx: Transaction<DB>,
  { invoiceNumber, of, returned }: Pick<Returned, 'invoiceNumber' | 'of' | 'returned'>,
  now: Date,
): Promise<void> {
  const rows = await tx
    .selectFrom('receipt')
    .selectAll()
    .where('invoice_number', '=', invoiceNumber)
    .orderBy('id', 'desc')
    .forUpdate()
    .execute()
  const sale = rows.find(({ kind }) => kind === 'payment')
  if (sale === undefined) return
  const undone = rows.find(({ kind, payment_id: id }) => kind === 'refund' && id === of)
  const isRegistered = undone?.state === 'registered'
  if (undone !== undefined && !isRegistered)
    await tx
      .updateTable('receipt')
      .set({ state: 'void', amount_micros: 0n })
      .where('id', '=', undone.id)
      .execute()
  if (sale.registrar !== 'manual') return closeAll(tx, { rows, sale, undone })
  const micros = returned.micros - (isRegistered ? 0n : (undone?.amount_micros ?? 0n))
  if (micros <= 0n) return
  await insertReceipt(tx, soldOf(sale), {
    kind: 'payment',
    registrar: 'manual',
    description: sale.description,
    state: 'due',
    price: { ...returned, micros },
    payment_id: `${of}:undone`,
    created_at: now,
  })
}

/** An unsent closing receipt covers everything that was not returned. */
async function closeAll(
  tx: Transaction<DB>,
  { rows, sale, undone }: { rows: readonly Row[]; sale: Row; undone: Row | undefined },
): Promise<void> {
  const closing = rows.find(({ kind, state }) => kind === 'closing' && (state === 'due' || state === 'void'))
  const content = contentOf(sale)
  if (closing === undefined || content === null) return
  const micros = rows
    .filter(({ kind, id }) => kind === 'refund' && id !== undone?.id)
    .reduce((left, row) => left - row.amount_micros, sale.amount_micros)
  if (micros <= closing.amount_micros) return
  const receipt = partReceipt(content, { currency: sale.currency, micros }, 'full_payment')
  await tx
    .updateTable('receipt')
    .set({ state: 'due', amount_micros: micros, content: JSON.stringify(receipt) })
    .where('id', '=', closing.id)
    .execute()
}
