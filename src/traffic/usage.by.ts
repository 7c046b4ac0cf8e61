/** Usage of the whole shop, divided by pool, exit, account or time: what settlements charged, to the byte. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { type BalancesJson, balancesJson, type HeldBalance, readBalances } from '#ledger'
import { bigintArray } from '#lib/pg-array'

const dimensions = {
  pool: sql`pool`,
  exit: sql`exit_id::text`,
  hour: sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
  day: sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD')`,
  account: sql`account_id::text`,
} satisfies Record<string, RawBuilder<string>>

export interface UsageSum {
  /** A pool, the number of an exit ('0': none or not known), of an account, an hour (ISO, UTC) or a day. */
  key: string
  chargedBytes: bigint
  /** The part of the charged bytes that bonus paid for. */
  bonusBytes: bigint
  /** Payload bytes, those that were forgiven included: what sellers of exits count, less handshakes. */
  relayedBytes: bigint
  /** Tunnels and requests. */
  requests: bigint
}

interface Usage {
  /** Whole hours, `to` excluded. */
  from: Date
  to: Date
  pool?: string | undefined
  exit?: bigint | undefined
  /** One customer's; otherwise that of all. */
  accountId?: bigint | undefined
}

/**
 * What was charged in the hours from `from` to `to` (excluded), both whole hours, by one dimension; the
 * largest first, times in their order. Of a customer, and by account, hours that are no longer kept are
 * missing.
 */
export async function usageBy(
  db: Kysely<DB>,
  { by, ...asked }: Usage & { by: keyof typeof dimensions },
): Promise<UsageSum[]> {
  const isTime = by === 'hour' || by === 'day'
  const rowsOf = by === 'account' || asked.accountId !== undefined ? rowsOfCustomers : rowsOfShop
  const { rows } = await sql<UsageSum>`
    select ${dimensions[by]} as key, sum(charged_bytes)::bigint as "chargedBytes",
      sum(bonus_bytes)::bigint as "bonusBytes", bounded(sum(relayed_bytes)) as "relayedBytes",
      bounded(sum(requests)) as requests
    from (${rowsOf(asked)}) used
    group by 1 order by ${isTime ? sql`key` : sql`"chargedBytes" desc, key`}`.execute(db)
  return rows
}

const dayMs = 86_400_000

/**
 * What each account was charged in the hours from `from` to `to` (excluded), the largest first. Days whose
 * hours are no longer kept are read as days, which have no exits; `missing` are the months (YYYY-MM) of which
 * some usage belongs to no row: of one exit, of a part of a day, or of days that are no longer kept either.
 */
