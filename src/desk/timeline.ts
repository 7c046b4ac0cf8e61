/** The life of a customer in one list: sign-up, invoices, changes of balances, notes, acts of staff. */
import { customerFacts, notesOf } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { entriesOfUser } from '#ledger'
import { Refusal } from '#lib/refusal'
import { searchInvoices } from '#purchase'
import { listAudit } from '#staff'
import { iso } from './page.ts'

type Db = Parameters<typeof customerFacts>[0]
type Event = DeskOutput<'customer_timeline'>['rows'][number]

/** The newest of each source; a customer with more of one has the rest in that list of its own. */
const mostOfASource = 500

/** Events, the newest first; `after` is the time of the last one. Events of one time are on one page. */
export async function timeline(
  db: Db,
  { id, after, limit = 50 }: DeskParsed<'customer_timeline'>,
): Promise<DeskOutput<'customer_timeline'>> {
  if (after !== undefined && Number.isNaN(Date.parse(after)))
    throw new Refusal('invalid_field', { field: 'after' })
  const accountId = BigInt(id)
  const sources = await Promise.all([
    ofAccount(db, accountId),
    ofInvoices(db, accountId),
    ofLedger(db, accountId),
    ofNotes(db, accountId),
    ofStaff(db, accountId),
  ])
  const all = sources
    .flat()
    .filter(({ at }) => after === undefined || at < after)
    .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  const last = all[limit - 1]
  if (last === undefined) return { rows: all, next: null }
  const rows = all.filter(({ at }) => at >= last.at)
  return { rows, next: rows.length < all.length ? last.at : null }
}

const event = (
  at: Date,
  kind: Event['kind'],
  subject: { kind: Event['subject_kind']; id: string },
  facts: Event['facts'] = {},
  by: Event['by'] = null,
): Event => ({ at: at.toISOString(), kind, subject_kind: subject.kind, subject_id: subject.id, facts, by })

async function ofAccount(db: Db, accountId: bigint): Promise<Event[]> {
  const facts = await customerFacts(db, accountId)
  if (facts === null) throw new Refusal('customer_not_found')
  const subject = { kind: 'customer', id: String(accountId) } as const
  const { emailConfirmedAt } = facts
  return [
    event(facts.createdAt, 'signed_up', subject, { campaign: facts.campaign }),
    ...(emailConfirmedAt === null ? [] : [event(emailConfirmedAt, 'email_confirmed', subject)]),
  ]
}

async function ofInvoices(db: Db, accountId: bigint): Promise<Event[]> {
  const page = { before: null, limit: mostOfASource }
  const invoices = await searchInvoices(db, { accountIds: [accountId] }, page)
  return invoices.flatMap((invoice) => {
    const subject = { kind: 'invoice', id: invoice.number } as const
    const facts = {
      pool: invoice.pool,
      gb: String(invoice.gb),
      method: invoice.method,
      cost_micros: String(invoice.dueMicros),
      received_micros: String(invoice.receivedMicros),
      refunded_micros: String(invoice.refundedMicros),
      state: invoice.state,
    }
    const { settledAt, refundedAt, disputedAt } = invoice
    return [
      event(invoice.createdAt, 'invoice_made', subject, facts),
      ...(settledAt === null ? [] : [event(settledAt, 'invoice_settled', subject, facts)]),
      ...(refundedAt === null ? [] : [event(refundedAt, 'invoice_refunded', subject, facts)]),
      ...(disputedAt === null ? [] : [event(disputedAt, 'invoice_disputed', subject, facts)]),
    ]
  })
}

/** Kinds of ledger transactions that other events tell of. */
const toldOtherwise = new Set(['purchase', 'refund'])

async function ofLedger(db: Db, accountId: bigint): Promise<Event[]> {
  const entries = await entriesOfUser(db, accountId, { before: null, limit: mostOfASource })
  return entries
    .filter(({ kind }) => !toldOtherwise.has(kind))
    .map((entry) =>
      event(
        entry.at,
        'balance_changed',
        { kind: 'ledger', id: String(entry.transactionId) },
        {
          kind: entry.kind,
          reference: entry.reference,
          account: entry.pool ?? 'referral',
          amount: String(entry.amount),
        },
      ),
    )
}

async function ofNotes(db: Db, accountId: bigint): Promise<Event[]> {
  return (await notesOf(db, accountId, mostOfASource)).map((note) =>
    event(
      note.created_at,
      'note',
      { kind: 'note', id: String(note.id) },
      { text: note.text },
      {
        kind: note.author_kind === 'staff' ? 'staff' : 'system',
        staff_id: note.author_id === null ? null : String(note.author_id),
        name: note.author_name,
      },
    ),
  )
}

async function ofStaff(db: Db, accountId: bigint): Promise<Event[]> {
  const entries = await listAudit(db, { accountId }, { before: null, limit: mostOfASource })
  return entries
    .filter(({ action }) => action !== 'add_note')
    .map((entry) =>
      event(
        entry.at,
        entry.action === 'block_customer' ? 'blocked' : 'staff_act',
        { kind: 'audit', id: String(entry.id) },
        {
          action: entry.action,
          reason: entry.reason,
          at: iso(entry.at),
        },
        {
          kind: entry.actor_kind as 'staff' | 'system',
          staff_id: entry.staff_id === null ? null : String(entry.staff_id),
          name: entry.actor_name,
        },
      ),
    )
}
