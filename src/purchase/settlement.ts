/** Converts a verified notification of a processor to money and traffic, in one transaction. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Person, personOf } from '#accounts'
import type { Pool } from '#contract/wire'
import { type Database, type DB, transaction } from '#db'
import { house, post } from '#ledger'
import type { Secrets } from '#lib/secret'
import {
  type Finding,
  type FoundDispute,
  judge,
  type NotCounted,
  type Notification,
  type PaymentMethods,
} from '#payments'
import { countUse, releaseUse } from '#promo'
import { ensureAccess } from '#proxies'
import { noteReceived, type ReceiptSettings } from '#receipts'
import { earnShare } from '#referral'
import { creditTraffic, meteredAccess, openMeter } from '#traffic'
import { needDocument } from './invoices/documents.due.ts'
import { creditMoney } from './balance/money.ts'
import { callBoughtBack } from './balance.spent.ts'
import { applyDisputes } from './disputes.ts'
import { noteFee, noteFeeByTerms } from './invoices/fees.ts'
import { findInvoice, hasPurchased, type Invoice, lockInvoice, priceOf, soldOf } from './invoices/invoice.ts'
import { tellPayment } from './invoices/payment.letter.ts'
import { afterCancellation, afterPayment, type Step, valueOf } from './rules/payment.ts'
import { applyRefunds } from './reported.refunds.ts'

/** The dependencies for selling; each act takes those that it needs. */
export interface PurchaseDeps {
  methods: PaymentMethods
  secrets: Secrets
  /** Null: the shop registers no fiscal receipts. */
  receipts: ReceiptSettings | null
  /** Whether unused traffic is taken back when a processor returns money. */
  takesBack: () => Promise<boolean>
  /** Receives, for the log, the faults of processors. */
  noteFault: (method: string, fault: Error) => void
  /** Receives, for the metrics, what was ordered and paid, once it is committed. */
  noteSale: (sale: Sale) => void
}

/**
 * Runs in the transaction that settles a notification or an answer, whatever the verdict, to record who asked
 * for it.
 */
export type NoteVerdict = (
  tx: Transaction<DB>,
  judged: { verdict: Verdict; invoice: Invoice | null },
) => Promise<void>

/** Of an invoice: `created`; `paid`: its first money came; `paid_more`. */
export interface Sale {
  event: 'created' | 'paid' | 'paid_more'
  method: string
  pool: string
  /** Micro-USD received; of a created invoice its cost. */
  micros: bigint
}

/**
 * The outcome of a notification, shown to the operator with the stored bytes. `returned`: a refund or a
 * dispute was counted.
 */
export type Verdict = 'credited' | 'cancelled' | 'returned' | NotCounted

export type SettlementDeps = Pick<PurchaseDeps, 'secrets' | 'receipts' | 'methods' | 'takesBack' | 'noteSale'>

interface Outcome {
  verdict: Verdict
  sale?: Sale
}

/**
 * Settles a processor's report about one of its invoices: its answer to a query, or the notification of a
 * processor that cannot be queried. Reports may arrive in any order and any number of times. In one
 * transaction the invoice is locked and compared with the report, and each payment, with the promo code's
 * use, and each refund is counted once; the money, the traffic and the inviter's share are posted together,
 * the invoice gets its new state, and the customer's letter is queued.
 */
export async function settle(
  database: Database,
  { takesBack, noteSale, ...deps }: SettlementDeps,
  method: string,
  told: Finding | Notification,
  now: Date,
  note: NoteVerdict = async () => undefined,
): Promise<Verdict> {
  const { invoiceNumber } = told
  const isAnswer = 'externalId' in told
  const isTaken = isAnswer && (await takesBack())
  if (isTaken && invoiceNumber !== null && (await takesTraffic(database.db, method, told))) {
    const known = await findInvoice(database.db, invoiceNumber)
    if (known !== null && known.method === method) await callBoughtBack(database.db, known)
  }
  const settled = await transaction(database.db, async (tx): Promise<Outcome> => {
    const found = invoiceNumber === null ? null : await findInvoice(tx, invoiceNumber, 'lock')
    const invoice = found?.method === method ? found : null
    const outcome: Outcome =
      invoice === null
        ? { verdict: 'unknown_invoice' }
        : isAnswer
          ? await applyFinding(tx, { ...deps, invoice, finding: told, takesBack: isTaken }, now)
          : await apply(tx, { ...deps, invoice, notification: told }, now)
    await note(tx, { verdict: outcome.verdict, invoice })
    return outcome
  })
  if (settled.sale !== undefined) noteSale(settled.sale)
  return settled.verdict
}

