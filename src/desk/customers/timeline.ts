/**
 * The history of a customer in one list: the account, invoices, balances, letters, invitations, addresses,
 * notes, acts of staff.
 */
import { type CustomerFacts, customerFacts, notesOf, searchCustomers, sessionsOfAccount } from '#accounts'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { entriesOfUser } from '#ledger'
import { pools } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import { lettersTo } from '#mail'
import { searchInvoices } from '#purchase'
import { listAudit } from '#staff'
import { entriesOf } from '#whitelist'
import { iso } from '../lists/page.ts'

type Db = Parameters<typeof customerFacts>[0]
type Event = DeskOutput<'customer_timeline'>['rows'][number]

/** The maximum number of events of a source, the newest; the rest are in that source's own list. */
const mostOfASource = 500
/** The maximum number of invitations; the full list of invitees shows more of each. */
const mostInvited = 100

/** Events, the newest first; `after` is the time of the last one. Events of one time are on one page. */
export async function timeline(
  db: Db,
  { id, after, limit = 50 }: DeskParsed<'customer_timeline'>,
  now: Date,
): Promise<DeskOutput<'customer_timeline'>> {
  if (after !== undefined && Number.isNaN(Date.parse(after)))
    throw new Refusal('invalid_field', { field: 'after' })
  const accountId = BigInt(id)
  const facts = await customerFacts(db, accountId)
  if (facts === null) throw new Refusal('customer_not_found')
  const sources = await Promise.all([
    ofSessions(db, accountId, now),
    ofLetters(db, facts.email),
    ofInvited(db, accountId),
    ofAddresses(db, accountId),
    ofInvoices(db, accountId),
    ofLedger(db, accountId),
    ofNotes(db, accountId),
    ofStaff(db, accountId),
  ])
  const all = sources
    .flat()
    .concat(ofAccount(facts))
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

function ofAccount(facts: CustomerFacts): Event[] {
  const subject = { kind: 'customer', id: String(facts.id) } as const
  const { emailConfirmedAt, telegramLinkedAt, erasureAskedAt } = facts
  const campaign = { campaign: facts.campaign, country: facts.country }
  return [
    event(facts.createdAt, 'signed_up', subject, campaign),
    ...(emailConfirmedAt === null ? [] : [event(emailConfirmedAt, 'email_confirmed', subject)]),
    ...(telegramLinkedAt === null ? [] : [event(telegramLinkedAt, 'telegram_linked', subject)]),
    ...(erasureAskedAt === null ? [] : [event(erasureAskedAt, 'erasure_asked', subject)]),
  ]
}

/** Sign-ins whose sessions are open; the others are not stored. */
async function ofSessions(db: Db, accountId: bigint, now: Date): Promise<Event[]> {
  const subject = { kind: 'customer', id: String(accountId) } as const
  const sessions = await sessionsOfAccount(db, accountId, now)
  return sessions.map((session) => event(session.created_at, 'signed_in', subject))
}

/** The outcome of a letter. */
export const letterState = ({ sentAt, failedAt }: { sentAt: Date | null; failedAt: Date | null }) =>
  sentAt !== null ? 'sent' : failedAt !== null ? 'failed' : 'waiting'

async function ofLetters(db: Db, email: string | null): Promise<Event[]> {
  if (email === null) return []
  const letters = await lettersTo(db, email, { after: null, limit: mostOfASource })
  return letters.map((letter) =>
    event(
      letter.createdAt,
      'letter',
      { kind: 'letter', id: letter.id },
      {
        template: letter.template,
        state: letterState(letter),
        fault: letter.failure,
        done_at: iso(letter.sentAt ?? letter.failedAt),
      },
    ),
  )
}

async function ofInvited(db: Db, accountId: bigint): Promise<Event[]> {
  const page = { sort: 'newest', after: null, limit: mostInvited } as const
  return (await searchCustomers(db, { inviter: accountId }, page)).map(({ id, username, createdAt }) =>
    event(createdAt, 'invited', { kind: 'customer', id: String(id) }, { name: username }),
  )
}

/** The addresses that are on the whitelists now. */
async function ofAddresses(db: Db, accountId: bigint): Promise<Event[]> {
  const subject = { kind: 'customer', id: String(accountId) } as const
  const entries = await Promise.all(
    pools.map(async (pool) =>
      (await entriesOf(db, { accountId, pool })).map(({ address, claimedAt }) =>
        event(claimedAt, 'address_listed', subject, { pool, ip: address }),
      ),
    ),
  )
  return entries.flat()
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
      promo_code: invoice.promocode,
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

/** Kinds of ledger transactions that are shown by other events. */
const toldOtherwise = new Set(['purchase', 'refund', 'test_purchase', 'test_refund'])

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
