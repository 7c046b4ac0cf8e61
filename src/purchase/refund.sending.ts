/**
 * Sends refunds: the money that the ledger gave back is requested from the processor once, and the customer
 * is told.
 */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { personOf } from '#accounts'
import type { Database, DB } from '#db'
import { most } from '#lib/bigint'
import { usdText } from '#lib/money'
import { sendMail } from '#mail'
import { type PaymentMethods, type Price, ProcessorFault } from '#payments'
import { noteRefundSent, preparedContent } from '#receipts'
import type { Invoice } from './invoice.ts'
import type { PurchaseDeps } from './settlement.ts'

export interface SentRefund {
  price: Price
  /**
   * `due`: the refund will be sent again. `failed`: the processor refused it, and the operator sends the
   * money by hand.
   */
  state: 'due' | 'sent' | 'failed'
  reference: string | null
  /** The page on which the customer claims the money; null: the money returns automatically. */
  claimUrl: string | null
  fault: string | null
}

/**
 * Queues a refund for its processor, in the refund's transaction, when the processor can return money. False:
 * the operator returns it.
 */
export async function queueRefund(
  tx: Transaction<DB>,
  methods: PaymentMethods,
  { id, method, externalId }: Invoice,
  { currency, micros }: Price,
): Promise<boolean> {
  if (externalId === null || methods.find(method)?.refund === undefined || micros === 0n) return false
  await tx
    .insertInto('payment_refund')
    .values({
      invoice_id: id,
      method,
      external_id: externalId,
      currency,
      amount_micros: micros,
    })
    .execute()
  return true
}

/** The state of an invoice's refund at its processor; null: none is sent there. */
export async function findRefund(db: Kysely<DB>, invoiceId: bigint): Promise<SentRefund | null> {
  const row = await db
    .selectFrom('payment_refund')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst()
  return row === undefined ? null : sentOf(row)
}

const sentOf = (row: Selectable<DB['payment_refund']>): SentRefund => ({
  price: { currency: row.currency, micros: row.amount_micros },
  state: row.state as SentRefund['state'],
  reference: row.reference,
  claimUrl: row.claim_url,
  fault: row.fault,
})

export interface ListedRefund extends SentRefund {
  invoiceId: bigint
  invoiceNumber: string
  accountId: bigint
  method: string
  attempts: number
  askedAt: Date
  triedAt: Date | null
  sentAt: Date | null
}

/** Refunds at processors, that of the newest invoice first, before the invoice with the id `before`. */
export async function listRefunds(
  db: Kysely<DB>,
  filter: { state?: SentRefund['state'] | undefined; method?: string | undefined },
  { before, limit }: { before: bigint | null; limit: number },
): Promise<ListedRefund[]> {
  let query = db
    .selectFrom('payment_refund')
    .innerJoin('invoice', 'invoice.id', 'payment_refund.invoice_id')
    .selectAll('payment_refund')
    .select(['invoice.number', 'invoice.account_id'])
    .orderBy('payment_refund.invoice_id', 'desc')
    .limit(limit)
  if (before !== null) query = query.where('payment_refund.invoice_id', '<', before)
  if (filter.state !== undefined) query = query.where('payment_refund.state', '=', filter.state)
  if (filter.method !== undefined) query = query.where('payment_refund.method', '=', filter.method)
  return (await query.execute()).map((row) => ({
    ...sentOf(row),
    invoiceId: row.invoice_id,
    invoiceNumber: row.number,
    accountId: row.account_id,
    method: row.method,
    attempts: row.attempts,
    askedAt: row.created_at,
    triedAt: row.tried_at,
    sentAt: row.sent_at,
  }))
}

/** How many refunds are due, and how many have failed, by method. */
export async function countRefunds(
  db: Kysely<DB>,
): Promise<{ method: string; due: bigint; failed: bigint }[]> {
  const { rows } = await sql<{ method: string; due: bigint; failed: bigint }>`
    select method, count(*) filter (where state = 'due') as due, count(*) filter (where state = 'failed') as failed
    from payment_refund where state in ('due', 'failed') group by method`.execute(db)
  return rows
}

/** The delay before a refund is sent again, and the maximum number of attempts. */
const pauseMs = 2 * 60_000
const tries = 200

interface Due {
  invoice_id: bigint
  number: string
  method: string
  external_id: string
  currency: string
  amount_micros: bigint
  attempts: number
}

/**
 * Sends the refunds that are due, or that of one invoice, to the processors. Each is claimed for two minutes,
 * so that no two workers send the same one. Returns the number sent.
 */
