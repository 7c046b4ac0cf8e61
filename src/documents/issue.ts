/** Makes documents: numbers have no gaps, and each file is made once. */
import { createHash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { accountById } from '#accounts'
import { findPicture, readContent } from '#content'
import type { Content } from '#contract/desk/content'
import type { Language } from '#contract/language'
import { type Database, type DB, transaction } from '#db'
import { dayIn } from '#lib/zone'
import { claimDue, type Invoice, isDue, lastRefundedAt, lockInvoice, returnedPrice } from '#purchase'
import { preparedContent } from '#receipts'
import { buyerDetails } from './buyer.ts'
import {
  collectedOf,
  collectedTotals,
  shownOf,
  coveredRefund,
  coveredSale,
  type Covered,
  type Facts,
  type Part,
  printNumber,
  refundPart,
  salePart,
  type Seller,
  type Vat,
  vatIn,
} from './facts.ts'
import type { Series } from './lost.ts'

export interface DocumentDeps {
  /** The time zone of the shop. */
  zone: string
  /** All purchases of a demo are specimens. */
  isDemo: boolean
}

/** The seller in a language, or in the other one where only that is set; null: none is. */
const sellerIn = (seller: Content['seller'], language: Language): Seller | null =>
  seller[language] ?? seller[language === 'ru' ? 'en' : 'ru']

const isOfSandbox = ({ isTest, method }: Invoice) => isTest || method === 'sandbox'
const isSpecimen = (invoice: Invoice, { isDemo }: DocumentDeps) => isDemo || isOfSandbox(invoice)

/** Whether the seller is set. Until then the shop's documents wait. */
export async function isSellerSet(db: Kysely<DB>): Promise<boolean> {
  const { seller } = await readContent(db)
  return sellerIn(seller, 'ru') !== null
}

/** The reason why a due document waits; null: none is due. */
export async function documentWaits(
  db: Kysely<DB>,
  invoice: Invoice,
  now: Date,
): Promise<'seller' | 'job' | null> {
  if (!(await isDue(db, invoice.id, now))) return null
  return isOfSandbox(invoice) || (await isSellerSet(db)) ? 'job' : 'seller'
}

/**
 * Makes the due documents of an invoice: for money received and for money refunded. Each gets the next number
 * of its series. The number, the file and the end of the wait commit together, so a failure leaves neither a
 * gap nor a number without a document. Returns the number of documents made; 0 while no seller is set.
 */
export async function makeDocuments(
  { db }: Database,
  deps: DocumentDeps,
  invoiceId: bigint,
  now: Date,
): Promise<number> {
  return transaction(db, async (tx) => {
    const content = await readContent(tx)
    // Locked first, in the same order as settlements and refunds.
    const invoice = await lockInvoice(tx, invoiceId)
    const seller = sellerIn(content.seller, invoice.language)
    if (seller === null && !isSpecimen(invoice, deps)) return 0
    if (!(await claimDue(tx, invoiceId, now))) return 0
    const given = { invoice, content, seller, now, ...deps }
    const sales = await coveredBy(tx, invoiceId, 'invoice')
    const refunds = await coveredBy(tx, invoiceId, 'credit_note')
    const collected = collectedTotals(invoice, (await returnedPrice(tx, invoice)).micros)
    const sale = salePart(invoice, collected, coveredSale(invoice, collected, sales, refunds))
    if (sale !== null) await issue(tx, given, 'invoice', sale)
    const refund = refundPart(invoice, collected, coveredRefund(invoice, collected, sales, refunds))
    if (refund !== null) await issue(tx, given, 'credit_note', refund)
    return Number(sale !== null) + Number(refund !== null)
  })
}

async function coveredBy(tx: Transaction<DB>, invoiceId: bigint, kind: Facts['kind']): Promise<Covered> {
  const { rows } = await sql<Covered>`
    select coalesce(sum(amount_micros), 0)::bigint as micros, coalesce(sum(traffic_bytes), 0)::bigint as bytes,
      coalesce(sum((facts -> 'collected' ->> 'micros')::bigint), 0)::bigint as "collectedMicros"
    from document where invoice_id = ${invoiceId} and kind = ${kind}`.execute(tx)
  return rows[0] ?? { micros: 0n, bytes: 0n, collectedMicros: 0n }
}

interface IssueContext extends DocumentDeps {
  invoice: Invoice
  content: Content
  seller: Seller | null
  now: Date
}

async function issue(
  tx: Transaction<DB>,
  given: IssueContext,
  kind: Facts['kind'],
  part: Part,
): Promise<void> {
  const series: Series = isSpecimen(given.invoice, given) ? 'specimen' : kind
  const sale = kind === 'credit_note' ? await saleDocument(tx, given.invoice.id) : null
  // The row is locked from here on: documents of one series are made one after another, settlements do not
  // wait for it.
  const { last_number: number } = await tx
    .updateTable('document_series')
    .set((row) => ({ last_number: row('last_number', '+', 1n) }))
    .where('series', '=', series)
    .returning('last_number')
    .executeTakeFirstOrThrow()
  const facts = await factsOf(tx, given, { kind, part, number, sale })
  const logo = facts.brand.logo === null ? null : await findPicture(tx, facts.brand.logo)
  const { renderDocument } = await import('./pdf.ts')
  const bytes = await renderDocument(facts, { logo: logo?.bytes ?? null, at: given.now })
  await tx
    .insertInto('document')
    .values({
      series,
      number,
      kind,
      invoice_id: given.invoice.id,
      corrects: sale?.id ?? null,
      amount_micros: part.micros,
      traffic_bytes: part.bytes,
      issued_at: given.now,
      facts: JSON.stringify(facts),
      bytes,
      sha256: createHash('sha256').update(bytes).digest(),
    })
    .execute()
}

/** The document that a credit note corrects: the first one of the invoice. */
async function saleDocument(tx: Transaction<DB>, invoiceId: bigint) {
  const row = await tx
    .selectFrom('document')
    .select(['id', 'number', 'facts'])
    .where('invoice_id', '=', invoiceId)
    .where('kind', '=', 'invoice')
    .orderBy('id')
    .executeTakeFirstOrThrow()
  return { id: row.id, number: row.number, issuedOn: (row.facts as unknown as Facts).issued_on }
}

/**
 * The VAT within an amount, by the code that was frozen with the fiscal receipt of the sale, so that document
 * and receipt agree. Null: no receipt is sent for the sale, or it states no VAT.
 */
async function vatOf(
  tx: Transaction<DB>,
  number: string,
  amount: { currency: string; micros: bigint },
): Promise<Vat | null> {
  const [item] = (await preparedContent(tx, number, 'payment'))?.items ?? []
  return item === undefined ? null : vatIn(item.vat_code, amount)
}

async function factsOf(
  tx: Transaction<DB>,
  { invoice, content: { brand, payments }, seller, now, zone, isDemo }: IssueContext,
  {
    kind,
    part,
    number,
    sale,
  }: { kind: Facts['kind']; part: Part; number: bigint; sale: { number: bigint; issuedOn: string } | null },
): Promise<Facts> {
  const { accountId, language, method } = invoice
  const account = await accountById(tx, accountId)
  const details = await buyerDetails(tx, accountId)
  const dayOf = (at: Date) => dayIn(zone, at)
  const collected = collectedOf(invoice, part, dayOf)
  return {
    kind,
    specimen: isSpecimen(invoice, { zone, isDemo }),
    language,
    number: printNumber(number),
    issued_on: dayOf(now),
    // A later part of a refund has its own day, not that of the first part.
    paid_on: dayOf((kind === 'invoice' ? invoice.paidAt : await lastRefundedAt(tx, invoice.id)) ?? now),
    seller,
    buyer: {
      id: String(accountId),
      email: account?.email ?? null,
      username: account?.username ?? null,
      details:
        details === null ? null : { name: details.name, address: details.address, tax_id: details.taxId },
    },
    order: `${invoice.shortNumber} (${invoice.number})`,
    method,
    method_name: payments[method]?.name?.[language] ?? null,
    lines: part.lines,
    total_micros: String(part.micros),
    collected,
    shown: shownOf(invoice, part.micros, dayOf),
    vat: await vatOf(tx, invoice.number, {
      currency: collected?.currency ?? 'USD',
      micros: collected === null ? part.micros : BigInt(collected.micros),
    }),
    corrects: sale === null ? null : { number: printNumber(sale.number), issued_on: sale.issuedOn },
    brand: { name: brand.name, accent: brand.accent.light, logo: brand.logo?.file ?? null },
  }
}
