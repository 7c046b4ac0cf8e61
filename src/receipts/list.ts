/** Receipts as staff and customers see them, and those that staff register by hand. */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { receiptKinds, receiptNeeds, receiptStates } from '#contract/desk/choices'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import type { Price } from '#payments'
import { contentOf, type Registrar } from './content.ts'

export type ReceiptKind = (typeof receiptKinds)[number]
/** `prepared`: it belongs to a payment or refund that was not made yet. */
export type ReceiptState = 'prepared' | (typeof receiptStates)[number]
type Need = (typeof receiptNeeds)[number]

export interface ListedReceipt {
  id: bigint
  invoiceNumber: string
  accountId: bigint
  method: string
  kind: ReceiptKind
  registrar: Registrar
  state: ReceiptState
  price: Price
  /** What was sold. */
  description: string
  /** The address to which the processor sends it; null: it sends none. */
  email: string | null
  /** Numbers of the tax service: ФД, ФН, ФП. */
  documentNumber: string | null
  storageNumber: string | null
  attribute: string | null
  /** The number entered by staff. */
  markedAs: string | null
  link: string | null
  fault: string | null
  createdAt: Date
  /** When a closing receipt is to be sent. */
  dueAt: Date | null
  pendingSince: Date | null
  registeredAt: Date | null
}

/** The recipient and identifiers of a receipt, in the form of the contract. */
export const registrationOf = (receipt: ListedReceipt) => ({
  email: receipt.email,
  fiscal_document_number: receipt.documentNumber,
  fiscal_storage_number: receipt.storageNumber,
  fiscal_attribute: receipt.attribute,
  number: receipt.markedAs,
  link: receipt.link,
})

function listed(row: Selectable<DB['receipt']>): ListedReceipt {
  return {
    id: row.id,
    invoiceNumber: row.invoice_number,
    accountId: row.account_id,
    method: row.method,
    kind: row.kind as ReceiptKind,
    registrar: row.registrar as Registrar,
    state: row.state as ReceiptState,
    price: { currency: row.currency, micros: row.amount_micros },
    description: row.description,
    // An erasure removes the customer.
    email: contentOf(row)?.customer?.email ?? null,
    documentNumber: row.fiscal_document_number,
    storageNumber: row.fiscal_storage_number,
    attribute: row.fiscal_attribute,
    markedAs: row.marked_as,
    link: row.link,
    fault: row.fault,
    createdAt: row.created_at,
    dueAt: row.due_at,
    pendingSince: row.pending_since,
    registeredAt: row.registered_at,
  }
}

/**
 * After this many days YooKassa's support has to help, or the receipt has to be registered by other means.
 */
const overdueDays = 3
const dayMs = 86_400_000

const isByHand = sql<boolean>`(state = 'due' and registrar = 'manual')`
const isTroubled = (now: Date) => {
  const since = new Date(now.getTime() - overdueDays * dayMs)
  return sql<boolean>`(state = 'failed' or state = 'pending' and pending_since < ${since}
    or state = 'due' and kind = 'closing' and due_at < ${since})`
}
const needOf = (now: Date) =>
  sql<Need | null>`case when ${isByHand} then 'by_hand' when ${isTroubled(now)} then 'trouble' end`

/**
 * What staff have to do: register it by hand, or handle a failed registration; null: nothing.
 */
export type NeedyReceipt = ListedReceipt & { need: Need | null }

const receipts = (db: Kysely<DB>, now: Date) =>
  db.selectFrom('receipt').selectAll().select(needOf(now).as('need')).where('state', '<>', 'prepared')
const listedWithNeed = (row: Selectable<DB['receipt']> & { need: Need | null }): NeedyReceipt => ({
  ...listed(row),
  need: row.need,
})

/** The receipts of paid invoices, oldest first. */
export async function receiptsOf(
  db: Kysely<DB>,
  invoiceNumbers: readonly string[],
  now: Date,
): Promise<NeedyReceipt[]> {
  if (invoiceNumbers.length === 0) return []
  const rows = await receipts(db, now).where('invoice_number', 'in', invoiceNumbers).orderBy('id').execute()
  return rows.map(listedWithNeed)
}

/** A receipt of a payment or refund that was made; null: there is none with this id. */
export async function receiptById(db: Kysely<DB>, id: bigint): Promise<ListedReceipt | null> {
  const row = await db
    .selectFrom('receipt')
    .selectAll()
    .where('id', '=', id)
    .where('state', '<>', 'prepared')
    .executeTakeFirst()
  return row === undefined ? null : listed(row)
}

export interface ReceiptFilter {
  state?: ReceiptState | undefined
  kind?: ReceiptKind | undefined
  invoiceNumber?: string | undefined
  /** Receipts that need staff: to be registered by hand, or not registered by the processor. */
  need?: Need | undefined
  /** The period of the payment or refund. */
  from?: Date | undefined
  until?: Date | undefined
}

/**
 * Receipts of payments and refunds that were made, the newest first, before the receipt with the id `before`.
 */
export async function listReceipts(
  db: Kysely<DB>,
  filter: ReceiptFilter,
  { before, limit }: { before: bigint | null; limit: number },
  now: Date,
): Promise<NeedyReceipt[]> {
  const { state, kind, invoiceNumber, need, from, until } = filter
  let query = receipts(db, now).orderBy('id', 'desc').limit(limit)
  if (before !== null) query = query.where('id', '<', before)
  if (state !== undefined) query = query.where('state', '=', state)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (invoiceNumber !== undefined) query = query.where('invoice_number', '=', invoiceNumber)
  if (need !== undefined) query = query.where(need === 'by_hand' ? isByHand : isTroubled(now))
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (until !== undefined) query = query.where('created_at', '<', until)
  return (await query.execute()).map(listedWithNeed)
}

/** The number of receipts that need staff, with the numbers of at most `most` oldest invoices. */
export async function needyReceipts(
  db: Kysely<DB>,
  { now, most }: { now: Date; most: number },
): Promise<{ need: Need; count: number; numbers: string[] }[]> {
  const { rows } = await sql<{ need: Need; count: bigint; numbers: string[] }>`
    select need, count(*) as count, (array_agg(invoice_number order by id))[1:${most}::int] as numbers from (
      select id, invoice_number, case when ${isByHand} then 'by_hand' else 'trouble' end as need from receipt
      where state in ('due', 'pending', 'failed') and (${isByHand} or ${isTroubled(now)})
    ) open group by need order by need desc`.execute(db)
  return rows.map(({ need, count, numbers }) => ({ need, count: Number(count), numbers }))
}

export interface HandMark {
  /** The number assigned by the tax service. */
  number: string
  link: string | null
}

/**
 * Records that staff registered a receipt by other means; an earlier number is replaced. Returns the receipt
 * before and after. Refuses with `receipt_not_found`, and with `receipt_not_open` when there is nothing to
 * register by hand: the processor registered it, or has not received it yet.
 */
export async function markRegistered(
  tx: Transaction<DB>,
  id: bigint,
  { number, link }: HandMark,
  now: Date,
): Promise<{ before: ListedReceipt; after: ListedReceipt }> {
  const row = await tx.selectFrom('receipt').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (row === undefined) throw new Refusal('receipt_not_found')
  const before = listed(row)
  const isCorrection = before.state === 'registered' && before.markedAs !== null
  if (!isCorrection && !['due', 'pending', 'failed'].includes(before.state))
    throw new Refusal('receipt_not_open')
  const after = await tx
    .updateTable('receipt')
    .set({ state: 'registered', marked_as: number, link, registered_at: row.registered_at ?? now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { before, after: listed(after) }
}
