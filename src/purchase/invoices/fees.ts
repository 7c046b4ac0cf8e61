/** Processors' fees, as reported or by the operator's terms; each is posted once as an expense. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { house, post } from '#ledger'
import { least } from '#lib/bigint'
import type { Invoice } from './invoice.ts'

export interface Fee {
  kind: 'payment' | 'refund' | 'dispute'
  /** The processor's id of what the fee is for; one fee is posted per kind and subject. */
  subject: string
  /** In the currency of the invoice's price. */
  micros: bigint
  /**
   * The date of the fee in the books, that of the payment, refund or dispute; absent: the time of posting.
   */
  valueAt?: Date | undefined
}

/** A fee as it was noted. */
export interface NotedFee {
  kind: Fee['kind']
  subject: string
  source: 'reported' | 'terms'
  currency: string
  micros: bigint
  usdMicros: bigint
  notedAt: Date
}

/** The fees of an invoice, the oldest first. */
export async function feesOf(db: Kysely<DB>, invoiceId: bigint): Promise<NotedFee[]> {
  const rows = await db
    .selectFrom('processor_fee')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .orderBy('noted_at')
    .orderBy('subject')
    .execute()
  return rows.map((row) => ({
    kind: row.kind as Fee['kind'],
    subject: row.subject,
    source: row.source as NotedFee['source'],
    currency: row.currency,
    micros: row.amount_micros,
    usdMicros: row.usd_micros,
    notedAt: row.noted_at,
  }))
}

/** Records and posts a fee of a locked invoice; false: the fee was recorded before. */
export async function noteFee(
  tx: Transaction<DB>,
  { id, method, price, costMicros }: Invoice,
  { kind, subject, micros, valueAt }: Fee,
  now: Date,
  source: NotedFee['source'] = 'reported',
): Promise<boolean> {
  const usdMicros =
    price.currency === 'USD' || costMicros === 0n ? micros : (costMicros * micros) / price.micros
  const { numInsertedOrUpdatedRows: inserted } = await tx
    .insertInto('processor_fee')
    .values({
      method,
      kind,
      subject,
      invoice_id: id,
      source,
      currency: price.currency,
      amount_micros: micros,
      usd_micros: usdMicros,
      noted_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (inserted !== 1n) return false
  if (kind === 'payment')
    await sql`
      update invoice set fee_micros = coalesce(fee_micros, 0) + ${usdMicros}::bigint where id = ${id}`.execute(
      tx,
    )
  if (usdMicros !== 0n)
    await post(tx, {
      kind: 'processor_fee',
      reference: `${method}:${kind}:${subject}`,
      valueAt,
      postings: [
        { account: house.cash(method), amount: -usdMicros },
        { account: house.processorFees(), amount: usdMicros },
      ],
    })
  return true
}

/**
 * Posts the difference between a dispute's fees now and what was posted before: they change with the dispute.
 */
export async function noteDisputeFee(
  tx: Transaction<DB>,
  invoice: Invoice,
  { disputeId, feeMicros }: { disputeId: string; feeMicros: bigint },
  now: Date,
): Promise<void> {
  const noted = (await feesOf(tx, invoice.id)).filter(
    ({ kind, subject }) => kind === 'dispute' && subject.startsWith(`${disputeId}:`),
  )
  const posted = noted.reduce((sum, { micros }) => sum + micros, 0n)
  if (posted === feeMicros) return
  // Includes the number of earlier entries, because the fees may return to a sum that they had before.
  const subject = `${disputeId}:${noted.length + 1}:${feeMicros}`
  await noteFee(tx, invoice, { kind: 'dispute', subject, micros: feeMicros - posted }, now)
}

/** The fee terms, from a time on, of a processor that does not report fees. */
export interface FeeTerms {
  method: string
  validFrom: Date
  percentPpm: number
  fixedMicros: bigint
  setAt: Date
  setBy: string
}

/** All terms that were ever set, grouped by method, the newest first. */
export async function listFeeTerms(db: Kysely<DB>): Promise<FeeTerms[]> {
  const rows = await db
    .selectFrom('fee_terms')
    .selectAll()
    .orderBy('method')
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({
    method: row.method,
    validFrom: row.valid_from,
    percentPpm: row.percent_ppm,
    fixedMicros: row.fixed_micros,
    setAt: row.set_at,
    setBy: row.set_by,
  }))
}

/** Sets terms from a time on. Payments that were counted keep their fees. */
export async function setFeeTerms(db: Kysely<DB>, terms: FeeTerms): Promise<void> {
  await db
    .insertInto('fee_terms')
    .values({
      method: terms.method,
      valid_from: terms.validFrom,
      percent_ppm: terms.percentPpm,
      fixed_micros: terms.fixedMicros,
      set_at: terms.setAt,
      set_by: terms.setBy,
    })
    .execute()
}

const ppm = 1_000_000n

/**
 * The fee of a payment by terms: a percentage rounded half up to the micro-USD and a fixed part, at most the
 * payment.
 */
export function feeByTerms(
  { percentPpm, fixedMicros }: Pick<FeeTerms, 'percentPpm' | 'fixedMicros'>,
  receivedMicros: bigint,
): bigint {
  return least(receivedMicros, (receivedMicros * BigInt(percentPpm) + ppm / 2n) / ppm + fixedMicros)
}

/** Notes the fee of a payment by the terms of its time; without terms it stays unknown. */
export async function noteFeeByTerms(
  tx: Transaction<DB>,
  invoice: Invoice,
  {
    subject,
    receivedMicros,
    valueAt,
  }: { subject: string; receivedMicros: bigint; valueAt: Date | undefined },
  now: Date,
): Promise<void> {
  const terms = (await listFeeTerms(tx)).find(
    ({ method, validFrom }) => method === invoice.method && validFrom <= now,
  )
  if (terms === undefined) return
  const usd = feeByTerms(terms, receivedMicros)
  const { price, costMicros } = invoice
  const micros = price.currency === 'USD' || costMicros === 0n ? usd : (price.micros * usd) / costMicros
  await noteFee(tx, invoice, { kind: 'payment', subject, micros, valueAt }, now, 'terms')
}
