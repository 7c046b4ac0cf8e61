/** Orders that a balance of the customer pays: debit, traffic and a paid invoice in one transaction. */
import type { Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { bytesPerGb } from '#contract/wire'
import type { Posting } from '#ledger'
import { Refusal } from '#lib/refusal'
import { countUse } from '#promo'
import { ensureAccess } from '#proxies'
import { creditTraffic, openMeter } from '#traffic'
import { needDocument } from './invoices/documents.due.ts'
import {
  asOneOperation,
  findInvoice,
  hasPurchased,
  type Invoice,
  newInvoiceNumber,
  ownInvoice,
  writeInvoice,
} from './invoices/invoice.ts'
import { type Order, quoteOrder } from './invoices/order.ts'
import type { PurchaseDeps } from './settlement.ts'

/** The balance that pays. */
export interface Payer {
  /** The method of its invoices. */
  method: string
  /** Locks the balance and returns the postings that pay from it; refuses when it is short. */
  spend: (
    tx: Transaction<DB>,
    accountId: bigint,
    micros: bigint,
  ) => Promise<{ postings: Posting[]; fromSharesMicros?: bigint }>
  /** Runs in the transaction of the purchase. */
  note?: (tx: Transaction<DB>, invoice: Invoice, now: Date) => Promise<void>
}

/**
 * Buys from a balance. It is not new money, so the inviter earns nothing. Refuses as `Payer.spend` does, and
 * with `promocode_…` (see `holdUse`), `invalid_pool`, `amount_too_small`, `amount_too_large`.
 */
export function payAtOnce(
  database: Database,
  { secrets, noteSale }: Pick<PurchaseDeps, 'secrets' | 'noteSale'>,
  { payer, order }: { payer: Payer; order: Order },
  now: Date,
): Promise<Invoice> {
  return asOneOperation(database.db, order, async () => {
    const { invoice, isNew } = await transaction(database.db, (tx) => pay(tx, secrets, { payer, order }, now))
    const { method, pool, costMicros: micros } = invoice
    if (isNew && !invoice.isTest)
      for (const event of ['created', 'paid'] as const) noteSale({ event, method, pool, micros })
    return invoice
  })
}

async function pay(
  tx: Transaction<DB>,
  secrets: PurchaseDeps['secrets'],
  { payer, order }: { payer: Payer; order: Order },
  now: Date,
): Promise<{ invoice: Invoice; isNew: boolean }> {
  const { accountId, pool, language, gb, number = newInvoiceNumber() } = order
  // Paid by an earlier attempt whose answer was lost.
  const known = order.number === undefined ? null : await ownInvoice(tx, accountId, number)
  if (known !== null) return { invoice: known, isNew: false }
  const { method } = payer
  const { quote, promo } = await quoteOrder(tx, order, { invoice: number, until: now }, now)
  if (promo !== null)
    await countAtOnce(tx, { promocodeId: promo.promocodeId, accountId, invoice: number }, now)
  const access = await ensureAccess(tx, secrets, { accountId, pool })
  await openMeter(tx, { accessId: access.id, accountId, pool })
  const { postings, fromSharesMicros = 0n } = await payer.spend(tx, accountId, quote.costMicros)
  const { id, isTest } = await writeInvoice(
    tx,
    { number, accountId, method, language, quote, promo, expiresAt: now },
    now,
  )
  const bytes = gb * bytesPerGb
  await creditTraffic(tx, {
    accessId: access.id,
    bytes,
    part: 'paid',
    kind: isTest ? 'test_purchase' : 'purchase',
    reference: `${method}:${number}`,
    postings,
  })
  await tx
    .updateTable('invoice')
    .set({
      state: 'paid',
      received_micros: quote.costMicros,
      from_shares_micros: fromSharesMicros,
      credited_bytes: bytes,
      settled_at: now,
    })
    .where('id', '=', id)
    .execute()
  await needDocument(tx, { id, state: 'paid' }, now)
  const invoice = await findInvoice(tx, number)
  if (invoice === null) throw new Error(`invoice ${number} is not there`)
  await payer.note?.(tx, invoice, now)
  return { invoice, isNew: true }
}

/**
 * The use was just held in this transaction, under the code's lock: only another purchase can have made it
 * invalid.
 */
async function countAtOnce(
  tx: Transaction<DB>,
  use: { promocodeId: bigint; accountId: bigint; invoice: string },
  now: Date,
): Promise<void> {
  if (!(await countUse(tx, { ...use, hasPurchased }, now))) throw new Refusal('promocode_first_purchase')
}
