/**
 * Disputes as a processor tells of them. What is unused of the invoice is withheld when a dispute is first
 * seen; one that is won gives it back, and one that is lost returns the money to the payer as a refund does.
 */
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { DB } from '#db'
import { house, post } from '#ledger'
import type { FoundDispute } from '#payments'
import { returnTraffic, takeTraffic } from '#traffic'
import { noteDisputeFee } from './fees.ts'
import { type Invoice, lockInvoice } from './invoice.ts'
import { gatherOwn } from './lots/own.taking.ts'
import { applyRefund, type ReturnDeps } from './returned.ts'
import { returnOf } from './returned.effect.ts'

type Row = Selectable<DB['payment_dispute']>

const isOver = (state: string) => state === 'won' || state === 'lost'

/**
 * Applies disputes to their locked invoice, in any order and any number of times. Returns how many were new,
 * counted or reversed.
 */
export async function applyDisputes(
  tx: Transaction<DB>,
  invoiceId: bigint,
  disputes: readonly FoundDispute[],
  deps: ReturnDeps,
  now: Date,
): Promise<number> {
  let changed = 0
  for (const dispute of disputes.toSorted((a, b) => a.openedAt.getTime() - b.openedAt.getTime()))
    if (await applyDispute(tx, await lockInvoice(tx, invoiceId), dispute, deps, now)) changed++
  return changed
}

async function applyDispute(
  tx: Transaction<DB>,
  invoice: Invoice,
  dispute: FoundDispute,
  deps: ReturnDeps,
  now: Date,
): Promise<boolean> {
  const { disputeId, price, state, openedAt } = dispute
  if (price.currency !== invoice.price.currency || price.micros <= 0n) return false
  const known = await findDispute(tx, invoice.method, disputeId)
  // An older answer may arrive after a newer one.
  if (known !== null && isOver(known.state) && !isOver(state)) return false
  const frozenBytes =
    known === null && !isOver(state) && deps.takesBack ? await freeze(tx, invoice, dispute, now) : 0n
  await keep(tx, invoice, dispute, frozenBytes, now)
  await noteDisputeFee(tx, invoice, dispute, now)
  await withhold(tx, invoice, dispute, known?.withheld_micros ?? 0n, now)
  if (!isOver(state)) return known === null
  const releasedBytes = await releaseFrozen(tx, invoice, now)
  const counted = await tx
    .selectFrom('processor_refund')
    .selectAll()
    .where('method', '=', invoice.method)
    .where('refund_id', '=', disputeId)
    .executeTakeFirst()
  if (state === 'won' && counted?.state !== 'counted') return false
  const returned = {
    refundId: disputeId,
    cause: 'dispute',
    number: null,
    price,
    state: state === 'won' ? 'failed' : 'sent',
    madeAt: openedAt,
    feeMicros: null,
  } as const
  return applyRefund(tx, invoice.id, returned, { ...deps, releasedBytes }, now)
}

/**
 * Money that the processor has withdrawn is no cash: until the dispute is decided, the books have it as
 * disputed. When it is lost, the refund that follows takes it from the cash.
 */
async function withhold(
  tx: Transaction<DB>,
  invoice: Invoice,
  { disputeId, price, state, isWithdrawn, openedAt }: FoundDispute,
  heldMicros: bigint,
  now: Date,
): Promise<void> {
  const { method } = invoice
  const isHeld = isWithdrawn && !isOver(state)
  // What is returned meanwhile changes the worth, not what was withdrawn.
  const micros = isHeld ? (heldMicros > 0n ? heldMicros : returnOf(invoice, price.micros, 0n).usdMicros) : 0n
  const moved = micros - heldMicros
  if (moved === 0n) return
  await post(tx, {
    kind: 'dispute',
    reference: `${method}:${disputeId}:${isHeld ? 'withdrawn' : 'decided'}:${now.getTime()}`,
    valueAt: isHeld && openedAt <= now ? openedAt : undefined,
    postings: [
      { account: house.cash(method), amount: -moved },
      { account: house.disputed(), amount: moved },
    ],
  })
  await tx
    .updateTable('payment_dispute')
    .set({ withheld_micros: micros })
    .where('method', '=', method)
    .where('dispute_id', '=', disputeId)
    .execute()
}

async function findDispute(tx: Transaction<DB>, method: string, disputeId: string): Promise<Row | null> {
  const row = await tx
    .selectFrom('payment_dispute')
    .selectAll()
    .where('method', '=', method)
    .where('dispute_id', '=', disputeId)
    .executeTakeFirst()
  return row ?? null
}

async function keep(
  tx: Transaction<DB>,
  { id, method }: Invoice,
  { disputeId, state, respondBy, price, openedAt }: FoundDispute,
  frozenBytes: bigint,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('payment_dispute')
    .values({
      method,
      dispute_id: disputeId,
      invoice_id: id,
      state,
      currency: price.currency,
      amount_micros: price.micros,
      respond_by: respondBy,
      opened_at: openedAt,
      frozen_bytes: frozenBytes,
      seen_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['method', 'dispute_id']).doUpdateSet({ state, respond_by: respondBy, seen_at: now }),
    )
    .execute()
}

/** Withholds what is unused of the traffic that the disputed money had bought. */
async function freeze(
  tx: Transaction<DB>,
  invoice: Invoice,
  dispute: FoundDispute,
  now: Date,
): Promise<bigint> {
  const { accountId, pool, method } = invoice
  const { boughtBytes } = returnOf(invoice, dispute.price.micros, 0n)
  if (boughtBytes === 0n) return 0n
  const own = await gatherOwn(tx, invoice, boughtBytes, { releasedBytes: 0n, now })
  return takeTraffic(tx, own.bytes, {
    accountId,
    pool,
    kind: 'dispute_freeze',
    reference: `${method}:${dispute.disputeId}`,
    postings: async () => [],
  })
}

/**
 * Gives back what the disputes of an invoice withhold, and returns how much: they are over, or the money is
 * returned in another way.
 */
export async function releaseFrozen(
  tx: Transaction<DB>,
  { id, accountId, pool, method }: Invoice,
  now: Date,
): Promise<bigint> {
  const rows = await tx
    .updateTable('payment_dispute')
    .set({ released_at: now })
    .where('invoice_id', '=', id)
    .where('released_at', 'is', null)
    .where('frozen_bytes', '>', 0n)
    .returning(['dispute_id', 'frozen_bytes'])
    .execute()
  for (const { dispute_id: disputeId, frozen_bytes: bytes } of rows)
    await returnTraffic(tx, bytes, {
      accountId,
      pool,
      kind: 'dispute_release',
      reference: `${method}:${disputeId}`,
    })
  return rows.reduce((sum, row) => sum + row.frozen_bytes, 0n)
}

/** The disputes of an invoice, the first first. */
export async function disputesOf(db: Kysely<DB>, invoiceId: bigint): Promise<Row[]> {
  return db
    .selectFrom('payment_dispute')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .orderBy('opened_at')
    .execute()
}
