/** Sends refunds: the money that the ledger gave back is requested from the processor once. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database, DB } from '#db'
import { type PaymentMethods, type Price, ProcessorFault } from '#payments'
import type { Invoice } from './invoice.ts'
import type { PurchaseDeps } from './settlement.ts'

export interface SentRefund {
  price: Price
  /**
   * `due`: the refund will be sent again. `failed`: the processor refused it, and the operator sends the money by hand.
   */
  state: 'due' | 'sent' | 'failed'
  reference: string | null
  /** The page on which the customer claims the money; null: the money returns automatically. */
  claimUrl: string | null
  fault: string | null
}

const centMicros = 10_000n

/** Queues a refund for its processor, in the refund's transaction, when the processor can return money. */
export async function queueRefund(
  tx: Transaction<DB>,
  methods: PaymentMethods,
  invoice: Invoice,
  refundedMicros: bigint,
): Promise<void> {
  const { id, method, externalId, price, costMicros } = invoice
  if (externalId === null || methods.find(method)?.refund === undefined) return
  const micros = invoice.rate === null ? refundedMicros : (price.micros * refundedMicros) / costMicros
  const amountMicros = (micros / centMicros) * centMicros
  if (amountMicros === 0n) return
  await tx
    .insertInto('payment_refund')
    .values({
      invoice_id: id,
      method,
      external_id: externalId,
      currency: price.currency,
      amount_micros: amountMicros,
    })
    .execute()
}

/** The state of an invoice's refund at its processor; null: none is sent there. */
export async function findRefund(db: Kysely<DB>, invoiceId: bigint): Promise<SentRefund | null> {
  const row = await db
    .selectFrom('payment_refund')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    price: { currency: row.currency, micros: row.amount_micros },
    state: row.state as SentRefund['state'],
    reference: row.reference,
    claimUrl: row.claim_url,
    fault: row.fault,
  }
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
 * Sends the refunds that are due, or that of one invoice, to the processors. Each is claimed for two minutes, so that
 * no two workers send the same one. Returns the number sent.
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
 * Sends one refund to its processor, with its row locked until the answer: not every processor recognises a repeated
 * refund, and after the clock is set back another worker could claim it in the meantime. If the lock is lost with its
 * connection, the claim still holds for two minutes.
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
    const note = (set: Note) =>
      tx.updateTable('payment_refund').set(set).where('invoice_id', '=', due.invoice_id).execute()
    try {
      const { reference, claimUrl } = await refund({
        number: due.number,
        externalId: due.external_id,
        price,
      })
      await note({ state: 'sent', reference, claim_url: claimUrl, sent_at: now, fault: null })
      return true
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error
      deps.noteFault?.(due.method, error)
      const isOver = error.outcome === 'refused' || due.attempts >= tries
      await note({ ...(isOver ? { state: 'failed' as const } : {}), fault: error.message })
      return false
    }
  })
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
