/** The desk's calls that read customers. */
import {
  accountNumber,
  type CustomerRow,
  customerFacts,
  heldAt,
  isByBalance,
  isByMargin,
  listCountries,
  listTags,
  marginsAt,
  notesOf,
  searchCustomers,
  sessionsOfAccount,
} from '#accounts'
import { priceListNames, priceListOf } from '#catalog'
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { may, type Role } from '#contract/desk/roles'
import { type Pool, pools } from '#contract/wire'
import { entriesOfUser, referralBalance } from '#ledger'
import { Refusal } from '#lib/refusal'
import { findAccess } from '#proxies'
import { moneyOf, searchInvoices } from '#purchase'
import { membersOf, teamsOf } from '#teams'
import { type DeskHandlers, memberOf } from '#staff/call'
import { balancesOf, leasedByPool, usageDays } from '#traffic'
import { entriesOf } from '#whitelist'
import { exactly } from './find.ts'
import {
  amount,
  bigintOf,
  cursorOf,
  endOf,
  idAfter,
  iso,
  numbersAfter,
  pageOf,
  timeOf,
} from '../lists/page.ts'
import { timeline } from './timeline.ts'

type Db = Parameters<typeof customerFacts>[0]

const rowOf = (row: CustomerRow, list: { name: string } | undefined, margins: boolean) => ({
  id: String(row.id),
  name: row.username,
  email: row.email,
  telegram: row.telegramUserId === null ? null : String(row.telegramUserId),
  state: row.state,
  tags: row.tags,
  spent_micros: amount(row.spentMicros),
  balance_bytes: amount(row.balanceBytes),
  margin_micros: margins ? amount(row.marginMicros) : null,
  last_seen_at: iso(row.seenAt),
  created_at: row.createdAt.toISOString(),
  country: row.country,
  price_list: list?.name ?? null,
})

async function listCustomers(
  db: Db,
  input: DeskParsed<'customers'>,
  { role, zone }: { role: Role; zone: string },
) {
  const { after, limit = 50, sort = 'newest', text } = input
  const [contacts, margins] = [may(role, 'customers.contacts'), may(role, 'reports.read')]
  const place = numbersAfter(after)
  const exact = text === undefined ? [] : await exactly(db, text.trim())
  const number = accountNumber(text ?? '')
  const filter = {
    text,
    wholeEmail: !contacts,
    ids: [...exact.map(({ accountId }) => accountId), ...(number === null ? [] : [number])],
    state: input.state,
    tag: input.tag,
    spentFrom: bigintOf(input.spent_from),
    spentTo: bigintOf(input.spent_to),
    seenFrom: timeOf(input.seen_from, zone),
    seenTo: endOf(input.seen_to, zone),
    joinedFrom: timeOf(input.joined_from, zone),
    joinedTo: endOf(input.joined_to, zone),
    balanceFrom: bigintOf(input.balance_from),
    balanceTo: bigintOf(input.balance_to),
    marginFrom: bigintOf(input.margin_from),
    marginTo: bigintOf(input.margin_to),
    campaign: input.campaign,
    inviter: bigintOf(input.inviter),
    country: input.country,
    priceList: bigintOf(input.price_list),
  }
  // An order or a filter by margin reveals it as well as the figure itself.
  if (isByMargin({ sort, filter }) && !margins) throw new Refusal('no_permission', { role })
  // Read before the rows, so that the order is never older than this time says.
  const balancesAt = isByBalance({ sort, filter }) ? await heldAt(db) : null
  const rows = await searchCustomers(db, filter, {
    sort,
    after: place === null ? null : { key: place[0], id: place[1] },
    limit: limit + 1,
  })
  const lists = await priceListNames(
    db,
    rows.map(({ id }) => id),
  )
  const page = pageOf(rows, limit, {
    next: (last) => cursorOf(String(last.key), String(last.id)),
    shown: (row) => rowOf(row, lists.get(row.id), margins),
  })
  return { ...page, balances_at: iso(balancesAt), margins_at: margins ? iso(await marginsAt(db)) : null }
}

