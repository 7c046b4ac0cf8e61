/**
 * Advances charges to a final state. A charge whose answer was lost is searched for at the processor before
 * it is requested again, with the same idempotency key and the same body.
 */
import { type Kysely, sql } from 'kysely'
import { type Database, type DB, transaction } from '#db'
import {
  askProcessors,
  type Charge,
  type DeclineReason,
  type PaymentMethod,
  ProcessorFault,
  type SavedMethods,
  withdrawnMethods,
} from '#payments'
import { chargeRequest, findInvoice, type Invoice, openPage, settle } from '#purchase'
import { fail, succeed } from './end.ts'
import type { OpenCharge } from './list.ts'
import { idsOf } from './saved.ts'
import { tellAuthentication } from './tell.ts'
import type { TopUpDeps } from './saving.ts'

const minuteMs = 60_000
/** How long a charge is reserved for the worker that processes it. */
const claimMs = 3 * minuteMs
/** How long a timed-out request may still be executed. */
const graceMs = 10 * minuteMs
/** Stripe and YooKassa keep idempotency keys for 24 hours. */
const keyMs = 20 * 60 * minuteMs
/** How far the search goes back, in case the clock was ahead. */
const farMs = 30 * 24 * 60 * minuteMs
const batch = 200

type Ended = 'succeeded' | 'failed' | null

/**
 * Processes due charges; returns the number that ended. Those of a processor that does not answer are processed
 * again after their claim.
 */
export async function advanceCharges(
  database: Database,
  deps: TopUpDeps,
  now: Date,
): Promise<{ succeeded: number; failed: number }> {
  const ended = { succeeded: 0, failed: 0 }
  const process = async (charge: OpenCharge) => {
    const end = await advance(database, deps, charge, now)
    if (end !== null) ended[end] += 1
  }
  await askProcessors(await claim(database.db, now), process, {
    noteFault: deps.noteFault,
    // The result is unknown: the next run asks the processor.
    onFault: async ({ id }) => void (await lookAgain(database.db, id, new Date(now.getTime() + minuteMs))),
  })
  return ended
}

async function claim(db: Kysely<DB>, now: Date): Promise<OpenCharge[]> {
  const { rows } = await sql<OpenCharge>`
    with mine as (
      select id from top_up_charge
      where state not in ('succeeded', 'failed')
        and (look_at <= ${now} or look_at > ${new Date(now.getTime() + 2 * claimMs)})
      order by look_at limit ${batch} for update skip locked
    )
    update top_up_charge c set look_at = ${new Date(now.getTime() + claimMs)}
    from mine, invoice i where c.id = mine.id and i.id = c.invoice_id
    returning c.id, c.account_id as "accountId", c.pool, c.saved_method_id as "savedMethodId", c.method, c.card,
      c.order_text as "orderText", c.state, c.external_id as "externalId", c.made_at as "madeAt",
      c.asked_at as "askedAt", i.number`.execute(db)
  return rows
}

const lookAgain = (db: Kysely<DB>, id: bigint, at: Date) =>
  db.updateTable('top_up_charge').set({ look_at: at }).where('id', '=', id).execute()

interface Work {
  database: Database
  deps: TopUpDeps
  charge: OpenCharge
  invoice: Invoice
  method: PaymentMethod
  api: SavedMethods
}

async function advance(database: Database, deps: TopUpDeps, charge: OpenCharge, now: Date): Promise<Ended> {
  const invoice = await findInvoice(database.db, charge.number)
  if (invoice === null) throw new Error(`the charge ${charge.id} has no invoice`)
  // A notification or the invoice poller has already settled it.
  if (invoice.receivedMicros > 0n) return (await succeed(database.db, charge, now)) ? 'succeeded' : null
  const method = deps.methods.find(charge.method)
  const api = method?.saved
  if (method === null || api === undefined) {
    // Without the processor's settings it cannot be queried.
    await lookAgain(database.db, charge.id, new Date(now.getTime() + graceMs))
    return null
  }
  const work = { database, deps, charge, invoice, method, api }
  if (charge.state === 'intended') return ask(work, now)
  if (charge.state === 'accepted') return follow(work, now)
  if (charge.state === 'authentication') return makePage(work, now)
  return awaitCustomer(work, now)
}

/** Makes the charge, unless it was already made, or the customer has switched the top-up off. */
async function ask(work: Work, now: Date): Promise<Ended> {
  const { database, deps, charge, api } = work
  const { db } = database
  const wasAsked = charge.askedAt !== null
  if (wasAsked) {
    const found = await api.find(charge.number, since(charge, now))
    if (found !== null) return take(work, found, now)
  }
  const saved = await idsOf(db, deps.secrets, charge.savedMethodId)
  const refusal = saved === null ? 'method_removed' : (await isWanted(work)) ? null : 'switched_off'
  if (saved === null || refusal !== null) {
    const isOver = charge.askedAt === null || now.getTime() - charge.askedAt.getTime() > graceMs
    return isOver ? failed(work, refusal ?? 'method_removed', now) : null
  }
  if (wasAsked && now.getTime() - charge.madeAt.getTime() > keyMs) return failed(work, 'no_answer', now)
  await db.updateTable('top_up_charge').set({ asked_at: now }).where('id', '=', charge.id).execute()
  const request = await chargeRequest(db, deps, work.invoice, charge.orderText)
  const said = await api.charge({ invoice: request, saved }).catch((error: unknown) => {
    if (!(error instanceof ProcessorFault) || !error.isDenied || wasAsked) throw error
    deps.noteFault(charge.method, error)
    return null
  })
  return said === null ? failed(work, 'shop_denied', now) : take(work, said, now)
}

