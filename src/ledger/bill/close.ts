/**
 * The bill that customers can check: a line for each hour that is over and in which a pool's balance changed,
 * chained by hashes. docs/bill.md has the format; the database refuses to change a line, and computes the
 * hashes.
 */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type DB, inSnapshot, lockName, transaction } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'

/** A customer's traffic in a pool. */
export interface Holding {
  accountId: bigint
  pool: string
}

/** Data of other slices. */
export interface BillDeps {
  /**
   * What was paid per GB on average until now, micro-USD, in the order of the holdings; null: nothing was
   * paid.
   */
  paidPerGb: (db: Kysely<DB>, holdings: readonly Holding[]) => Promise<readonly (bigint | null)[]>
  /** Requests by hour, of the hours from `from` to `to` (excluded). */
  requests: (
    db: Kysely<DB>,
    asked: { accounts: readonly bigint[]; from: Date; to: Date },
  ) => Promise<readonly (Holding & { hour: Date; requests: bigint })[]>
}

export interface BillLine extends Holding {
  hour: Date
  creditedBytes: bigint
  chargedBytes: bigint
  microsPerGb: bigint | null
  requests: bigint
  balanceBytes: bigint
}

const hourMs = 3_600_000
/** The number of customers per transaction. */
const customersAtOnce = 500
/** How long after its end an hour is closed: statements that began within the hour are over by then. */
const graceMs = 120_000

/**
 * Makes the lines of all hours that are over for two minutes, by the database's clock; returns how many. What
 * is posted to such an hour later is in the next line. Any number of processes may do so concurrently.
 */
export async function closeBills(db: Kysely<DB>, deps: BillDeps): Promise<number> {
  let made = 0
  const customers = await changedCustomers(db)
  for (let at = 0; at < customers.length; at += customersAtOnce) {
    const next = customers.slice(at, at + customersAtOnce)
    const { lines, states } = await inSnapshot(db, (tx) => linesOf(tx, deps, next))
    if (lines.length > 0) made += await transaction(db, (tx) => write(tx, lines, states))
  }
  return made
}

/** A pool of a customer in the transaction's snapshot. */
interface State extends Holding {
  /** All hours before this one are over. */
  end: Date
  /** The last hour with a line, or the hour before the first that has lines. */
  hour: Date
  hourBytes: bigint
  isNew: boolean
  /** The balance on the last line. */
  billed: bigint
  /** The current balance, with everything posted and used until now. */
  balance: bigint
}

/** What happened in an hour. */
interface Event extends Holding {
  hour: Date
  credited: bigint
  charged: bigint
}

interface Closed {
  lines: BillLine[]
  states: (Holding & { hour: Date; hourBytes: bigint; balance: bigint; was: Date | null })[]
}

async function linesOf(tx: Transaction<DB>, deps: BillDeps, customers: readonly bigint[]): Promise<Closed> {
  const states = await statesOf(tx, customers)
  const accounts = [...new Set(states.map(({ accountId }) => accountId))]
  const closed: Closed = { lines: [], states: [] }
  if (states.length === 0) return closed
  const from = new Date(Math.min(...states.map(({ hour }) => hour.getTime())))
  const [end = from] = states.map((state) => state.end)
  const events = Map.groupBy(await eventsOf(tx, accounts, from), keyOf)
  const prices = await deps.paidPerGb(tx, states)
  const told = await deps.requests(tx, { accounts, from, to: end })
  const requests = new Map(told.map((one) => [`${keyOf(one)} ${one.hour.getTime()}`, one.requests]))
  for (const [index, state] of states.entries()) {
    const lines = linesOfPool(state, events.get(keyOf(state)) ?? [])
    const [last] = lines.slice(-1)
    if (last === undefined) continue
    const { accountId, pool } = state
    for (const { lateBytes: _, ...line } of lines)
      closed.lines.push({
        ...line,
        microsPerGb: prices[index] ?? null,
        requests: requests.get(`${keyOf(state)} ${line.hour.getTime()}`) ?? 0n,
      })
    closed.states.push({
      accountId,
      pool,
      hour: last.hour,
      hourBytes: last.chargedBytes - last.lateBytes,
      balance: last.balanceBytes,
      was: state.isNew ? null : state.hour,
    })
  }
  return closed
}

const keyOf = ({ accountId, pool }: Holding) => `${accountId} ${pool}`

type HourLine = Omit<BillLine, 'microsPerGb' | 'requests'> & {
  /** The part of the charged bytes that belongs to the hour of the previous line. */
  lateBytes: bigint
}

/**
 * The lines of a pool. The balance is computed back from now to the end of the last hour, so that the lines
 * lead to it: bytes that no event explains were held before the first line, or were posted by a transaction
 * that was committed after the line of its hour was made.
 */
