/**
 * Asks processors about invoices without a notification, since the processor's or our own handling of one may
 * have failed.
 */
import { sql } from 'kysely'
import { type Database, lockName, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { askProcessors, type PaymentMethod, ProcessorFault, usualLooksPerMinute } from '#payments'
import { isDisputeOpen } from './disputes.ts'
import { findInvoice } from './invoices/invoice.ts'
import {
  type NoteVerdict,
  type PurchaseDeps,
  settle,
  type SettlementDeps,
  type Verdict,
} from './settlement.ts'

/** The dependencies for asking processors. */
type AskingDeps = SettlementDeps & Pick<PurchaseDeps, 'noteFault'>

/** The time limit of a run: it ends before the next one begins. */
const runMs = 50_000
/** Concurrent requests to one processor; together with the run's time limit this bounds their number. */
const atOnce = 4

/** How often an open dispute is asked about: whether it was answered, and how it ended. */
const disputeSeconds = 6 * 60 * 60

interface Asked {
  id: bigint
  number: string
  method: string
  external_id: string
  /** Its three days are over, or it is settled and made in the future: the processor's answer is recorded. */
  is_look_noted: boolean
  /** When the processor was asked about it before this run. */
  asked_before: Date | null
}

/** How many invoices were asked about, and how many brought money. */
export interface Reconciled {
  asked: number
  credited: number
}

/**
 * Asks about every open invoice once a minute, and about those closed or underpaid in the last three days
 * every ten minutes: cryptocurrency payments may take that long. After the three days it asks once more about
 * each invoice, including paid ones, and about open disputes every six hours: the server may have been down
 * all that time, or a notification of an overpayment or a dispute may have been lost. An invoice whose last
 * check lies in the future, from before the database's clock was set back, is due. An invoice made more than
 * three days in the future is treated as made now, unless it is settled: a settled one keeps its time, is
 * checked every three days while that time is so far ahead, and once after its three days like any other.
 * Concurrent workers share the invoices, and a processor's budget of looks in a minute.
 *
 * The order is fair to accounts: first the least recently checked invoice of each account, then the next of
 * each. An account with many open invoices delays the others by one check.
 */
export async function reconcileInvoices(
  database: Database,
  deps: AskingDeps,
  now: Date,
): Promise<Reconciled> {
  const methods = deps.methods.list().filter(({ look }) => look !== undefined)
  const endsAt = performance.now() + runMs
  const due = (await Promise.all(methods.map((method) => claim(database, method, now)))).flat()
  const sum = { asked: 0, credited: 0 }
  const ask = async (invoice: Asked) => {
    sum.asked++
    const { method, external_id: externalId } = invoice
    const verdict = await settleWhatIsTrue(
      database,
      deps,
      { method: deps.methods.get(method), externalId },
      now,
    )
    if (verdict === 'credited') sum.credited++
    if (invoice.is_look_noted) await noteLook(database, invoice, now)
  }
  await giveBack(database, await askProcessors(due, ask, { noteFault: deps.noteFault, atOnce, endsAt }))
  return sum
}

/** Marks the next invoices as being checked, and returns them in their order. */
async function claim(database: Database, method: PaymentMethod, now: Date): Promise<Asked[]> {
  const closed = { askedSince: ago(now, 600), since: ago(now, 3 * day), last: ago(now, 30 * day) }
  const isAhead = sql`created_at > ${ago(now, -3 * day)}::timestamptz`
  // A settled invoice stays as it is, whatever its timestamps; more money may still arrive for it.
  const isTooLate = sql`(settled_at is null and ${isAhead})`
  const isSettledAhead = sql`(settled_at is not null and ${isAhead})`
  const budget = method.looksPerMinute ?? usualLooksPerMinute
  const rows = await transaction(database.db, async (tx) => {
    await lockName(tx, `looks at ${method.name}`)
    const { rows: claimed } = await sql<Asked & { turn: bigint }>`
    with asked as (
      -- By any worker, in the minute that ends now.
      select count(*) as count from invoice
      where external_id is not null and method = ${method.name} and created_at > ${closed.last}
        and checked_at > ${ago(now, 60)} and checked_at <= ${now}
    ), due as (
      select id, checked_at,
        row_number() over (partition by account_id order by checked_at nulls first, id) as turn
      from invoice
      where external_id is not null and method = ${method.name}
        and (
          ${isTooLate}
          or (state = 'pending' and (checked_at is null or checked_at < ${ago(now, 45)} or checked_at > ${now}))
          or (
            state in ('underpaid', 'expired', 'cancelled') and created_at > ${closed.since}
            and (checked_at is null or checked_at < ${closed.askedSince} or checked_at > ${now})
          )
          or (
            created_at between ${closed.last} and ${closed.since}
            and (
              last_looked_at is null or last_looked_at < created_at + interval '3 days' or last_looked_at > ${now}
            )
            and (
              checked_at is null or checked_at < created_at + interval '3 days'
              or checked_at < ${closed.askedSince} or checked_at > ${now}
            )
          )
          or (${isDisputeOpen} and (checked_at is null or checked_at < ${ago(now, disputeSeconds)} or checked_at > ${now}))
          or (
            ${isSettledAhead}
            and (last_looked_at is null or last_looked_at < ${closed.since} or last_looked_at > ${now})
            and (checked_at is null or checked_at < ${closed.askedSince} or checked_at > ${now})
          )
        )
    ), mine as (
      select due.* from due join invoice using (id)
      -- Another worker may have claimed it since: the row that is locked is the newest.
      where invoice.checked_at is not distinct from due.checked_at
      order by turn, due.checked_at nulls first, id limit greatest(0, ${budget}::bigint - (select count from asked)) for update of invoice skip locked
    )
    update invoice set
      checked_at = ${now},
      created_at = case when ${isTooLate} then ${now}::timestamptz else created_at end,
      expires_at = case when ${isTooLate} then ${now}::timestamptz + (expires_at - created_at) else expires_at end
    from mine where invoice.id = mine.id
    returning invoice.id, number, method, external_id, mine.checked_at as asked_before, mine.turn,
      (created_at <= ${closed.since} or ${isSettledAhead}) as is_look_noted
  `.execute(tx)
    return claimed
  })
  const waitedSince = ({ asked_before: before }: Asked) => before?.getTime() ?? 0
  return rows.toSorted(
    (a, b) => Number(a.turn - b.turn) || waitedSince(a) - waitedSince(b) || Number(a.id - b.id),
  )
}

/** Invoices that the run did not reach, or for which the processor did not answer, count as not checked. */
async function giveBack({ db }: Database, unasked: Asked[]): Promise<void> {
  if (unasked.length === 0) return
  const ids = unasked.map(({ id }) => String(id))
  const before = unasked.map(({ asked_before: moment }) => moment?.toISOString() ?? null)
  await sql`
    update invoice set checked_at = unasked.before
    from unnest(${ids}::bigint[], ${before}::timestamptz[]) as unasked (id, before)
    where invoice.id = unasked.id
  `.execute(db)
}

const day = 24 * 3600

const ago = (now: Date, seconds: number) => new Date(now.getTime() - seconds * 1000)

/**
 * The check after the three days is recorded only once it has succeeded: one that failed, or whose worker was
 * killed, is due again.
 */
async function noteLook({ db }: Database, { number }: Asked, now: Date): Promise<void> {
  await sql`update invoice set last_looked_at = ${now} where number = ${number}`.execute(db)
}

async function settleWhatIsTrue(
  database: Database,
  deps: AskingDeps,
  { method, externalId, note }: { method: PaymentMethod; externalId: string; note?: NoteVerdict | undefined },
  now: Date,
): Promise<Verdict> {
  const finding = (await method.look?.(externalId)) ?? null
  return finding === null ? 'unknown_invoice' : settle(database, deps, method.name, finding, now, note)
}

/**
 * Asks the processor about one invoice, for the operator. Refuses with `invoice_not_found`, with
 * `payment_method_unavailable` when its method has no settings any more, and with `payment_failed` when the
 * processor does not answer. Null: the processor has no invoice to look up.
 */
export async function reconcileInvoice(
  database: Database,
  deps: AskingDeps,
  number: string,
  now: Date,
  note?: NoteVerdict,
): Promise<Verdict | null> {
  const invoice = await findInvoice(database.db, number)
  if (invoice === null) throw new Refusal('invoice_not_found')
  const { externalId } = invoice
  if (externalId === null || invoice.method === 'referral' || invoice.method === 'balance') return null
  const method = deps.methods.get(invoice.method)
  if (method.look === undefined) return null
  try {
    return await settleWhatIsTrue(database, deps, { method, externalId, note }, now)
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault(method.name, error)
    throw new Refusal('payment_failed')
  }
}

/**
 * Before a refund of a paid invoice, reads which refunds the processor has made by itself and records them,
 * so that only the rest is refunded. When the processor does not answer, the books are used.
 */
export async function readReturned(
  database: Database,
  deps: AskingDeps,
  number: string,
  now: Date,
): Promise<void> {
  const invoice = await findInvoice(database.db, number)
  if (invoice === null || invoice.externalId === null || invoice.receivedMicros === 0n) return
  const method = deps.methods.find(invoice.method)
  if (method?.look === undefined) return
  try {
    await settleWhatIsTrue(database, deps, { method, externalId: invoice.externalId }, now)
  } catch (error) {
    if (!(error instanceof ProcessorFault)) throw error
    deps.noteFault(method.name, error)
  }
}