export async function sendRefunds(
  database: Database,
  deps: Pick<PurchaseDeps, 'methods' | 'noteFault'>,
  now: Date,
  only: bigint | null = null,
): Promise<number> {
  const { rows } = await sql<Due>`
    update payment_refund refund set tried_at = ${now}, attempts = attempts + 1
    from invoice where invoice.id = refund.invoice_id and refund.invoice_id in (
      select invoice_id from payment_refund
      where state = 'due'
        and (tried_at is null or tried_at < ${new Date(now.getTime() - pauseMs)} or tried_at > ${now})
        and (${only}::bigint is null or invoice_id = ${only})
      order by tried_at nulls first limit 20 for update skip locked
    )
    returning refund.*, invoice.number
  `.execute(database.db)
  let sent = 0
  for (const due of rows) if (await send(database, deps, due, now)) sent++
  return sent
}

/**
 * Sends one refund to its processor, with its row locked until the answer: not every processor recognises a
 * repeated refund, and after the clock is set back another worker could claim it in the meantime. If the lock
 * is lost with its connection, the claim still holds for two minutes.
 */
async function send(
  { db }: Database,
  deps: Pick<PurchaseDeps, 'methods' | 'noteFault'>,
  due: Due,
  now: Date,
): Promise<boolean> {
  const refund = deps.methods.find(due.method)?.refund
  // The processor is not configured.
  if (refund === undefined) return false
  const price = { currency: due.currency, micros: due.amount_micros }
  // Not `transaction`, whose retry would send the refund again.
  return await db.transaction().execute(async (tx) => {
    if (!(await lockDue(tx, due.invoice_id))) return false
    const receipt = await preparedContent(tx, due.number, 'refund')
    const note = (set: Note) =>
      tx.updateTable('payment_refund').set(set).where('invoice_id', '=', due.invoice_id).execute()
    try {
      const { reference, claimUrl } = await refund({
        number: due.number,
        externalId: due.external_id,
        price,
        receipt,
      })
      await note({ state: 'sent', reference, claim_url: claimUrl, sent_at: now, fault: null })
      await noteRefundSent(tx, due.number, { reference }, now)
      return true
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error
      deps.noteFault?.(due.method, error)
      // A wrong key is the shop's to mend: the refund is sent again meanwhile.
      const isRefused = error.outcome === 'refused' && !error.isDenied
      const isOver = isRefused || due.attempts >= tries
      const fault = isOver ? `${error.message}${await whatIsLeft(deps, due)}` : error.message
      await note({ ...(isOver ? { state: 'failed' as const } : {}), fault })
      if (isOver) await noteRefundSent(tx, due.number, { fault }, now)
      return false
    }
  })
}

/**
 * For the operator, who sends the rest by hand: what the processor has returned by itself is why it refuses.
 */
async function whatIsLeft({ methods }: Pick<PurchaseDeps, 'methods'>, due: Due): Promise<string> {
  try {
    const finding = (await methods.find(due.method)?.look?.(due.external_id)) ?? null
    const returned = (finding?.refunds ?? [])
      .filter(({ state, number }) => state !== 'failed' && number !== due.number)
      .reduce((sum, { price }) => sum + price.micros, 0n)
    if (finding === null || returned === 0n) return ''
    const left = most(0n, finding.receivedMicros - returned)
    return ` (returned by the processor itself: ${usdText(returned, 2)} ${due.currency}, left to return: ${usdText(left, 2)} ${due.currency})`
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    return ''
  }
}

interface Note {
  state?: 'sent' | 'failed'
  fault: string | null
  reference?: string
  claim_url?: string | null
  sent_at?: Date
}

/** False: another worker is sending it, or has sent it. */
async function lockDue(tx: Transaction<DB>, invoiceId: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('payment_refund')
    .select('invoice_id')
    .where('invoice_id', '=', invoiceId)
    .where('state', '=', 'due')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Queues the letter about a refund, which carries the credit note, in the transaction of the refund; without
 * an address there is none.
 */
export async function tellRefund(
  tx: Transaction<DB>,
  { accountId, number, pool, method, language }: Invoice,
  { refundedMicros, takenBackBytes }: { refundedMicros: bigint; takenBackBytes: bigint },
): Promise<void> {
  const { email } = await personOf(tx, accountId)
  if (email === null || refundedMicros === 0n) return
  await sendMail(tx, {
    template: 'payment_refunded',
    to: email,
    language,
    data: {
      invoice: number,
      pool,
      refunded_micros: String(refundedMicros),
      taken_back_bytes: String(takenBackBytes),
      to_balance: method === 'referral',
    },
  })
}
