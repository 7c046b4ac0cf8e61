/**
 * Documents in PDF: invoices for payments, credit notes for refunds. README.md has
 * the rules.
 */
import { type Kysely, sql } from 'kysely'
import type { Database, DB } from '#db'
import { addJob } from '#db/jobs'
import { dueInvoices, findInvoice, makeDocumentTask } from '#purchase'
import { type DocumentDeps, isSellerSet, makeDocuments } from './issue.ts'
import type { Evidence } from './evidence.ts'
import { type Facts, printNumber } from './facts.ts'

export { type BuyerDetails, buyerDetails, buyersOf, eraseBuyer, setBuyerDetails } from './buyer.ts'
export { type DocumentDeps, documentWaits, isSellerSet, makeDocuments } from './issue.ts'
export { type LostNumbers, noteLostNumbers, numberedSeries, type Series } from './lost.ts'
export { documentParts } from './export.ts'
export type { Evidence, EvidenceSection } from './evidence.ts'

/** A document without its file. */
export interface DocumentLine {
  id: bigint
  kind: Facts['kind']
  number: string
  isSpecimen: boolean
  amountMicros: bigint
  issuedAt: Date
  sha256: string
}

const columns = ['id', 'kind', 'series', 'number', 'amount_micros', 'issued_at', 'sha256'] as const

/** The documents of an invoice, oldest first. */
export async function documentsOf(db: Kysely<DB>, invoiceId: bigint): Promise<DocumentLine[]> {
  const rows = await db
    .selectFrom('document')
    .select(columns)
    .where('invoice_id', '=', invoiceId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind as Facts['kind'],
    number: printNumber(row.number),
    isSpecimen: row.series === 'specimen',
    amountMicros: row.amount_micros,
    issuedAt: row.issued_at,
    sha256: row.sha256.toString('hex'),
  }))
}

/** The last number of each series, and how many numbers of it were lost. */
export async function seriesState(db: Kysely<DB>): Promise<{ series: string; last: bigint; lost: bigint }[]> {
  const { rows } = await sql<{ series: string; last: bigint; lost: bigint }>`
    select s.series, s.last_number as last, coalesce(sum(l.last_number - l.first_number + 1), 0)::bigint as lost
    from document_series s left join document_lost l on l.series = s.series group by s.series order by s.series`.execute(
    db,
  )
  return rows
}

const numberSeparator = ', '

/** Renders evidence as PDF. The renderer is loaded on first use, because few processes render. */
export async function evidencePdf(evidence: Evidence, at: Date): Promise<Buffer> {
  const { renderEvidence } = await import('./evidence.ts')
  return renderEvidence(evidence, at)
}

/**
 * The document numbers of these invoices, by invoice number; several numbers are joined in one text.
 * Specimens are left out.
 */
export async function numbersOf(
  db: Kysely<DB>,
  invoiceNumbers: readonly string[],
  kind: Facts['kind'],
): Promise<Map<string, string>> {
  if (invoiceNumbers.length === 0) return new Map()
  const rows = await db
    .selectFrom('document')
    .innerJoin('invoice', 'invoice.id', 'document.invoice_id')
    .select(['invoice.number as invoice', 'document.number'])
    .where('invoice.number', 'in', [...new Set(invoiceNumbers)])
    .where('document.series', '=', kind)
    .orderBy('document.id')
    .execute()
  const numbers = new Map<string, string>()
  for (const { invoice, number } of rows) {
    const before = numbers.get(invoice)
    const printed = printNumber(number)
    numbers.set(invoice, before === undefined ? printed : before + numberSeparator + printed)
  }
  return numbers
}

export interface DocumentFile {
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** The file of a document of this invoice; null: the invoice has no document with this id. */
export async function documentFile(
  db: Kysely<DB>,
  { id, invoiceId }: { id: bigint; invoiceId: bigint },
): Promise<DocumentFile | null> {
  const row = await db
    .selectFrom('document')
    .select(['kind', 'series', 'number', 'bytes'])
    .where('id', '=', id)
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst()
  if (row === undefined) return null
  const series = row.series === 'specimen' ? 'specimen' : row.kind.replace('_', '-')
  return { name: `${series}-${printNumber(row.number)}.pdf`, bytes: new Uint8Array(row.bytes) }
}

const mostAtOnce = 1000

/**
 * Queues the documents that are due and were not made by their own job, because they waited for the seller or
 * for the rest of the money. Each has its own job, so that a failing one delays no other. Returns the number
 * queued.
 */
export async function queueDueDocuments(
  { db }: Database,
  { isDemo }: DocumentDeps,
  now: Date,
): Promise<number> {
  if (!isDemo && !(await isSellerSet(db))) return 0
  const due = await dueInvoices(db, now, mostAtOnce)
  for (const id of due)
    await addJob(db, makeDocumentTask, { invoice_id: String(id) }, { key: `document of invoice ${id}` })
  return due.length
}

/** The job of one invoice. */
export async function makeDocumentJob(
  database: Database,
  deps: DocumentDeps,
  payload: unknown,
  now: Date,
): Promise<void> {
  const { invoice_id: id } = payload as { invoice_id: string }
  await makeDocuments(database, deps, BigInt(id), now)
}

/**
 * The newest document of an invoice about money received or refunded, for the letter about it: made at once
 * when its own job has not made it yet. Null: it waits for the seller, or for the rest of the money.
 */
export async function documentForLetter(
  database: Database,
  deps: DocumentDeps,
  { number, kind: wanted }: { number: string; kind: Facts['kind'] },
  now: Date,
): Promise<(DocumentFile & { contentType: string }) | null> {
  const { db } = database
  const invoice = await findInvoice(db, number)
  if (invoice === null) return null
  const { id: invoiceId } = invoice
  await makeDocuments(database, deps, invoiceId, now)
  const last = (await documentsOf(db, invoiceId)).findLast(({ kind }) => kind === wanted)
  const file = last === undefined ? null : await documentFile(db, { id: last.id, invoiceId })
  return file === null ? null : { ...file, contentType: 'application/pdf' }
}