/** Applies a processor's answer to its locked invoice. */
async function applyFinding(
  tx: Transaction<DB>,
  {
    finding,
    takesBack,
    ...base
  }: Omit<Application, 'notification' | 'objectId'> & { finding: Finding; takesBack: boolean },
  now: Date,
): Promise<Outcome> {
  const { invoice } = base
  const { externalId } = finding
  const judged = judge(invoice, finding)
  if (judged === 'another_invoice') return { verdict: judged }
  if (invoice.externalId === null) {
    // The payment arrived before the answer that made the invoice, unless another invoice has this id.
    const taken = await tx
      .selectFrom('invoice')
      .select('id')
      .where('method', '=', invoice.method)
      .where('external_id', '=', externalId)
      .executeTakeFirst()
    if (taken !== undefined) return { verdict: 'another_invoice' }
  }
  const outcome: Outcome =
    typeof judged === 'string'
      ? { verdict: judged }
      : await apply(tx, { ...base, notification: judged, objectId: externalId }, now)
  const { verdict } = outcome
  if (isReceived(verdict)) await noteReportedFee(tx, invoice.id, finding, now)
  await tx
    .updateTable('invoice')
    .set({
      // The id is not stored when the payment does not match: the right payment may still arrive.
      ...(isInOrder(verdict) ? { external_id: externalId } : {}),
      checked_verdict: verdict,
      ...(finding.isDisputed && invoice.disputedAt === null ? { disputed_at: now } : {}),
      ...(finding.isDisputed && finding.dispute !== undefined
        ? { dispute_state: finding.dispute.state, dispute_respond_by: finding.dispute.respondBy }
        : {}),
    })
    .where('id', '=', invoice.id)
    .execute()
  if (!isReceived(verdict)) return outcome
  // Refunds are applied after the payment, because the same answer may be the first to report it.
  const { refunds = [], disputes = [] } = finding
  const returned =
    (await applyRefunds(tx, invoice.id, refunds, { takesBack }, now)) +
    (await applyDisputes(tx, invoice.id, disputes, { takesBack }, now))
  return returned > 0 && verdict === 'known_payment' ? { ...outcome, verdict: 'returned' } : outcome
}

/** Records the fee in the answer, for a payment that is in the books. */
async function noteReportedFee(
  tx: Transaction<DB>,
  id: bigint,
  { externalId, feeMicros, paidAt }: Finding,
  now: Date,
): Promise<void> {
  if (feeMicros === undefined) return
  const invoice = await lockInvoice(tx, id)
  if (invoice.receivedMicros === 0n) return
  if (feeMicros !== null)
    await noteFee(
      tx,
      invoice,
      { kind: 'payment', subject: externalId, micros: feeMicros, valueAt: valueOf(paidAt, now) },
      now,
    )
  else await tx.updateTable('invoice').set({ fee_asked_at: now }).where('id', '=', id).execute()
}

/** The ledger has the money of the answer. */
const isReceived = (verdict: Verdict) => verdict === 'credited' || verdict === 'known_payment'

const isInOrder = (verdict: Verdict) =>
  ['credited', 'known_payment', 'waiting', 'cancelled'].includes(verdict)

interface Application extends Pick<PurchaseDeps, 'secrets' | 'methods' | 'receipts'> {
  invoice: Invoice
  notification: Notification
  /** The processor's id of its invoice; absent: that of the payment. */
  objectId?: string
}

/** Applies a notification to its locked invoice. */
async function apply(
  tx: Transaction<DB>,
  { secrets, receipts, methods, invoice, notification, objectId }: Application,
  now: Date,
): Promise<Outcome> {
  if (notification.outcome === 'cancelled') {
    await cancel(tx, invoice)
    return { verdict: 'cancelled' }
  }
  if (!(await countPayment(tx, invoice, notification, now))) return { verdict: 'known_payment' }
  const isPromoLost = !(await promoStands(tx, invoice, now))
  const dueMicros = isPromoLost ? invoice.fullCostMicros : invoice.costMicros
  const step = afterPayment({ ...invoice, dueMicros }, notification.receivedMicros)
  const buyer = await personOf(tx, invoice.accountId)
  await credit(tx, secrets, { invoice, buyer, notification, step }, now)
  await tx
    .updateTable('invoice')
    .set({
      state: step.state,
      received_micros: step.receivedMicros,
      credited_bytes: step.creditedBytes,
      promo_lost_at: isPromoLost ? (invoice.promoLostAt ?? now) : null,
      settled_at: now,
      paid_at: valueOf(notification.paidAt, now) ?? null,
    })
    .where('id', '=', invoice.id)
    .execute()
  const { externalPaymentId: paymentId, receivedMicros } = notification
  const received = priceOf(invoice, receivedMicros)
  const sold = {
    ...soldOf(invoice),
    paymentId,
    received,
    objectId: objectId ?? paymentId,
    isTest: invoice.isTest,
    isByHand: invoice.without.includes('receipt'),
  }
  await noteReceived(tx, receipts, sold, now)
  await tellPayment(tx, { invoice, buyer, notification, step, isPromoLost })
  if (methods.find(invoice.method)?.reportsFees !== true)
    await noteFeeByTerms(
      tx,
      invoice,
      { subject: paymentId, receivedMicros, valueAt: valueOf(notification.paidAt, now) },
      now,
    )
  await needDocument(tx, { id: invoice.id, state: step.state }, now)
  const { method, pool } = invoice
  const event = invoice.receivedMicros === 0n ? 'paid' : 'paid_more'
  const sale = { event, method, pool, micros: notification.receivedMicros } as const
  return { verdict: 'credited', ...(invoice.isTest ? {} : { sale }) }
}

