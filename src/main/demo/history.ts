/**
 * Fills a demo with its invented month in one transaction, through the doors of the slices and, for payments,
 * by sales.ts. An entry of the audit trail says so for each day. The ledger takes this past before the shop's
 * own first entry only.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { addNote, blockAccount, findAccount, noteInventedVisit, personOf, setTags, signUp } from '#accounts'
import { type Database, transaction } from '#db'
import { noteAnswers, showExits } from '#exits'
import type { ReportLine } from '#feed'
import { answerClass, answerClasses } from '#feed/exit.answers'
import { printConnection } from '#feed/connection.record'
import { openPast, type PostPast } from '#ledger'
import { least } from '#lib/bigint'
import { listCodes } from '#promo'
import { ensureAccess } from '#proxies'
import { createInvoice, expireInvoices, findInvoice, type Invoice, type PurchaseDeps } from '#purchase'
import { keepRequests } from '#requests'
import { type Author, listAudit, record } from '#staff'
import { lease, settle as settleTraffic } from '#traffic'
import { type Connection, type Day, type Order, type Person, planCustomer, planMonth } from './plan.ts'
import { cancel, dispute, pay, refund } from './sales.ts'

type Tx = Parameters<typeof record>[0]

const author: Author = { kind: 'system', staffId: null, name: 'demo', ip: null, requestId: null }
const action = 'fill_demo'
const hourMs = 3_600_000
const customersTag = 'demo'

/** What filling a demo needs of a process. */
export type FillingServices = Pick<PurchaseDeps, 'secrets' | 'methods'> & { database: Database }

interface Filling {
  services: FillingServices
  postPast: PostPast
  /** The promo code that some orders use; null: the operator has ended it. */
  promocode: string | null
  exits: ReadonlyMap<string, bigint>
  accounts: Map<string, bigint>
  /** When each customer last visited the shop. */
  seen: Map<bigint, Date>
}

async function begin(
  tx: Tx,
  { services, postPast }: Pick<Filling, 'services' | 'postPast'>,
  promocode: string,
): Promise<Filling> {
  const code = (await listCodes(tx)).find((one) => one.code.toLowerCase() === promocode.toLowerCase())
  const isOpen =
    code !== undefined && code.disabledAt === null && code.maxUses === null && code.expiresAt === null
  const exits = await showExits(tx, services.secrets)
  return {
    services,
    postPast,
    promocode: isOpen ? promocode : null,
    exits: new Map(exits.map(({ pool, id }) => [pool, id])),
    accounts: new Map(),
    seen: new Map(),
  }
}

/**
 * Writes the month of the demo: of its own customer, whose balance does not change, and of the invented
 * customers. `promocode` is one of the demo's own. A shop that has ever posted anything keeps its past:
 * 'kept', or 'known' when that past is the demo's.
 */
export async function fillPast(
  services: FillingServices,
  { name, promocode }: { name: string; promocode: string },
): Promise<'filled' | 'known' | 'kept'> {
  const { database } = services
  return transaction(database.db, async (tx) => {
    const postPast = await openPast(tx)
    const known = await listAudit(tx, { action }, { before: null, limit: 1 })
    if (postPast === null) return known.length > 0 ? 'known' : 'kept'
    const until = database.clock.now()
    const filling = await begin(tx, { services, postPast }, promocode)
    await fillCustomer(tx, filling, name, until)
    for (const day of planMonth(until)) {
      await fillDay(tx, filling, day)
      const { people, orders, connections } = day
      const after = {
        until,
        customers: people.length,
        orders: orders.length,
        connections: connections.length,
      }
      await record(tx, author, { action, subject: { kind: 'list', id: day.day }, after }, day.end)
    }
    await noteVisits(tx, filling)
    await noteHealth(tx, filling, until)
    return 'filled'
  })
}

async function fillCustomer(tx: Tx, filling: Filling, name: string, until: Date): Promise<void> {
  const accountId = await accountOf(tx, filling.accounts, name)
  const { orders, connections } = planCustomer(name, until)
  for (const order of orders) await place(tx, filling, order)
  await spend(tx, filling, connections)
  for (const [day, some] of Map.groupBy(connections, ({ endedAt }) =>
    Math.floor(endedAt.getTime() / (24 * hourMs)),
  ))
    await keep(tx, filling, `${name} ${day}`, some, new Date((day + 1) * 24 * hourMs - 1))
  const subject = { kind: 'customer', id: String(accountId) } as const
  const after = { until, orders: orders.length, connections: connections.length }
  await record(tx, author, { action, subject, accountId, after }, until)
}

async function fillDay(
  tx: Tx,
  filling: Filling,
  { day, end, people, orders, connections }: Day,
): Promise<void> {
  for (const person of people) await join(tx, person)
  for (const order of orders) await place(tx, filling, order)
  await spend(tx, filling, connections)
  for (const person of people) if (person.isBlocked) await block(tx, filling, person, end)
  await expireInvoices(tx, end)
  await keep(tx, filling, day, connections, new Date(end.getTime() - 1))
}

