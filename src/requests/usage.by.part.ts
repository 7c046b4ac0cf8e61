/**
 * A customer's records added up by UTC day: by host, by the country asked for, by that of the exit, by
 * outcome, and by proxy user. A day has a bounded number of rows of each, however many hosts are visited.
 */
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type DB, prepared } from '#db'
import type { ConnectionRecord } from '#feed/connection.record'
import { bigintArray, textArray } from '#lib/pg-array'
import { utcDay } from './days.ts'
import type { StoredTarget } from './target.ts'

export const usageParts = ['host', 'country', 'exit_country', 'code', 'user'] as const
export type UsagePart = (typeof usageParts)[number]

/** The key of the row that sums everything beyond a day's stored rows. */
export const otherKeys = '(other)'

/** The user of requests with the login of the account itself. */
export const accountKey = 'account'

/**
 * When a day has more rows than the first number, its smallest rows are merged into one, so that the second
 * number of rows is left.
 */
const mostRows = 2000
const rowsLeft = 1000

/** A record as it is stored. */
interface Row extends ConnectionRecord, StoredTarget {
  endedMs: number
  proxyUser: bigint | null
}

/** The countries that a line asks for; of its places, when it names none. */
export function askedCountry(settings: string | null): string {
  const words = settings?.split('-') ?? []
  const pairs = new Map(
    words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])),
  )
  return pairs.get('cc') ?? (pairs.get('st') ?? pairs.get('city') ?? '').slice(0, 2)
}

const keys: Readonly<Record<UsagePart, (row: Row) => string>> = {
  host: ({ host }) => (host ?? '').toLowerCase().replace(/\.$/, ''),
  country: ({ settings }) => askedCountry(settings),
  exit_country: ({ country }) => country ?? '',
  code: ({ code, outcome }) => code ?? outcome,
  user: ({ proxyUser }) => (proxyUser === null ? accountKey : String(proxyUser)),
}

interface Sum {
  day: string
  account: bigint
  pool: string
  part: UsagePart
  key: string
  connections: number
  refused: number
  relayed: bigint
  charged: bigint
}

