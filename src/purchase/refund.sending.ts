/**
 * Sends refunds to their processors. Each is requested once, then polled by the processor's id until its
 * state is final. When a refund fails, what was taken for it is given back.
 */
import { sql, type Transaction } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import { most } from '#lib/bigint'
import { usdText } from '#lib/money'
import { bigintArray } from '#lib/pg-array'
import { askProcessors, type PaymentMethods, ProcessorFault } from '#payments'
import { noteRefundSent, preparedContent } from '#receipts'
import { endRefund, failRefund } from './reported.refunds.ts'

/** The dependencies for asking processors for refunds. */
export interface SendingDeps {
  methods: PaymentMethods
  /** Whether unused traffic is taken back when a processor returns money by itself. */
  takesBack: () => Promise<boolean>
  /** Receives, for the log, the faults of processors. */
  noteFault: (method: string, fault: Error) => void
}

/** The delay before a refund is sent again, and the maximum number of attempts. */
const pauseMs = 2 * 60_000
const tries = 200

interface Row {
  id: bigint
  name: string
  invoice_id: bigint
  number: string
  method: string
  external_id: string
  currency: string
  amount_micros: bigint
  attempts: number
  reference: string | null
}

/**
 * Sends the refunds that are due, or those of one invoice, to the processors. Each is claimed for two
 * minutes, so that no two workers send the same one. When the processor refuses a refund, everything that was
 * taken for it is given back, and the money can be refunded again. Returns the number sent.
 */
export async function sendRefunds(
  database: Database,
  deps: SendingDeps,
  now: Date,
  only: bigint | null = null,
): Promise<number> {
  const { rows } = await sql<Row>`
    update refund set tried_at = ${now}, attempts = attempts + 1
    from invoice where invoice.id = refund.invoice_id and refund.id in (
      select id from refund
      where state = 'due'
        and (tried_at is null or tried_at < ${new Date(now.getTime() - pauseMs)} or tried_at > ${now})
        and (${only}::bigint is null or invoice_id = ${only})
      order by tried_at nulls first, id limit 20 for update skip locked
    )
    returning refund.*, invoice.number
  `.execute(database.db)
  let sent = 0
  const ask = async (row: Row) => {
    const done = await send(database, deps, row, now)
    if (done instanceof ProcessorFault) throw done
    if (done) sent++
  }
  const left = await askProcessors(rows, ask, deps)
  const ids = bigintArray(left.map(({ id }) => id))
  if (left.length > 0)
    await sql`update refund set attempts = attempts - 1 where id = any(${ids}::bigint[])`.execute(database.db)
  await undoRefused(database, deps, now, only)
  return sent
}

/**
 * Sends one refund to its processor, with its row locked until the answer: not every processor recognises a
 * repeated refund, and after the clock is set back another worker could claim it in the meantime. If the lock
 * is lost with its connection, the claim still holds for two minutes. Returns whether it was sent, or the
 * fault, which is recorded.
 */
async function send(
  { db }: Database,
  deps: SendingDeps,
  row: Row,
  now: Date,
): Promise<boolean | ProcessorFault> {
  const refund = deps.methods.find(row.method)?.refund
  // The processor is not configured.
  if (refund === undefined) return false
  const { id, name, number, external_id: externalId } = row
  const price = { currency: row.currency, micros: row.amount_micros }
  // Not `transaction`, whose retry would send the refund again.
  return await db.transaction().execute(async (tx) => {
    if (!(await lockDue(tx, id))) return false
    const receipt = await preparedContent(tx, number, { refund: name })
    const note = (set: Note) => tx.updateTable('refund').set(set).where('id', '=', id).execute()
    try {
      const { reference, claimUrl, state } = await refund({ name, number, externalId, price, receipt })
      const accepted = { reference, claim_url: claimUrl, sent_at: now, asked_at: now, fault: null }
      await note({
        ...accepted,
        ...(state === 'sent' ? { state: 'done', ended_at: now } : { state: 'sent' }),
      })
      await noteRefundSent(tx, { invoiceNumber: number, of: name, reference }, now)
      return true
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error
      // A wrong key is the shop's fault, not a final refusal, so the refund is retried.
      const isOver = error.isOfRequest || row.attempts >= tries
      const fault = isOver ? `${error.message}${await whatIsLeft(deps, row)}` : error.message
      // Given back in a transaction of its own, which locks the invoice first.
      await note({ ...(isOver ? { state: 'refused' as const } : {}), fault })
      return error
    }
  })
}

