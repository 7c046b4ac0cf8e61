/**
 * Reads the processors' own lists of refunds and disputes, since a notification of one may have been lost,
 * and asks for fees that were not reported with the payment.
 */
import { sql } from 'kysely'
import type { Database } from '#db'
import { type ListedChange, type PaymentMethod, ProcessorFault } from '#payments'
import { type PurchaseDeps, settle, type SettlementDeps } from './settlement.ts'

/** The dependencies for asking processors. */
type AskingDeps = SettlementDeps & Pick<PurchaseDeps, 'noteFault'>

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** How often the lists are read. */
const pauseMs = 10 * minuteMs
/**
 * A refund may fail up to this long after it was made. The lists select by the time of making, so they are
 * read this far back.
 */
const openMs = 35 * dayMs
/** Payments that are looked up in one run at one processor. */
const batch = 100

/**
 * Looks up the payments of which the processors list a refund or a dispute that the books do not have in this
 * state. A processor's lists are read every ten minutes, back to 35 days before the last time; the first
 * time, from the first invoice that was made there. Returns how many were looked up.
 */
export async function watchReturns(database: Database, deps: AskingDeps, now: Date): Promise<number> {
  let asked = 0
  for (const method of deps.methods.list()) {
    const { name, changes } = method
    if (changes === undefined) continue
    try {
      const before = await claimWatch(database, name, now)
      if (before === 'not_due') continue
      const since = before === null ? await firstInvoice(database, name, now) : before
      const from = new Date(Math.min(since.getTime(), now.getTime()) - openMs)
      const news = Map.groupBy(await newsOf(database, name, await changes(from), now), ({ lookAt }) => lookAt)
      for (const [lookAt, some] of [...news].slice(0, batch)) {
        asked++
        await lookAgain(database, deps, method, lookAt, now)
        await noteSeen(database, name, await newsOf(database, name, some, now), now)
      }
      // When changes are left over, the time is not recorded, so the next run reads the lists at once.
      if (news.size <= batch) await noteWatch(database, name, now)
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error
      deps.noteFault(name, error)
    }
  }
  return asked
}

/** When the lists were last read; null: never. */
async function claimWatch({ db }: Database, method: string, now: Date): Promise<Date | null | 'not_due'> {
  const row = await db
    .selectFrom('refund_watch')
    .select('looked_at')
    .where('method', '=', method)
    .executeTakeFirst()
  if (row === undefined) return null
  const { looked_at: at } = row
  // In the future: the clock was set back.
  return at <= now && now.getTime() - at.getTime() < pauseMs ? 'not_due' : at
}

/** When the first invoice of a method was made; now: there is none. */
async function firstInvoice({ db }: Database, method: string, now: Date): Promise<Date> {
  const first = await db
    .selectFrom('invoice')
    .select('created_at')
    .where('method', '=', method)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return first?.created_at ?? now
}

async function noteWatch({ db }: Database, method: string, now: Date): Promise<void> {
  await db
    .insertInto('refund_watch')
    .values({ method, looked_at: now })
    .onConflict((conflict) => conflict.column('method').doUpdateSet({ looked_at: now }))
    .execute()
}

/** A listed change whose lookup changed nothing in the books is looked up again after this time. */
const seenMs = dayMs

async function noteSeen(
  { db }: Database,
  method: string,
  seen: readonly ListedChange[],
  now: Date,
): Promise<void> {
  for (const { id, state } of seen)
    await db
      .insertInto('return_seen')
      .values({ method, id, state, seen_at: now })
      .onConflict((conflict) => conflict.columns(['method', 'id']).doUpdateSet({ state, seen_at: now }))
      .execute()
}

/** The listed changes that are not in the books. */
async function newsOf(
  { db }: Database,
  method: string,
  listed: readonly ListedChange[],
  now: Date,
): Promise<ListedChange[]> {
  const ids = listed.map(({ id }) => id)
  const { rows } = await sql<{ id: string; state: string }>`
    select refund_id as id, state from processor_refund where method = ${method} and cause = 'refund' and refund_id = any(${ids}::text[])
    union all
    select dispute_id, state from payment_dispute where method = ${method} and dispute_id = any(${ids}::text[])
    union all
    select id, state from return_seen where method = ${method} and id = any(${ids}::text[])
      and seen_at between ${new Date(now.getTime() - seenMs)} and ${now}`.execute(db)
  const known = new Map(rows.map(({ id, state }) => [id, state]))
  const isKnown = ({ id, state }: ListedChange) => {
    const kept = known.get(id)
    if (kept === state) return true
    if (state === 'sent') return ['counted', 'own', 'failed', 'reversed', 'unclear'].includes(kept ?? '')
    if (state === 'failed') return kept === 'reversed'
    return state === 'waiting' && kept !== undefined
  }
  return listed.filter((one) => !isKnown(one))
}

async function lookAgain(
  database: Database,
  deps: AskingDeps,
  { name, look }: PaymentMethod,
  externalId: string,
  now: Date,
): Promise<void> {
  const finding = (await look?.(externalId)) ?? null
  if (finding !== null) await settle(database, deps, name, finding, now)
}

/** The number of invoices whose fee is requested in one run at one processor. */
const feesAtOnce = 30

/**
 * Asks processors for fees that were not reported with their payments: every hour for three days, and once
 * for older payments, which were counted before the shop recorded fees. Returns how many were asked for.
 */
export async function askForFees(database: Database, deps: AskingDeps, now: Date): Promise<number> {
  let asked = 0
  for (const method of deps.methods.list()) {
    if (method.reportsFees !== true || method.look === undefined) continue
    const { rows } = await sql<{ external_id: string }>`
      update invoice set fee_asked_at = ${now} where id in (
        select id from invoice
        where method = ${method.name} and fee_micros is null and settled_at is not null and external_id is not null
          and (fee_asked_at is null or fee_asked_at > ${now}
            or fee_asked_at < ${new Date(now.getTime() - 60 * minuteMs)} and fee_asked_at < settled_at + interval '3 days')
        order by fee_asked_at nulls first limit ${feesAtOnce} for update skip locked
      ) returning external_id`.execute(database.db)
    const queue = rows.map(({ external_id: externalId }) => externalId)
    try {
      for (let next = queue[0]; next !== undefined; next = queue[0]) {
        await lookAgain(database, deps, method, next, now)
        queue.shift()
        asked++
      }
    } catch (error) {
      if (!(error instanceof ProcessorFault)) throw error
      deps.noteFault(method.name, error)
      await sql`update invoice set fee_asked_at = null where method = ${method.name} and external_id = any(${queue}::text[])`.execute(
        database.db,
      )
    }
  }
  return asked
}