/**
 * The time from which the processor is searched: before the charge, even when the clock was wrong at that
 * time.
 */
function since({ madeAt }: OpenCharge, now: Date): Date {
  const isAhead = madeAt.getTime() > now.getTime()
  return new Date(isAhead ? now.getTime() - farMs : madeAt.getTime() - graceMs)
}

/**
 * Whether the top-up is still on with this method, the customer is not blocked, and the operator allows and
 * offers the method.
 */
async function isWanted({ database: { db }, deps, charge }: Work): Promise<boolean> {
  const on = await db
    .selectFrom('top_up')
    .innerJoin('account', 'account.id', 'top_up.account_id')
    .select('top_up.pool')
    .where('top_up.account_id', '=', charge.accountId)
    .where('top_up.pool', '=', charge.pool)
    .where('top_up.is_on', '=', true)
    .where('top_up.saved_method_id', '=', charge.savedMethodId)
    .where('account.blocked_at', 'is', null)
    .where('account.erased_at', 'is', null)
    .executeTakeFirst()
  if (on === undefined || !deps.automatic.has(charge.method)) return false
  return !(await withdrawnMethods(db)).has(charge.method)
}

/** Acts on what the processor says of a charge. */
async function take(work: Work, said: Charge, now: Date): Promise<Ended> {
  const { database, deps, charge } = work
  const { externalId } = said
  if (said.state === 'declined') return failed(work, said.reason, now)
  if (said.state === 'received') {
    const verdict = await settle(database, deps, charge.method, said.finding, now)
    // Otherwise the received amount is unknown; the verdict is stored on the invoice, where the operator sees
    // it.
    if (verdict !== 'credited' && verdict !== 'known_payment') return failed(work, 'no_answer', now)
    return (await succeed(database.db, charge, now)) ? 'succeeded' : null
  }
  const state = said.state === 'authentication' ? 'authentication' : 'accepted'
  const lookAt = new Date(now.getTime() + minuteMs)
  await database.db
    .updateTable('top_up_charge')
    .set({ state, external_id: externalId, look_at: lookAt })
    .where('id', '=', charge.id)
    .where('state', 'in', ['intended', 'accepted'])
    .execute()
  if (state === 'accepted') return null
  return makePage({ ...work, charge: { ...charge, state, externalId } }, now)
}

async function follow(work: Work, now: Date): Promise<Ended> {
  const found = await work.api.find(work.charge.number, since(work.charge, now))
  if (found !== null) return take(work, found, now)
  await lookAgain(work.database.db, work.charge.id, new Date(now.getTime() + graceMs))
  return null
}

/**
 * The bank requires the customer's confirmation: the charge is closed, and the customer gets a page to pay
 * the same invoice.
 */
async function makePage(work: Work, now: Date): Promise<Ended> {
  const { database, deps, charge, invoice, method, api } = work
  const closed = charge.externalId === null ? null : await api.close(charge.externalId)
  if (closed?.state === 'received') return take(work, closed, now)
  if (invoice.state !== 'pending') return failed(work, 'authentication_required', now)
  const { orderText } = charge
  let url: string
  try {
    url = await openPage(database, deps, { method, invoice, orderText }, now)
  } catch (error) {
    if (!(error instanceof ProcessorFault) || error.outcome === 'unknown') throw error
    return failed(work, 'authentication_required', now)
  }
  await transaction(database.db, async (tx) => {
    const changed = await tx
      .updateTable('top_up_charge')
      .set({ state: 'awaiting_customer', look_at: new Date(now.getTime() + minuteMs) })
      .where('id', '=', charge.id)
      .where('state', '=', 'authentication')
      .executeTakeFirst()
    if (changed.numUpdatedRows > 0n) await tellAuthentication(tx, { charge, invoice, url }, now)
  })
  return null
}

/** The poller of invoices sees the payment; without one the invoice closes. */
async function awaitCustomer(work: Work, now: Date): Promise<Ended> {
  const { charge, invoice, database } = work
  if (invoice.state !== 'pending') return failed(work, 'authentication_required', now)
  await lookAgain(database.db, charge.id, new Date(now.getTime() + minuteMs))
  return null
}

async function failed({ database, charge, invoice }: Work, reason: DeclineReason, now: Date): Promise<Ended> {
  return (await fail(database.db, { charge, invoice, reason }, now)) ? 'failed' : null
}
