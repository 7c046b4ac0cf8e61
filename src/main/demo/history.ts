/**
 * Fills a demo with its invented month through the doors of the slices, each day in one transaction with an
 * entry of the audit trail that says so. An interrupted filling continues with the next day; a complete one
 * is not repeated.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { addNote, blockAccount, findAccount, personOf, setTags, signUp } from '#accounts'
import { type Database, transaction } from '#db'
import { showExits } from '#exits'
import type { ReportLine } from '#feed'
import { printConnection } from '#feed/connection.record'
import { least } from '#lib/bigint'
import { listCodes } from '#promo'
import { ensureAccess } from '#proxies'
import {
  createInvoice,
  expireInvoices,
  findInvoice,
  type PurchaseDeps,
  refundInvoice,
  settle,
} from '#purchase'
import { keepRequests } from '#requests'
import { type Author, listAudit, record } from '#staff'
import { lease, settle as settleTraffic } from '#traffic'
import {
  type Connection,
  type Day,
  daysBefore,
  type Order,
  type Person,
  planCustomer,
  planMonth,
} from './plan.ts'

type Tx = Parameters<typeof record>[0]

const author: Author = { kind: 'system', staffId: null, name: 'demo', ip: null, requestId: null }
const action = 'fill_demo'
const hourMs = 3_600_000
const customersTag = 'demo'

/** What filling a demo needs of a process. */
export type FillingServices = Pick<PurchaseDeps, 'secrets' | 'methods'> & { database: Database }

interface Filling {
  services: FillingServices
  /** The promo code that some orders use; null: the operator has ended it. */
  promocode: string | null
  exits: ReadonlyMap<string, bigint>
  accounts: Map<string, bigint>
}

async function begin(services: FillingServices, promocode: string): Promise<Filling> {
  const { db } = services.database
  const code = (await listCodes(db)).find((one) => one.code.toLowerCase() === promocode.toLowerCase())
  const isOpen =
    code !== undefined && code.disabledAt === null && code.maxUses === null && code.expiresAt === null
  const exits = await showExits(db, services.secrets)
  return {
    services,
    promocode: isOpen ? promocode : null,
    exits: new Map(exits.map(({ pool, id }) => [pool, id])),
    accounts: new Map(),
  }
}

/**
 * Fills the month up to now, or the rest of one that was begun, until it is complete or `signal` is aborted.
 * `promocode` is one of the demo's own.
 */
export async function fillMonth(
  services: FillingServices,
  { promocode, signal }: { promocode: string; signal: AbortSignal },
): Promise<void> {
  const { database } = services
  const done = await listAudit(
    database.db,
    { action, subjectKind: 'list' },
    { before: null, limit: daysBefore + 1 },
  )
  if (done.length > daysBefore) return
  const until =
    done[0] === undefined ? database.clock.now() : new Date((done[0].after as { until: string }).until)
  const filling = await begin(services, promocode)
  for (const day of planMonth(until).slice(done.length)) {
    if (signal.aborted) return
    await transaction(database.db, async (tx) => {
      await fillDay(tx, filling, day)
      const { people, orders, connections } = day
      const after = {
        until,
        customers: people.length,
        orders: orders.length,
        connections: connections.length,
      }
      await record(tx, author, { action, subject: { kind: 'list', id: day.day }, after }, day.end)
    })
  }
}

/** Fills the month of the demo's own customer at once: their balance is afterwards what it was before. */
export async function fillCustomer(
  services: FillingServices,
  { name, promocode }: { name: string; promocode: string },
): Promise<void> {
  const { database } = services
  const account = await findAccount(database.db, name)
  if (account === null) throw new Error('the demo customer was just made')
  const { id: accountId } = account
  const subject = { kind: 'customer', id: String(accountId) } as const
  if ((await listAudit(database.db, { action, accountId }, { before: null, limit: 1 })).length > 0) return
  const filling = await begin(services, promocode)
  const until = database.clock.now()
  const { orders, connections } = planCustomer(name, until)
  await transaction(database.db, async (tx) => {
    for (const order of orders) await place(tx, filling, order)
    await spend(tx, filling, connections)
    for (const [day, some] of Map.groupBy(connections, ({ endedAt }) =>
      Math.floor(endedAt.getTime() / (24 * hourMs)),
    ))
      await keep(tx, filling, `${name} ${day}`, some, new Date((day + 1) * 24 * hourMs - 1))
    const after = { until, orders: orders.length, connections: connections.length }
    await record(tx, author, { action, subject, accountId, after }, until)
  })
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
/** The time that a payer's bank allows for the answer to a dispute: one of the last days is due soon. */
const respondDays = 3.5

/** An order, and what its processor reported later. */
async function place(tx: Tx, { services, promocode, accounts }: Filling, order: Order): Promise<void> {
  const accountId = await accountOf(tx, accounts, order.name)
  // All of it belongs to the caller's transaction.
  const database: Database = { ...services.database, db: tx }
  const { secrets, methods } = services
  const nothing = () => undefined
  const deps: PurchaseDeps = {
    secrets,
    methods,
    receipts: null,
    takesBack: async () => true,
    noteFault: nothing,
    noteSale: nothing,
    isInvented: true,
  }
  const { at, pool, gb, ending } = order
  const code = order.promocode ? promocode : null
  const wish = { accountId, pool, gb, promocode: code, language: 'en', method } as const
  const { number } = await createInvoice(database, deps, wish, at)
  if (ending === 'open') return
  const invoice = await findInvoice(tx, number)
  if (invoice === null) throw new Error('the invoice was just made')
  const { costMicros, price } = invoice
  const paidAt = new Date(at.getTime() + 90_000)
  if (ending === 'cancelled') {
    const nothing = { externalPaymentId: number, receivedMicros: 0n }
    await settle(database, deps, method, { invoiceNumber: number, outcome: 'cancelled', ...nothing }, paidAt)
    return
  }
  const receivedMicros = ending === 'partly' ? (costMicros * 7n) / 10n : costMicros
  const payment = { externalPaymentId: `demo ${number}`, receivedMicros }
  await settle(database, deps, method, { invoiceNumber: number, outcome: 'received', ...payment }, paidAt)
  const later = new Date(at.getTime() + 2 * hourMs)
  if (ending === 'refunded')
    await refundInvoice(database, { number, what: 'unused', isInvented: true }, later)
  if (ending !== 'disputed') return
  const finding = { externalId: number, invoiceNumber: number, status: 'received', price } as const
  const respondBy = new Date(at.getTime() + respondDays * 24 * hourMs)
  const state = respondBy < services.database.clock.now() ? 'won' : 'needs_response'
  const dispute = { state, respondBy } as const
  const found = { ...finding, receivedMicros: price.micros, isTest: false, isDisputed: true, dispute }
  await settle(database, deps, method, found, later)
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

/** Leases, reports and returns traffic as a gateway would, for what the connections charge. */
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

/** What a lease covers, taken from the use hour by hour; the last line gives it back. */
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
  { services, exits, accounts }: Filling,
  run: string,
  connections: readonly Connection[],
  now: Date,
): Promise<void> {
  const lines: string[] = []
  for (const one of connections) {
    const accountId = await accountOf(tx, accounts, one.name)
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
        up_bytes: up,
        down_bytes: one.bytes - up,
        charged_up_bytes: up,
        charged_down_bytes: one.bytes - up,
      }),
    )
  }
  const batch = { gateway: 'demo', run, number: 1, lines: lines.join('\n') }
  await keepRequests(tx, { records: [], unkept: [], batch }, { now })
}