function linesOfPool(state: State, events: readonly Event[]): HourLine[] {
  const { end, isNew } = state
  const charged = new Map<number, bigint>()
  const credited = new Map<number, bigint>()
  let balance = state.balance
  let late = 0n
  for (const event of events) {
    const at = event.hour.getTime()
    if (at >= end.getTime()) balance += event.charged - event.credited
    else if (at > state.hour.getTime()) {
      if (event.charged > 0n) charged.set(at, (charged.get(at) ?? 0n) + event.charged)
      if (event.credited !== 0n) credited.set(at, (credited.get(at) ?? 0n) + event.credited)
    } else if (at === state.hour.getTime() && !isNew) late += event.charged
  }
  late = isNew ? 0n : late - state.hourBytes
  const sum = (of: Map<number, bigint>) => [...of.values()].reduce((total, one) => total + one, 0n)
  const unexplained = balance - state.billed - sum(credited) + sum(charged) + late
  const hours = new Set([...charged.keys(), ...credited.keys()])
  if (isNew && unexplained !== 0n) hours.add(state.hour.getTime())
  else if (hours.size === 0 && (unexplained !== 0n || late > 0n)) hours.add(end.getTime() - hourMs)
  const lines = followed(
    state,
    [...hours].toSorted((a, b) => a - b),
    (at, isFirst) => ({
      credited: (credited.get(at) ?? 0n) + (isFirst ? unexplained : 0n),
      charged: (charged.get(at) ?? 0n) + (isFirst ? late : 0n),
      late: isFirst ? late : 0n,
    }),
  )
  if (lines.every(({ balanceBytes }) => balanceBytes >= 0n)) return lines
  // Bytes that were settled late belong to none of these hours yet: one line has all of them.
  const at = lines.at(-1)?.hour.getTime() ?? end.getTime() - hourMs
  const all = { credited: unexplained + sum(credited), charged: sum(charged) + late }
  return followed(state, [at], () => ({ ...all, late: all.charged - (charged.get(at) ?? 0n) }))
}

function followed(
  { accountId, pool, billed }: State,
  hours: readonly number[],
  of: (at: number, isFirst: boolean) => { credited: bigint; charged: bigint; late: bigint },
): HourLine[] {
  let held = billed
  return hours.map((at, index) => {
    const { credited: creditedBytes, charged: chargedBytes, late: lateBytes } = of(at, index === 0)
    held += creditedBytes - chargedBytes
    return { accountId, pool, hour: new Date(at), creditedBytes, chargedBytes, balanceBytes: held, lateBytes }
  })
}

/** The pools whose balance or hour is not that of their last line, of all customers or of some. */
const changedPools = (of: RawBuilder<unknown> = sql`true`) => sql`
  select a.customer_id, a.pool, sum(b.balance)::bigint as balance
  from ledger_account a join ledger_balance b on b.account_id = a.id
  where a.customer_id is not null and ${of} and a.currency = 'byte' group by 1, 2
  having sum(b.balance) <> coalesce((select p.balance_bytes from bill_pool p where p.account_id = a.customer_id and p.pool = a.pool), 0)
    or max(b.open_hour) > coalesce((select p.hour from bill_pool p where p.account_id = a.customer_id and p.pool = a.pool), '-infinity')`

/**
 * The numbers of the customers with changed pools. Read once per run, since it reads all balances; later
 * changes are left to the next run.
 */
async function changedCustomers(db: Kysely<DB>): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`
    select distinct customer_id as id from (${changedPools()}) changed order by 1`.execute(db)
  return rows.map(({ id }) => id)
}

/** The changed pools of these customers in the transaction's snapshot. */
async function statesOf(tx: Transaction<DB>, customers: readonly bigint[]): Promise<State[]> {
  const { rows } = await sql<State>`
    with closing as (
      select date_trunc('hour', now() - make_interval(secs => ${graceMs / 1000}), 'UTC') as at, since.hour from bill_since since
    ), changed as (${changedPools(sql`a.customer_id = any(${bigintArray(customers)}::bigint[])`)})
    select c.customer_id as "accountId", c.pool, closing.at as "end", c.balance,
      coalesce(p.hour, closing.hour - interval '1 hour') as hour, coalesce(p.hour_bytes, 0) as "hourBytes",
      p.hour is null as "isNew", coalesce(p.balance_bytes, 0) as billed
    from changed c cross join closing
    left join bill_pool p on p.account_id = c.customer_id and p.pool = c.pool
    order by c.customer_id, c.pool`.execute(tx)
  return rows
}