export async function usageByAccount(
  db: Kysely<DB>,
  usage: Omit<Usage, 'accountId'>,
): Promise<{ sums: Omit<UsageSum, 'relayedBytes'>[]; missing: string[] }> {
  const { from, to, exit } = usage
  const { rows: kept } = await sql<{ from: Date }>`
    select day::timestamp at time zone 'UTC' as from from usage_kept_from where relation = 'usage_hour'`.execute(
    db,
  )
  const keptMs = kept[0]?.from.getTime() ?? 0
  const first = new Date(Math.ceil(from.getTime() / dayMs) * dayMs)
  const end = new Date(Math.floor(Math.min(to.getTime(), keptMs) / dayMs) * dayMs)
  const rowsOf = exit === undefined && first < end ? rowsOfDays(usage, first, end) : rowsOfCustomers(usage)
  const { rows: sums } = await sql<Omit<UsageSum, 'relayedBytes'>>`
    select account_id::text as key, sum(charged_bytes)::bigint as "chargedBytes",
      sum(bonus_bytes)::bigint as "bonusBytes", bounded(sum(requests)) as requests
    from (${rowsOf}) used
    group by account_id order by "chargedBytes" desc, key`.execute(db)
  if (from.getTime() >= keptMs) return { sums, missing: [] }
  const { rows: months } = await sql<{ month: string }>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM') as month
    from (
      select hour, charged_bytes, requests from (${rowsOfShop(usage)}) shop
      union all
      select hour, -charged_bytes, -requests from (${rowsOf}) used
    ) part
    group by 1 having sum(charged_bytes) <> 0 or sum(requests) <> 0 order by 1`.execute(db)
  return { sums, missing: months.map(({ month }) => month) }
}

/** What a customer was charged in an hour in a pool. */
export interface PoolHour {
  pool: string
  /** ISO, UTC. */
  hour: string
  chargedBytes: bigint
  requests: bigint
}

/**
 * A customer's usage of the hours from `from` to `to` (excluded) by pool and hour, and what they hold, in one
 * statement.
 */
export async function usageAndBalances(
  db: Kysely<DB>,
  { accountId, ...period }: { accountId: bigint; from: Date; to: Date },
): Promise<{ used: PoolHour[]; balances: HeldBalance[] }> {
  const { rows } = await sql<{ used: [string, string, string, string][]; balances: BalancesJson }>`
    select ${balancesJson(sql`${accountId}::bigint`)} as balances, (
      select coalesce(json_agg(json_build_array(pool, key, charged, requests)), '[]') from (
        select pool, ${dimensions.hour} as key, sum(charged_bytes)::bigint::text as charged,
          bounded(sum(requests))::text as requests
        from (${rowsOfCustomers({ accountId, ...period })}) used group by 1, 2
      ) hours
    ) as used`.execute(db)
  const [{ used, balances } = { used: [], balances: [] }] = rows
  return {
    used: used.map(([pool, hour, charged, requests]) => ({
      pool,
      hour,
      chargedBytes: BigInt(charged),
      requests: BigInt(requests),
    })),
    balances: readBalances(balances),
  }
}

/** What passed through an exit in an hour. */
export interface ExitHour {
  hour: Date
  pool: string
  /** 0: none, or it is not known. */
  exitId: bigint
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
}

/** All usage of the hours from `from` to `to` (excluded), by hour, pool and exit. */
export async function usageByExitHour(db: Kysely<DB>, period: { from: Date; to: Date }): Promise<ExitHour[]> {
  const { rows } = await sql<ExitHour>`
    select hour, pool, exit_id as "exitId", sum(charged_bytes)::bigint as "chargedBytes",
      sum(bonus_bytes)::bigint as "bonusBytes", bounded(sum(relayed_bytes)) as "relayedBytes"
    from (${rowsOfShop(period)}) used group by 1, 2, 3 order by 1, 2, 3`.execute(db)
  return rows
}

/**
 * What all customers were charged by day and pool, of one pool or exit or all. A day begins at the time of
 * the same index in `starts`, the last of which is the end; an hour belongs to the day in which it begins.
 */
export async function usageOfAll(
  db: Kysely<DB>,
  {
    days,
    starts,
    ...part
  }: { days: readonly string[]; starts: readonly Date[] } & Pick<Usage, 'pool' | 'exit'>,
) {
  const [from, to] = [starts[0], starts.at(-1)]
  if (from === undefined || to === undefined) return []
  const { rows } = await sql<{
    day: string
    pool: Pool
    chargedBytes: bigint
    bonusBytes: bigint
    requests: bigint
  }>`
    select (${[...days]}::text[])[width_bucket(hour, ${[...starts]}::timestamptz[])] as day, pool,
      sum(charged_bytes)::bigint as "chargedBytes", sum(bonus_bytes)::bigint as "bonusBytes", bounded(sum(requests)) as requests
    from (${rowsOfShop({ from, to, ...part })}) used group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** What all customers were ever charged. */
export async function usedEver(db: Kysely<DB>): Promise<bigint> {
  const { rows } = await sql<{ bytes: bigint }>`
    select ((select coalesce(sum(charged_bytes), 0) from usage_sum)
      + (select coalesce(sum(charged_bytes), 0) from usage_hour where not in_day))::bigint as bytes`.execute(
    db,
  )
  return rows[0]?.bytes ?? 0n
}

/**
 * Whether a customer was ever charged: the meters have the sums of leases that were deleted, after two weeks,
 * and the days before have rows of their own.
 */
export async function hasUsed(
  db: Kysely<DB>,
  { accountId, now }: { accountId: bigint; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    select from meter m where m.account_id = ${accountId} and (
      m.pruned_bytes > 0 or m.forgotten_bytes > 0
      or exists (select from usage_hour h where h.access_id = m.access_id and not h.in_day)
      or exists (
        select from generate_series(0, 30) ago join usage_past_day d on d.day = ${now}::date - ago
        where d.access_id = m.access_id)
    ) limit 1`.execute(db)
  return rows.length > 0
}

const columns = sql`charged_bytes, bonus_bytes, relayed_bytes, requests`

function conditionsOf({ from, to, pool, exit }: Usage): RawBuilder<unknown>[] {
  const conditions = [sql`hour >= ${from}`, sql`hour < ${to}`]
  if (pool !== undefined) conditions.push(sql`pool = ${pool}`)
  if (exit !== undefined) conditions.push(sql`exit_id = ${exit}`)
  return conditions
}

/** A row for each hour, access and exit: for a month of a customer, not for years of all. */
function rowsOfCustomers(usage: Usage, conditions = conditionsOf(usage)): RawBuilder<unknown> {
  const { accountId } = usage
  const where = accountId === undefined ? conditions : [...conditions, sql`account_id = ${accountId}`]
  return sql`
    select hour, pool, exit_id, account_id, ${columns}
    from usage_hour join meter using (access_id) where ${sql.join(where, sql` and `)}`
}

/**
 * As `rowsOfCustomers`, with a row for each access and day, at its first hour, in place of the hours of the
 * UTC days from `first` to `end` (excluded) that were added to their days.
 */
function rowsOfDays(usage: Usage, first: Date, end: Date): RawBuilder<unknown> {
  const hours = rowsOfCustomers(usage, [
    ...conditionsOf(usage),
    sql`not (in_day and hour >= ${first} and hour < ${end})`,
  ])
  const ofPool = usage.pool === undefined ? sql`` : sql`and pool = ${usage.pool}`
  return sql`
    ${hours}
    union all
    select day::timestamp at time zone 'UTC', pool, 0, account_id, charged_bytes, bonus_bytes, 0, requests
    from usage_past_day join meter using (access_id)
    where day >= (${first}::timestamptz at time zone 'UTC')::date
      and day < (${end}::timestamptz at time zone 'UTC')::date ${ofPool}`
}

/**
 * Rows of hour, pool and exit: the sums of the hours that were added up, a few rows each, and the rows of the
 * customers in the hours that were not: those of the last two hours, and later ones.
 */
function rowsOfShop(usage: Usage): RawBuilder<unknown> {
  const conditions = conditionsOf(usage)
  return sql`
    select hour, pool, exit_id, ${columns} from usage_sum where ${sql.join(conditions, sql` and `)}
    union all
    select hour, pool, exit_id, ${columns} from (${rowsOfCustomers(usage, [...conditions, sql`not in_day`])}) open`
}

/** The requests of customers by hour and pool, of the hours from `from` to `to` (excluded). */
export async function requestsByHour(
  db: Kysely<DB>,
  { accounts, from, to }: { accounts: readonly bigint[]; from: Date; to: Date },
): Promise<{ accountId: bigint; pool: string; hour: Date; requests: bigint }[]> {
  const { rows } = await sql<{ accountId: bigint; pool: string; hour: Date; requests: bigint }>`
    select m.account_id as "accountId", m.pool, u.hour, bounded(sum(u.requests)) as requests
    from meter m join usage_hour u on u.access_id = m.access_id
    where m.account_id = any(${bigintArray(accounts)}::bigint[]) and u.hour >= ${from} and u.hour < ${to}
    group by 1, 2, 3`.execute(db)
  return rows
}