/** Adds records to the sums of their customers; called once per batch. */
export async function addParts(tx: Transaction<DB>, rows: readonly Row[]): Promise<void> {
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    if (row.account === null) continue
    const day = utcDay(row.endedMs)
    for (const part of usageParts) addTo(sums, { day, account: row.account, pool: row.pool, part }, row)
  }
  if (sums.size === 0) return
  // Always in the same order, so that two batches wait for each other and do not deadlock.
  const all = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  const { rows: grown } = await sql<Grown>`${prepared}
    with added as (
      insert into usage_part_day as known (day, account_id, pool, part, key, connections, refused, relayed_bytes, charged_bytes)
      select day::date, account_id, pool, part, key, connections, refused, relayed, charged from unnest(
        ${textArray(all.map((one) => one.day))}::text[], ${bigintArray(all.map((one) => one.account))}::bigint[],
        ${textArray(all.map((one) => one.pool))}::text[], ${textArray(all.map((one) => one.part))}::text[],
        ${textArray(all.map((one) => one.key))}::text[], ${bigintArray(all.map((one) => one.connections))}::bigint[],
        ${bigintArray(all.map((one) => one.refused))}::bigint[], ${bigintArray(all.map((one) => one.relayed))}::bigint[],
        ${bigintArray(all.map((one) => one.charged))}::bigint[]
      ) told(day, account_id, pool, part, key, connections, refused, relayed, charged)
      on conflict (day, account_id, pool, part, key) do update set ${added}
      returning day, account_id, pool, part, (xmax = 0) as is_new
    )
    select day::text, account_id as account, pool, part from added
    where is_new and part in ('host', 'country', 'user') group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(tx)
  for (const one of await tooMany(tx, grown)) await foldSmallest(tx, one)
}

const added = sql`
  connections = known.connections + excluded.connections, refused = known.refused + excluded.refused,
  relayed_bytes = bounded(known.relayed_bytes::numeric + excluded.relayed_bytes),
  charged_bytes = bounded(known.charged_bytes::numeric + excluded.charged_bytes)`

type Grown = Pick<Sum, 'day' | 'account' | 'pool' | 'part'>

function addTo(sums: Map<string, Sum>, of: Grown, row: Row): void {
  const key = keys[of.part](row)
  const name = `${of.day}\t${of.account}\t${of.pool}\t${of.part}\t${key}`
  let sum = sums.get(name)
  if (sum === undefined)
    sums.set(name, (sum = { ...of, key, connections: 0, refused: 0, relayed: 0n, charged: 0n }))
  sum.connections++
  if (row.code !== null) sum.refused++
  sum.relayed += row.up_bytes + row.down_bytes
  sum.charged += row.charged_up_bytes + row.charged_down_bytes
}

/** Those that have more rows than may be stored. */
async function tooMany(tx: Transaction<DB>, grown: readonly Grown[]): Promise<Grown[]> {
  if (grown.length === 0) return []
  const { rows } = await sql<{ at: bigint }>`${prepared}
    select at from unnest(
      ${textArray(grown.map((one) => one.day))}::text[], ${bigintArray(grown.map((one) => one.account))}::bigint[],
      ${textArray(grown.map((one) => one.pool))}::text[], ${textArray(grown.map((one) => one.part))}::text[]
    ) with ordinality as one(day, account_id, pool, part, at)
    where exists (
      select from usage_part_day p
      where p.day = one.day::date and p.account_id = one.account_id and p.pool = one.pool and p.part = one.part
      offset ${mostRows}::int limit 1)`.execute(tx)
  const over = new Set(rows.map(({ at }) => Number(at) - 1))
  return grown.filter((_, index) => over.has(index))
}

/** Merges the smallest rows of a day into one. */
async function foldSmallest(tx: Transaction<DB>, { day, account, pool, part }: Grown): Promise<void> {
  const theirs = sql`day = ${day}::date and account_id = ${account} and pool = ${pool} and part = ${part}`
  await sql`
    with small as (
      select key from usage_part_day where ${theirs} and key <> ${otherKeys}
      order by charged_bytes desc, relayed_bytes desc, connections desc, key offset ${rowsLeft}
    ), gone as (
      delete from usage_part_day p using small where ${theirs} and p.key = small.key
      returning p.connections, p.refused, p.relayed_bytes, p.charged_bytes
    )
    insert into usage_part_day as known (day, account_id, pool, part, key, connections, refused, relayed_bytes, charged_bytes)
    select ${day}::date, ${account}::bigint, ${pool}, ${part}, ${otherKeys}, sum(connections), sum(refused), bounded(sum(relayed_bytes)), bounded(sum(charged_bytes))
    from gone
    on conflict (day, account_id, pool, part, key) do update set ${added}`.execute(tx)
}

export interface UsageOfPart {
  /** A day, or the value of the part; '': not known, `otherKeys`: those beyond the rows that are kept. */
  key: string
  connections: bigint
  refused: bigint
  chargedBytes: bigint
}

interface PartFilter {
  accountId: bigint
  pool?: string | undefined
  part: UsagePart
  /** UTC days, both included. */
  from: string
  to: string
}

/**
 * A customer's records of a period by one part, the largest first; beyond `most` they are one row with the
 * key `otherKeys`.
 */
export async function usageOfPart(
  db: Kysely<DB>,
  { most, ...asked }: PartFilter & { most: number },
): Promise<UsageOfPart[]> {
  const { rows } = await sql<UsageOfPart>`
    with sums as (
      select key, sum(connections) as connections, sum(refused) as refused, sum(charged_bytes) as charged
      from usage_part_day where ${conditionsOf(asked)} group by key
    ), ranked as (
      select case when row_number() over (order by key = ${otherKeys}, charged desc, connections desc, key) > ${most}::bigint
        then ${otherKeys} else key end as key, connections, refused, charged
      from sums
    )
    select key, sum(connections)::bigint as connections, sum(refused)::bigint as refused, bounded(sum(charged)) as "chargedBytes"
    from ranked group by key order by key = ${otherKeys}, "chargedBytes" desc, connections desc, key`.execute(
    db,
  )
  return rows
}

/** A customer's records with one of these values of a part, by day. */
export async function daysOfPart(
  db: Kysely<DB>,
  { keys: wanted, ...asked }: PartFilter & { keys: readonly string[] },
): Promise<UsageOfPart[]> {
  const { rows } = await sql<UsageOfPart>`
    select day::text as key, sum(connections)::bigint as connections, sum(refused)::bigint as refused,
      bounded(sum(charged_bytes)) as "chargedBytes"
    from usage_part_day where ${conditionsOf(asked)} and key = any(${[...wanted]}::text[]) group by day order by day`.execute(
    db,
  )
  return rows
}

/** How many of a customer's requests were refused on each day that has refusals, by the records. */
export async function refusedByDay(
  db: Kysely<DB>,
  asked: Omit<PartFilter, 'part'>,
): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ day: string; refused: bigint }>`
    select day::text as day, sum(refused)::bigint as refused
    from usage_part_day where ${conditionsOf({ ...asked, part: 'code' })} and refused > 0 group by day`.execute(
    db,
  )
  return new Map(rows.map(({ day, refused }) => [day, refused]))
}

function conditionsOf({ accountId, pool, part, from, to }: PartFilter): RawBuilder<unknown> {
  const conditions = [
    sql`account_id = ${accountId}`,
    sql`part = ${part}`,
    sql`day between ${from}::date and ${to}::date`,
  ]
  if (pool !== undefined) conditions.push(sql`pool = ${pool}`)
  return sql.join(conditions, sql` and `)
}