async function join(tx: Tx, { name, language, joinedAt, campaign, inviter, note }: Person): Promise<void> {
  const invitedBy = inviter === null ? null : await findAccount(tx, inviter)
  const { id: accountId } = await signUp(tx, {
    username: name,
    // RFC 2606: no mail reaches it.
    email: `${name}@customers.example`,
    password: randomBytes(12).toString('base64url'),
    lang: language,
    referralCode: invitedBy === null ? null : (await personOf(tx, invitedBy.id)).refCode,
    adminReferralCode: campaign,
    createdAt: joinedAt,
  })
  await setTags(tx, accountId, [customersTag])
  const by = { kind: author.kind, id: null, name: author.name }
  if (note !== null)
    await addNote(tx, { accountId, text: note, author: by }, new Date(joinedAt.getTime() + hourMs))
}

/** One of this many customers never confirms the address. */
const unconfirmedShare = 8n

/** Runs after all payments, so that no letter about them is written. */
async function noteVisits(tx: Tx, { seen }: Filling): Promise<void> {
  for (const [accountId, at] of seen)
    await noteInventedVisit(tx, { accountId, isConfirmed: accountId % unconfirmedShare !== 0n }, at)
}

const shownMinutes = 60
const answersAMinute = 24

/** The last hour of the exits: nearly all connections are answered, within a fraction of a second. */
async function noteHealth(tx: Tx, { exits }: Filling, until: Date): Promise<void> {
  for (let ago = shownMinutes - 1; ago >= 0; ago--) {
    const told = [...exits.values()].map((exit, index) => {
      const answered = Array<number>(answerClasses).fill(0)
      answered[answerClass(180)] = answersAMinute + ((ago * 7 + index * 5) % 11)
      return { exit, failed: (ago + index * 3) % 13 === 0 ? 1 : 0, answered }
    })
    await noteAnswers(tx, told, new Date(until.getTime() - ago * 60_000))
  }
}

async function block(tx: Tx, { accounts }: Filling, { name }: Person, now: Date): Promise<void> {
  const accountId = await accountOf(tx, accounts, name)
  await blockAccount(tx, { accountId, reason: 'Several complaints about scanning', tells: false }, now)
}

async function accountOf(tx: Tx, accounts: Filling['accounts'], name: string): Promise<bigint> {
  const known = accounts.get(name)
  if (known !== undefined) return known
  const account = await findAccount(tx, name)
  if (account === null) throw new Error(`the demo's customer ${name} is gone`)
  accounts.set(name, account.id)
  return account.id
}

const method = 'sandbox'
const ignore = () => undefined
/** The time that a payer's bank allows for the answer to a dispute: one of the last days is due soon. */
const respondDays = 3.5

/** An order and its outcome. */
async function place(
  tx: Tx,
  { services, postPast, promocode, accounts }: Filling,
  order: Order,
): Promise<void> {
  const accountId = await accountOf(tx, accounts, order.name)
  // All of it belongs to the caller's transaction.
  const database: Database = { ...services.database, db: tx }
  const { secrets, methods } = services
  const { at, pool, gb, ending } = order
  const code = order.promocode ? promocode : null
  const wish = { accountId, pool, gb, promocode: code, language: 'en', method } as const
  const { number } = await createInvoice(
    database,
    { secrets, methods, receipts: null, noteFault: ignore, noteSale: ignore },
    wish,
    at,
  )
  if (ending === 'open') return
  const invoice = await written(tx, number)
  if (ending === 'cancelled') return cancel(tx, invoice)
  const receivedMicros = ending === 'partly' ? (invoice.costMicros * 7n) / 10n : invoice.costMicros
  const paidAt = new Date(at.getTime() + 90_000)
  await pay(tx, { secrets, postPast }, { invoice, receivedMicros }, paidAt)
  const later = new Date(at.getTime() + 2 * hourMs)
  if (ending === 'refunded') return refund(tx, { postPast }, await written(tx, number), later)
  if (ending !== 'disputed') return
  const respondBy = new Date(at.getTime() + respondDays * 24 * hourMs)
  const state = respondBy < services.database.clock.now() ? 'won' : 'needs_response'
  await dispute(tx, invoice, { state, respondBy }, later)
}

async function written(tx: Tx, number: string): Promise<Invoice> {
  const invoice = await findInvoice(tx, number)
  if (invoice === null) throw new Error(`invoice ${number} is not there`)
  return invoice
}

interface Spending {
  access: bigint
  exit: bigint
  unusedBytes: bigint
  hours: { hour: number; bytes: bigint; requests: number }[]
}

function spendingOf(access: bigint, exit: bigint, connections: readonly Connection[]): Spending {
  const hours = [...Map.groupBy(connections, ({ endedAt }) => Math.floor(endedAt.getTime() / hourMs))]
  return {
    access,
    exit,
    unusedBytes: connections.reduce((sum, { bytes }) => sum + bytes, 0n),
    hours: hours.map(([hour, some]) => ({
      hour,
      bytes: some.reduce((sum, { bytes }) => sum + bytes, 0n),
      requests: some.length,
    })),
  }
}