const dayMs = 86_400_000

async function poolsOf(db: Db, accountId: bigint, now: Date) {
  const balances = await balancesOf(db, accountId)
  const leased = new Map((await leasedByPool(db, accountId)).map(({ pool, bytes }) => [pool, bytes]))
  const [from, to] = [now.getTime() - 29 * dayMs, now.getTime()].map((ms) =>
    new Date(ms).toISOString().slice(0, 10),
  ) as [string, string]
  const shown = pools.map(async (pool) => {
    const access = await findAccess(db, { accountId, pool })
    if (access === null) return []
    const days = await usageDays(db, { accountId, pool, from, to })
    const addresses = await entriesOf(db, { accountId, pool })
    return [
      {
        pool,
        login: access.login,
        paid_bytes: amount(balances.get(pool)?.paid),
        bonus_bytes: amount(balances.get(pool)?.bonus),
        leased_bytes: amount(leased.get(pool)),
        reserved_bytes: amount(balances.get(pool)?.reserved),
        used_30_days_bytes: amount(days.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0n)),
        addresses: addresses.map(({ address, provenAt }) => ({ ip: address, proven: provenAt !== null })),
      },
    ]
  })
  return (await Promise.all(shown)).flat()
}

/** The members of the customer's team, and the teams that they are a member of. */
async function peopleOf(db: Db, id: bigint): Promise<Pick<DeskOutput<'customer'>, 'members' | 'teams'>> {
  const [members, teams] = await Promise.all([membersOf(db, id), teamsOf(db, id)])
  return {
    members: members.map(({ accountId, name, email, role, joinedAt }) => ({
      id: String(accountId),
      name,
      email,
      role,
      joined_at: joinedAt.toISOString(),
    })),
    teams: teams.map(({ teamId, name, role, joinedAt }) => ({
      id: String(teamId),
      name,
      role,
      joined_at: joinedAt.toISOString(),
    })),
  }
}

async function shownCustomer(db: Db, id: bigint, now: Date): Promise<DeskOutput<'customer'>> {
  const facts = await customerFacts(db, id)
  if (facts === null) throw new Refusal('customer_not_found')
  const invoices = await searchInvoices(db, { accountIds: [id] }, { before: null, limit: 1000 })
  const sessions = await sessionsOfAccount(db, id, now)
  const notes = await notesOf(db, id)
  const { inviterId } = facts
  const list = await priceListOf(db, id)
  const money = await moneyOf(db, id)
  return {
    id: String(id),
    name: facts.username,
    email: facts.email,
    email_confirmed: facts.emailConfirmedAt !== null,
    telegram: facts.telegramUserId === null ? null : String(facts.telegramUserId),
    language: facts.lang === 'eng' ? 'en' : 'ru',
    state: facts.state,
    blocked:
      facts.blockedAt === null
        ? null
        : { at: facts.blockedAt.toISOString(), until: iso(facts.blockedUntil), reason: facts.blockedReason },
    erasure_asked_at: iso(facts.erasureAskedAt),
    erased_at: iso(facts.erasedAt),
    created_at: facts.createdAt.toISOString(),
    last_seen_at: iso(facts.seenAt),
    last_signed_in_at: iso(facts.signedInAt),
    country: facts.country,
    has_password: facts.hasPassword,
    invited_by: inviterId === null ? null : { id: String(inviterId), name: facts.inviterName },
    invited: Number(facts.invited),
    campaign: facts.campaign,
    referral_ppm: facts.sharePpm === 0 ? null : facts.sharePpm,
    price_list: list === null ? null : { id: String(list.id), name: list.name },
    referral_micros: amount(await referralBalance(db, id)),
    money_micros: amount(money.micros),
    money_withheld_micros: amount(money.frozenMicros),
    money_owed_micros: amount(money.owedMicros),
    spent_micros: amount(facts.spentMicros),
    invoices: invoices.length,
    tags: facts.tags,
    pools: await poolsOf(db, id, now),
    sessions: sessions.map((session, index) => ({
      id: String(index + 1),
      created_at: session.created_at.toISOString(),
      used_at: session.used_at.toISOString(),
      expires_at: session.expires_at.toISOString(),
    })),
    notes: notes.map((note) => ({
      id: String(note.id),
      text: note.text,
      by: {
        kind: note.author_kind === 'staff' ? 'staff' : 'system',
        staff_id: note.author_id === null ? null : String(note.author_id),
        name: note.author_name,
      },
      at: note.created_at.toISOString(),
    })),
    ...(await peopleOf(db, id)),
  }
}

