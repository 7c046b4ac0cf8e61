/** The desk's calls about fiscal receipts. */
import type { DeskOutput } from '#contract/desk/contract'
import { transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { usdText } from '#lib/money'
import { findInvoice } from '#purchase'
import {
  type ListedReceipt,
  listReceipts,
  markRegistered,
  type NeedyReceipt,
  receiptById,
  registrationOf,
} from '#receipts'
import { record } from '#staff'
import { authorOf, type DeskHandlers } from '#staff/call'
import { ownersOf } from './lists/owners.ts'
import { endOf, idAfter, iso, pageOf, timeOf } from './lists/page.ts'

type Row = DeskOutput<'receipts'>['rows'][number]

/** A receipt as a row of a list; a receipt in state `prepared` is in no list. */
export function shownReceipt(receipt: NeedyReceipt, customerName: string | null): Row {
  const { state } = receipt
  if (state === 'prepared') throw new Error(`receipt ${receipt.id} goes with a payment that was not made`)
  return {
    at: receipt.createdAt.toISOString(),
    kind: receipt.kind,
    amount: usdText(receipt.price.micros, 2),
    currency: receipt.price.currency,
    description: receipt.description,
    customer_name: customerName,
    invoice_number: receipt.invoiceNumber,
    customer_id: String(receipt.accountId),
    id: String(receipt.id),
    method: receipt.method,
    registrar: receipt.registrar,
    state,
    need: receipt.need,
    ...registrationOf(receipt),
    fault: receipt.fault,
    due_at: iso(receipt.dueAt),
    registered_at: iso(receipt.registeredAt),
  }
}

/** What the trail keeps of a receipt that staff register. */
const recorded = ({ state, markedAs, link }: ListedReceipt) => ({ state, number: markedAs, link })

export const receiptCalls = {
  receipts: async ({ after, limit = 50, from, until, invoice, ...asked }, { database, zone, now }) => {
    const { db } = database
    const filter = { ...asked, invoiceNumber: invoice, from: timeOf(from, zone), until: endOf(until, zone) }
    const page = { before: idAfter(after), limit: limit + 1 }
    const rows = await listReceipts(db, filter, page, now())
    const owners = await ownersOf(
      db,
      rows.map(({ accountId }) => accountId),
    )
    return pageOf(rows, limit, {
      next: (last) => String(last.id),
      shown: (receipt) => shownReceipt(receipt, owners.get(receipt.accountId)?.username ?? null),
    })
  },
  register_receipt: async ({ id, number, link = null, reason = null }, context) => {
    const { database, now } = context
    const known = await receiptById(database.db, BigInt(id))
    if (known === null) throw new Refusal('receipt_not_found')
    const invoice = await findInvoice(database.db, known.invoiceNumber)
    await transaction(database.db, async (tx) => {
      const { before, after } = await markRegistered(tx, known.id, { number, link }, now())
      await record(
        tx,
        authorOf(context),
        {
          action: 'register_receipt',
          subject: { kind: 'invoice', id: known.invoiceNumber },
          accountId: known.accountId,
          before: recorded(before),
          after: { receipt: known.id, ...recorded(after) },
          reason,
          stake: { micros: invoice?.receivedMicros ?? 0n },
        },
        now(),
      )
    })
    return true
  },
} satisfies Partial<DeskHandlers>