/** Postings and used bytes of customers since an hour, by hour; the open hours too. */
async function eventsOf(tx: Transaction<DB>, customers: readonly bigint[], from: Date): Promise<Event[]> {
  const { rows } = await sql<Event>`
    with theirs as materialized (
      select id, customer_id, pool from ledger_account
      where customer_id = any(${bigintArray(customers)}::bigint[]) and currency = 'byte'
    )
    select customer_id as "accountId", pool, hour, sum(credited)::bigint as credited, sum(charged)::bigint as charged from (
      select a.customer_id, a.pool, date_trunc('hour', t.posted_at, 'UTC') as hour, e.amount as credited, 0 as charged
      from theirs a
      join ledger_entry e on e.account_id = a.id and e.month >= month_of(${from}::timestamptz - interval '1 month')
      join ledger_transaction t on t.id = e.transaction_id
      where t.posted_at >= ${from}
      union all
      select a.customer_id, a.pool, u.hour, 0, u.bytes
      from ledger_usage u join theirs a on a.id = u.account_id where u.hour >= ${from}
      union all
      select a.customer_id, a.pool, b.open_hour, 0, b.open_bytes
      from theirs a join ledger_balance b on b.account_id = a.id where b.open_hour >= ${from}
    ) event
    group by 1, 2, 3`.execute(tx)
  return rows
}

/**
 * Writes the lines of customers none of whose pools has changed since; the others are left to the next run.
 */
async function write(
  tx: Transaction<DB>,
  lines: readonly BillLine[],
  states: Closed['states'],
): Promise<number> {
  await lockName(tx, 'bill')
  if (lines.length === 0) return 0
  const { rows: stale } = await sql<{ id: bigint }>`
    select told.account_id as id from unnest(
      ${bigintArray(states.map((one) => one.accountId))}::bigint[], ${textArray(states.map((one) => one.pool))}::text[],
      ${bigintArray(states.map((one) => one.was?.getTime() ?? null))}::bigint[]
    ) told(account_id, pool, was_ms)
    left join bill_pool p on p.account_id = told.account_id and p.pool = told.pool
    where p.hour is distinct from to_timestamp(told.was_ms / 1000.0)`.execute(tx)
  const others = new Set(stale.map(({ id }) => id))
  const fresh = lines
    .filter(({ accountId }) => !others.has(accountId))
    .toSorted(
      (a, b) =>
        Number(a.accountId - b.accountId) ||
        a.hour.getTime() - b.hour.getTime() ||
        (a.pool < b.pool ? -1 : 1),
    )
  await insertLines(tx, fresh)
  const kept = states.filter(({ accountId }) => !others.has(accountId))
  await sql`
    insert into bill_pool as known (account_id, pool, hour, hour_bytes, balance_bytes)
    select account_id, pool, to_timestamp(hour_ms / 1000.0), hour_bytes, balance from unnest(
      ${bigintArray(kept.map((one) => one.accountId))}::bigint[], ${textArray(kept.map((one) => one.pool))}::text[],
      ${bigintArray(kept.map((one) => one.hour.getTime()))}::bigint[], ${bigintArray(kept.map((one) => one.hourBytes))}::bigint[],
      ${bigintArray(kept.map((one) => one.balance))}::bigint[]
    ) told(account_id, pool, hour_ms, hour_bytes, balance)
    on conflict (account_id, pool) do update set
      hour = excluded.hour, hour_bytes = excluded.hour_bytes, balance_bytes = excluded.balance_bytes`.execute(
    tx,
  )
  return fresh.length
}

/** Inserts lines one by one in the given order, so that each sees the previous one. */
async function insertLines(tx: Transaction<DB>, lines: readonly BillLine[]): Promise<void> {
  const numbers = (of: (line: BillLine) => bigint | number | null) => bigintArray(lines.map(of))
  let next = 0
  let of: bigint | null = null
  const places = lines.map(({ accountId }) => {
    next = accountId === of ? next + 1 : 1
    of = accountId
    return next
  })
  await sql`
    insert into bill_line (account_id, line, hour, pool, credited_bytes, charged_bytes, micros_per_gb, requests, balance_bytes)
    select told.account_id, coalesce(known.line, 0) + told.place, to_timestamp(greatest(told.hour_ms, known.hour_ms) / 1000.0),
      told.pool, credited, charged, price, requests, balance
    from unnest(
      ${numbers((one) => one.accountId)}::bigint[], ${bigintArray(places)}::bigint[],
      ${numbers((one) => one.hour.getTime())}::bigint[], ${textArray(lines.map(({ pool }) => pool))}::text[],
      ${numbers((one) => one.creditedBytes)}::bigint[], ${numbers((one) => one.chargedBytes)}::bigint[],
      ${numbers((one) => one.microsPerGb)}::bigint[], ${numbers((one) => one.requests)}::bigint[],
      ${numbers((one) => one.balanceBytes)}::bigint[]
    ) with ordinality told(account_id, place, hour_ms, pool, credited, charged, price, requests, balance, n)
    left join lateral (
      select l.line, extract(epoch from l.hour)::bigint * 1000 as hour_ms
      from bill_line l where l.account_id = told.account_id order by l.line desc limit 1
    ) known on true
    order by n`.execute(tx)
}