const partOf = {
  traffic_paid: 'paid',
  traffic_bonus: 'bonus',
  reserved_paid: 'reserved_paid',
  reserved_bonus: 'reserved_bonus',
  referral: 'referral',
  referral_payout: 'payout',
  money: 'balance',
  money_frozen: 'withheld',
} as const

function accountOf({ pool, accountKind }: { pool: string | null; accountKind: string }) {
  if (pool !== null) return pool as Pool
  return accountKind.startsWith('money') ? ('balance' as const) : ('referral' as const)
}

async function listLedger(db: Db, { id, account, after, limit = 50 }: DeskParsed<'customer_ledger'>) {
  // One transaction has only a few entries for a customer; they are shown on one page.
  const most = 8
  const rows = await entriesOfUser(db, BigInt(id), {
    account,
    before: idAfter(after),
    limit: limit + most,
  })
  const last = rows[limit]?.transactionId
  const page = last === undefined ? rows : rows.filter(({ transactionId }) => transactionId > last)
  return {
    rows: page.map((row) => ({
      id: String(row.transactionId),
      at: row.at.toISOString(),
      kind: row.kind,
      reference: row.reference,
      account: accountOf(row),
      part: partOf[row.accountKind as keyof typeof partOf],
      amount: amount(row.amount),
    })),
    next: last === undefined ? null : String(page.at(-1)?.transactionId ?? last + 1n),
  }
}

const mostDays = 400

async function listUsage(db: Db, { id, from, until, pool }: DeskParsed<'customer_usage'>) {
  const days = (Date.parse(until) - Date.parse(from)) / dayMs
  if (!(days >= 0 && days <= mostDays)) throw new Refusal('invalid_field', { field: 'until' })
  const rows = await Promise.all(
    (pool === undefined ? pools : [pool]).map(async (each) =>
      (await usageDays(db, { accountId: BigInt(id), pool: each, from, to: until })).map((day) => ({
        day: day.day,
        pool: each,
        charged_bytes: amount(day.chargedBytes),
        bonus_bytes: amount(day.bonusBytes),
        requests: amount(day.requests),
      })),
    ),
  )
  return { rows: rows.flat().toSorted((a, b) => a.day.localeCompare(b.day)), next: null }
}

export const customerCalls = {
  customers: (input, context) =>
    listCustomers(context.database.db, input, {
      role: memberOf(context).role,
      zone: context.zone,
    }),
  customer: ({ id }, { database, now }) => shownCustomer(database.db, BigInt(id), now()),
  customer_ledger: (input, { database }) => listLedger(database.db, input),
  customer_usage: (input, { database }) => listUsage(database.db, input),
  customer_timeline: (input, { database, now }) => timeline(database.db, input, now()),
  sign_up_countries: async (_input, { database }) =>
    (await listCountries(database.db)).map(({ country, customers }) => ({
      country,
      customers: Number(customers),
    })),
  tags: async (_input, { database }) =>
    (await listTags(database.db)).map(({ tag, customers }) => ({ tag, customers: Number(customers) })),
} satisfies Partial<DeskHandlers>