/** Leases traffic, reports it and returns the rest, as a gateway would, for what the connections charge. */
async function spend(
  tx: Tx,
  { services, exits, accounts }: Filling,
  connections: readonly Connection[],
): Promise<void> {
  const done = connections.filter(({ failure }) => failure === null)
  const uses: Spending[] = []
  for (const [, ofOne] of Map.groupBy(done, ({ name, pool }) => `${name} ${pool}`)) {
    const [first] = ofOne
    if (first === undefined) continue
    const accountId = await accountOf(tx, accounts, first.name)
    const { id: access } = await ensureAccess(tx, services.secrets, { accountId, pool: first.pool })
    uses.push(spendingOf(access, exits.get(first.pool) ?? 0n, ofOne))
  }
  const holder = { gateway: 'demo', boot: randomUUID() }
  let sequence = 0
  // A gateway gets at most half of a customer's balance: using all of it takes several leases.
  while (uses.some(({ unusedBytes }) => unusedBytes > 0n)) {
    const hours = new Map<number, ReportLine[]>()
    for (const one of uses) {
      const lines = one.unusedBytes > 0n ? await linesOfLease(tx, holder, one) : []
      for (const { hour, line } of lines) hours.set(hour, [...(hours.get(hour) ?? []), line])
    }
    const reports = [...hours].toSorted(([a], [b]) => a - b)
    await settleTraffic(
      tx,
      reports.map(([hour, lines]) => ({ ...holder, sequence: ++sequence, at_ms: hour * hourMs, lines })),
    )
  }
}

/** The report lines of one lease: what it covers of the use, hour by hour; the last line closes the lease. */
async function linesOfLease(
  tx: Tx,
  holder: { gateway: string; boot: string },
  used: Spending,
): Promise<{ hour: number; line: ReportLine }[]> {
  const { access, exit } = used
  const grant = await lease(tx, holder, { access, want_bytes: used.unusedBytes })
  if (grant.granted_bytes === 0n) throw new Error('the demo has sold less than it uses')
  let heldBytes = least(grant.granted_bytes, used.unusedBytes)
  used.unusedBytes -= heldBytes
  const lines: { hour: number; line: ReportLine }[] = []
  for (const one of used.hours.toSorted((a, b) => a.hour - b.hour)) {
    const bytes = least(one.bytes, heldBytes)
    if (bytes === 0n) continue
    const amounts = { charged_bytes: bytes, relayed_bytes: bytes, requests: one.requests }
    lines.push({ hour: one.hour, line: { lease: grant.lease, access, exit, close: false, ...amounts } })
    heldBytes -= bytes
    one.bytes -= bytes
    one.requests = 0
  }
  const last = lines.at(-1)
  if (last !== undefined) last.line.close = true
  return lines
}

/** The records of connections that ended within a day before `now`. */
async function keep(
  tx: Tx,
  { services, exits, accounts, seen }: Filling,
  run: string,
  connections: readonly Connection[],
  now: Date,
): Promise<void> {
  const lines: string[] = []
  for (const one of connections) {
    const accountId = await accountOf(tx, accounts, one.name)
    seen.set(accountId, one.endedAt)
    const { id: access } = await ensureAccess(tx, services.secrets, { accountId, pool: one.pool })
    const up = one.bytes / 20n
    const isDone = one.failure === null
    const done = isDone ? { authenticated_ms: 1, exit_chosen_ms: 2, connected_ms: 45, first_byte_ms: 90 } : {}
    lines.push(
      printConnection({
        id: randomUUID(),
        account: accountId,
        access,
        pool: one.pool,
        at_ms: one.endedAt.getTime() - one.durationMs,
        ended_ms: one.durationMs,
        exit: exits.get(one.pool) ?? null,
        client: one.client,
        client_port: 40_000 + (lines.length % 20_000),
        protocol: 'connect',
        target: one.target,
        settings: `cc-${one.country}`,
        multiplier: 1,
        country: one.country,
        authenticated_ms: 1,
        exit_chosen_ms: 2,
        connected_ms: null,
        first_byte_ms: null,
        ...done,
        outcome: isDone ? 'done' : 'refused',
        status: one.failure?.status ?? null,
        code: one.failure?.code ?? null,
        sentence: one.failure?.sentence ?? null,
        exit_status: null,
        exit_word: null,
        target_address: null,
        exit_address: null,
        exit_port: null,
        up_bytes: up,
        down_bytes: one.bytes - up,
        charged_up_bytes: up,
        charged_down_bytes: one.bytes - up,
      }),
    )
  }
  const batch = { gateway: 'demo', boot: run, run, number: 1, lines: lines.join('\n') }
  await keepRequests(tx, { unkept: [], batch }, { now })
}