/** Gives back what was taken for refunds that their processors have refused. */
async function undoRefused(
  database: Database,
  deps: SendingDeps,
  now: Date,
  only: bigint | null,
): Promise<void> {
  const { rows } = await sql<{ id: bigint; invoice_id: bigint }>`
    select id, invoice_id from refund
    where state = 'refused' and (${only}::bigint is null or invoice_id = ${only}) order by id limit 20`.execute(
    database.db,
  )
  if (rows.length === 0) return
  const takesBack = await deps.takesBack()
  for (const { id, invoice_id: invoiceId } of rows)
    await transaction(database.db, (tx) =>
      failRefund(tx, invoiceId, { id, from: ['refused'] }, { takesBack }, now),
    )
}

/** Refunds that are asked for in one run. */
const batch = 50

/**
 * Polls processors for the state of accepted refunds, by the processors' ids: soon at first, later every six
 * hours, until the refund was sent or has failed, because some failures cause no event. Returns how many have
 * ended.
 */
export async function askForRefunds(database: Database, deps: SendingDeps, now: Date): Promise<number> {
  const asking = deps.methods.list().filter(({ findRefund }) => findRefund !== undefined)
  const { rows } = await sql<Row>`
    update refund set asked_at = ${now}
    from invoice where invoice.id = refund.invoice_id and refund.id in (
      select id from refund
      where state = 'sent' and method = any(${asking.map(({ name }) => name)}::text[]) and (
        asked_at is null or asked_at > ${now}
        or asked_at < ${now}::timestamptz - least(
          greatest(interval '5 minutes', (${now}::timestamptz - sent_at) / 20), interval '6 hours'))
      order by asked_at nulls first, id limit ${batch} for update skip locked
    )
    returning refund.*, invoice.number`.execute(database.db)
  let ended = 0
  const ask = async ({ reference, ...row }: Row) => {
    if (reference !== null && (await follow(database, deps, { ...row, reference }, now))) ended++
  }
  await askProcessors(rows, ask, deps)
  return ended
}

async function follow(
  database: Database,
  { methods, takesBack }: SendingDeps,
  { id, method, reference, invoice_id: invoiceId }: Row & { reference: string },
  now: Date,
): Promise<boolean> {
  const state = (await methods.find(method)?.findRefund?.(reference)) ?? null
  if (state === null || state === 'waiting') return false
  const isTaken = await takesBack()
  return transaction(database.db, async (tx) => {
    if (state === 'sent') return endRefund(tx, invoiceId, id, now)
    const fault = 'the processor did not send it'
    return failRefund(tx, invoiceId, { id, from: ['sent', 'done'], fault }, { takesBack: isTaken }, now)
  })
}

/**
 * For the operator: how much is left at the processor, because refunds that it made by itself can be the
 * reason of a refusal.
 */
async function whatIsLeft({ methods }: SendingDeps, row: Row): Promise<string> {
  try {
    const finding = (await methods.find(row.method)?.look?.(row.external_id)) ?? null
    const returned = (finding?.refunds ?? [])
      .filter(({ state, name }) => state !== 'failed' && name?.startsWith(row.number) !== true)
      .reduce((sum, { price }) => sum + price.micros, 0n)
    if (finding === null || returned === 0n) return ''
    const left = most(0n, finding.receivedMicros - returned)
    return ` (returned by the processor itself: ${usdText(returned, 2)} ${row.currency}, left to return: ${usdText(left, 2)} ${row.currency})`
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    return ''
  }
}

interface Note {
  state?: 'sent' | 'done' | 'refused'
  fault: string | null
  reference?: string
  claim_url?: string | null
  sent_at?: Date
  asked_at?: Date
  ended_at?: Date
}

/** False: another worker is sending it, or has sent it. */
async function lockDue(tx: Transaction<DB>, id: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('refund')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'due')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}
