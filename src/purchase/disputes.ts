/**
 * Disputes as processors report them. The unused traffic of the invoice is withheld when a dispute is first
 * seen. A won dispute releases it; a lost dispute returns the money to the payer, as a refund does.
 */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { house, post } from '#ledger'
import type { DisputeState, FoundDispute } from '#payments'
import { noteDisputeFee } from './invoices/fees.ts'
import { returnSpent } from './balance.spent.ts'
import { releaseFrozenMoney, withholdMoney } from './balance/withheld.ts'
import { type Invoice, isTopUp, lockInvoice } from './invoices/invoice.ts'
import { releaseGifts, withholdGifts } from './lots/gifts.ts'
import { releaseFrozen, withhold } from './refund.booking.ts'
import { valueOf } from './rules/payment.ts'
import { returnOf } from './rules/refund.ts'
import { applyRefund, type ReturnDeps } from './reported.refunds.ts'

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
  // The answer may be older than what is known. An open dispute counts before a lost one, that before a
  // won one, and one that needs a response before one that does not.
  if (disputes.length > 0)
    await sql`
      update invoice i set dispute_state = d.state, dispute_respond_by = d.respond_by from (
        select state, respond_by from payment_dispute where invoice_id = ${invoiceId}
        order by array_position(array['lost', 'won'], state) nulls first, case when state = 'needs_response' then coalesce(respond_by, 'infinity') end,
          opened_at desc, dispute_id desc limit 1
      ) d where i.id = ${invoiceId} and i.disputed_at is not null`.execute(tx)
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
  const isWithheld = known === null && !isOver(state) && deps.takesBack
  const frozenBytes = isWithheld && !isTopUp(invoice) ? await freeze(tx, invoice, dispute, now) : 0n
  const frozenMicros = isWithheld && isTopUp(invoice) ? await freezeTopUp(tx, invoice, dispute, now) : 0n
  await keep(tx, invoice, dispute, { frozenBytes, frozenMicros }, now)
  if (known === null && state !== 'won' && !isTopUp(invoice)) {
    const { boughtBytes } = returnOf(invoice, price.micros, 0n)
    const gifts = { invoice, method: invoice.method, disputeId, openedAt, takes: deps.takesBack }
    await withholdGifts(tx, { ...gifts, bytes: boughtBytes - frozenBytes }, now)
  }
  if (state === 'won') await releaseGifts(tx, { method: invoice.method, disputeId }, now)
  await noteDisputeFee(tx, invoice, dispute, now)
  await setApart(tx, invoice, dispute, known?.withheld_micros ?? 0n, now)
  if (!isOver(state)) return known === null
  await releaseFrozenMoney(tx, invoice, { dispute: disputeId }, now)
  const releasedBytes = await releaseFrozen(tx, invoice, { dispute: disputeId }, now)
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
    name: null,
    price,
    state: state === 'won' ? 'failed' : 'sent',
    madeAt: openedAt,
    feeMicros: null,
  } as const
  return applyRefund(tx, invoice.id, returned, { ...deps, releasedBytes }, now)
}

/**
 * Moves money that the processor has withdrawn from cash to the disputed account until the dispute is
 * decided, then back. When the dispute is lost, the refund that follows takes the money from cash.
 */
async function setApart(
  tx: Transaction<DB>,
  invoice: Invoice,
  { disputeId, price, state, isWithdrawn, openedAt }: FoundDispute,
  heldMicros: bigint,
  now: Date,
): Promise<void> {
  const { method } = invoice
  const isHeld = isWithdrawn && !isOver(state)
  // A refund made meanwhile changes the invoice's worth, but not the amount that was withdrawn.
  const micros = isHeld ? (heldMicros > 0n ? heldMicros : returnOf(invoice, price.micros, 0n).usdMicros) : 0n
  const moved = micros - heldMicros
  if (moved === 0n) return
  await post(tx, {
    kind: 'dispute',
    reference: `${method}:${disputeId}:${isHeld ? 'withdrawn' : 'decided'}:${now.getTime()}`,
    valueAt: isHeld ? valueOf(openedAt, now) : undefined,
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
  { frozenBytes, frozenMicros }: { frozenBytes: bigint; frozenMicros: bigint },
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
      frozen_micros: frozenMicros,
      seen_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['method', 'dispute_id']).doUpdateSet({ state, respond_by: respondBy, seen_at: now }),
    )
    .execute()
}

/** Withholds the unused part of the traffic that the disputed money had bought. */
async function freeze(
  tx: Transaction<DB>,
  invoice: Invoice,
  { disputeId, price }: FoundDispute,
  now: Date,
): Promise<bigint> {
  const { boughtBytes } = returnOf(invoice, price.micros, 0n)
  return withhold(tx, invoice, { bytes: boughtBytes, reference: `${invoice.method}:${disputeId}` }, now)
}