async function cancel(tx: Transaction<DB>, invoice: Invoice): Promise<void> {
  await tx
    .updateTable('invoice')
    .set({ state: afterCancellation(invoice.state) })
    .where('id', '=', invoice.id)
    .execute()
  await releaseUse(tx, invoice.number)
}

/** False when this payment of the processor was counted before, from any notification. */
async function countPayment(
  tx: Transaction<DB>,
  invoice: Invoice,
  notification: Notification,
  now: Date,
): Promise<boolean> {
  const result = await tx
    .insertInto('payment')
    .values({
      method: invoice.method,
      external_payment_id: notification.externalPaymentId,
      invoice_id: invoice.id,
      received_micros: notification.receivedMicros,
      received_at: now,
      paid_at: valueOf(notification.paidAt, now) ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/**
 * Whether the invoice keeps the discount of its promo code: the first payment decides it for all later ones.
 */
async function promoStands(tx: Transaction<DB>, invoice: Invoice, now: Date): Promise<boolean> {
  const { promocodeId, accountId, number } = invoice
  if (promocodeId === null) return true
  if (invoice.receivedMicros > 0n) return invoice.promoLostAt === null
  return countUse(tx, { promocodeId, accountId, invoice: number, hasPurchased }, now)
}

interface Settled {
  invoice: Invoice
  buyer: Person
  notification: Notification
  step: Step
}

async function credit(
  tx: Transaction<DB>,
  secrets: Secrets,
  { invoice, buyer, notification, step }: Settled,
  now: Date,
): Promise<void> {
  const { id: invoiceId, accountId, pool, method } = invoice
  if (pool === 'balance') return creditBalance(tx, { invoice, buyer, notification, step }, now)
  const meter = { accountId, pool }
  const accessId = (await meteredAccess(tx, meter)) ?? (await openAccess(tx, secrets, meter))
  const share = await earnShare(tx, { invoiceId, buyer, paidMicros: step.keptMicros }, now)
  await creditTraffic(tx, {
    accessId,
    meter,
    bytes: step.creditBytes,
    part: 'paid',
    kind: invoice.isTest ? 'test_purchase' : 'purchase',
    reference: `${method}:${notification.externalPaymentId}`,
    valueAt: valueOf(notification.paidAt, now),
    postings: [
      { account: house.cash(method), amount: notification.receivedMicros },
      { account: house.sales(), amount: -notification.receivedMicros },
      ...share,
    ],
  })
}

/** Gives the customer access to a pool, with a meter. */
async function openAccess(
  tx: Transaction<DB>,
  secrets: Secrets,
  key: { accountId: bigint; pool: Pool },
): Promise<bigint> {
  const access = await ensureAccess(tx, secrets, key)
  await openMeter(tx, { accessId: access.id, ...key })
  return access.id
}

/** Books a payment of a top-up: all of it, however much was ordered, is the customer's. */
async function creditBalance(
  tx: Transaction<DB>,
  { invoice, buyer, notification, step }: Settled,
  now: Date,
): Promise<void> {
  const { id: invoiceId, accountId, method, isTest } = invoice
  const { receivedMicros: micros, externalPaymentId, paidAt } = notification
  const money = await creditMoney(tx, { accountId, micros, from: house.cash(method) })
  const share = await earnShare(tx, { invoiceId, buyer, paidMicros: step.keptMicros }, now)
  await post(tx, {
    kind: isTest ? 'test_top_up' : 'top_up',
    reference: `${method}:${externalPaymentId}`,
    valueAt: valueOf(paidAt, now),
    postings: [...money, ...share],
  })
}

/**
 * Whether an answer contains something that takes traffic back. If so, gateways are asked to return their
 * leases before the transaction.
 */
async function takesTraffic(
  db: Kysely<DB>,
  method: string,
  { refunds = [], disputes = [] }: Pick<Finding, 'refunds' | 'disputes'>,
): Promise<boolean> {
  const sent = refunds.filter(({ state }) => state === 'sent').map(({ refundId }) => refundId)
  const open = disputes.filter(({ state }) => state !== 'won').map(({ disputeId }) => disputeId)
  if (sent.length + open.length === 0) return false
  const { rows } = await sql<{ known: bigint }>`
    select (select count(*) from processor_refund
        where method = ${method} and refund_id = any(${sent}::text[]) and state <> 'waiting')
      + (select count(*) from payment_dispute d where method = ${method} and dispute_id = any(${open}::text[])
        and (state = 'lost' or not dispute_id = any(${lostOf(disputes)}::text[]))) as known`.execute(db)
  return Number(rows[0]?.known ?? 0n) < sent.length + open.length
}

const lostOf = (disputes: readonly FoundDispute[]) =>
  disputes.filter(({ state }) => state === 'lost').map(({ disputeId }) => disputeId)