/** Withholds the disputed money of a top-up from the balance, to which unused traffic is returned first. */
async function freezeTopUp(
  tx: Transaction<DB>,
  invoice: Invoice,
  { disputeId, price }: FoundDispute,
  now: Date,
): Promise<bigint> {
  const { usdMicros } = returnOf(invoice, price.micros, 0n)
  await returnSpent(tx, invoice, usdMicros, now)
  return withholdMoney(tx, invoice, { micros: usdMicros, reference: `${invoice.method}:${disputeId}` })
}

/** The disputes of an invoice, the oldest first. */
export async function disputesOf(db: Kysely<DB>, invoiceId: bigint): Promise<Row[]> {
  return db
    .selectFrom('payment_dispute')
    .selectAll()
    .where('invoice_id', '=', invoiceId)
    .orderBy('opened_at')
    .execute()
}

/**
 * Whether the invoice has an open dispute, during which the processor may withdraw the money. A refund counts
 * as its end only when the processor does not report the dispute's state. `invoice` is the table or its
 * alias.
 */
export const isDisputeOpen = sql<boolean>`(
  disputed_at is not null and (state in ('paid', 'underpaid', 'partly_refunded') or dispute_state is not null) and coalesce(dispute_state, 'needs_response') not in ('won', 'lost'))`

export interface ListedDispute {
  id: bigint
  number: string
  accountId: bigint
  method: string
  receivedMicros: bigint
  disputedAt: Date
  /** Null: the processor does not report it. */
  state: DisputeState | null
  respondBy: Date | null
  isOpen: boolean
  /** For the next page. */
  place: { group: string; due: string }
}

/**
 * Disputes: first the open ones by their deadline, those without a deadline last, then the closed ones. The
 * page begins after the dispute `after`.
 */
export async function listDisputes(
  db: Kysely<DB>,
  { onlyOpen }: { onlyOpen: boolean },
  { after, limit }: { after: { group: string; due: string; id: bigint } | null; limit: number },
): Promise<ListedDispute[]> {
  const group = sql`case when not ${isDisputeOpen} then 2 when dispute_state = 'under_review' then 1 else 0 end`
  const due = sql`coalesce(dispute_respond_by, 'infinity')`
  const behind =
    after === null
      ? sql`true`
      : sql`(${group}, ${due}, -id) > (${after.group}::integer, ${after.due}::timestamptz, -(${after.id}::bigint))`
  const { rows } = await sql<Omit<ListedDispute, 'place'> & { group: string; due: string }>`
    select id, number, account_id as "accountId", method, received_micros as "receivedMicros",
      disputed_at as "disputedAt", dispute_state as state, dispute_respond_by as "respondBy",
      ${isDisputeOpen} as "isOpen", (${group})::text as "group", (${due})::text as due
    from invoice where disputed_at is not null and ${onlyOpen ? isDisputeOpen : sql`true`} and ${behind}
    order by ${group}, ${due}, -id limit ${limit}`.execute(db)
  return rows.map(({ group: ofGroup, due: ofDue, ...row }) => ({
    ...row,
    place: { group: ofGroup, due: ofDue },
  }))
}

/** Open payments at a processor, which other keys may not reach. */
export interface OpenBusiness {
  /** They may still be paid. */
  invoices: number
  /** They are not sent yet, or may still fail. */
  refunds: number
  disputes: number
}

/** As long as underpaid invoices are checked. */
const stillAskedMs = 3 * 24 * 60 * 60_000

/** What is open at the processors of these payment methods, by method; a method with nothing is left out. */
export async function openBusiness(db: Kysely<DB>, now: Date): Promise<Map<string, OpenBusiness>> {
  const since = new Date(now.getTime() - stillAskedMs)
  const { rows } = await sql<{ method: string; invoices: bigint; refunds: bigint; disputes: bigint }>`
    with open as (
      select method, 1 as invoices, 0 as refunds, 0 as disputes from invoice
      where external_id is not null
        and (state = 'pending' or state = 'underpaid' and created_at > ${since})
      union all
      select method, 0, 1, 0 from refund where state in ('due', 'sent')
      union all
      select method, 0, 0, 1 from invoice where ${isDisputeOpen}
    )
    select method, sum(invoices)::bigint as invoices, sum(refunds)::bigint as refunds,
      sum(disputes)::bigint as disputes
    from open group by method`.execute(db)
  return new Map(
    rows.map(({ method, invoices, refunds, disputes }) => [
      method,
      { invoices: Number(invoices), refunds: Number(refunds), disputes: Number(disputes) },
    ]),
  )
}
