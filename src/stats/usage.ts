/** A customer's usage in any period, from the ledger and from the records of connections. */
import type { Kysely } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { withheldHost } from '#feed/connection.record'
import { Refusal } from '#lib/refusal'
import {
  daysOfPart,
  otherKeys,
  refusedByDay,
  usageOfPart,
  type UsagePart,
  userKeys,
  userNames,
} from '#requests'
import { usageBy, usageDays } from '#traffic'

const dayMs = 86_400_000
/** The longest period of a request in days: by hour, and otherwise. */
export const mostDaysByHour = 31
export const mostDays = 1100
/** The maximum number of rows by one dimension; the others are summed. */
const mostRows = 200

export interface UsageAsked {
  accountId: bigint
  /** Missing: all. */
  pool?: Pool | undefined
  /** UTC days, YYYY-MM-DD, both included. */
  from: string
  to: string
}

/** The kind of a row. */
export type RowKind =
  /** The usage of the key. */
  | 'key'
  /** The sum of keys that are not stored or not listed. */
  | 'other'
  /** The usage of hosts withheld by the customer's choice. */
  | 'withheld'
  /**
   * The usage in the books that the records lack: requests that are still open or whose record was lost.
   * Negative when requests that ended in this period used traffic before it. Of hours: those that are no
   * longer kept. With this row the sum equals that of the books.
   */
  | 'difference'

export interface UsageRow {
  kind: RowKind
  key: string
  /** The name of the proxy user. */
  label?: string | null
  chargedBytes: bigint
  /** Null: unknown from records. */
  bonusBytes: bigint | null
  /** The served requests, without refused ones. */
  requests: bigint
  /** Null: unknown, of hours. */
  refused: bigint | null
}

export interface UsageTotal {
  chargedBytes: bigint
  bonusBytes: bigint
  requests: bigint
  refused: bigint
}

/**
 * The days of a period, and the same number of days before it. Refuses with `usage_period`,
 * `usage_period_too_long`.
 */
export function readPeriod({ from, to }: { from: string; to: string }, most = mostDays) {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const isDay = (text: string, at: number) =>
    Number.isFinite(at) && new Date(at).toISOString().slice(0, 10) === text
  if (!isDay(from, first) || !isDay(to, last) || first > last) throw new Refusal('usage_period')
  const days = (last - first) / dayMs + 1
  if (days > most) throw new Refusal('usage_period_too_long', { days: most })
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  return { from, to, days, before: { from: dayOf(first - days * dayMs), to: dayOf(first - dayMs) } }
}

/** Each day with usage or refusals, oldest first: usage by the books, refusals by the records. */
export async function daysOf(db: Kysely<DB>, asked: UsageAsked): Promise<UsageRow[]> {
  const used = await usageDays(db, asked)
  const days = new Map(
    used.map(({ day, ...sums }): [string, UsageRow] => [
      day,
      { kind: 'key', key: day, ...sums, refused: 0n },
    ]),
  )
  for (const [day, refused] of await refusedByDay(db, asked)) {
    const none = { kind: 'key', key: day, chargedBytes: 0n, bonusBytes: 0n, requests: 0n } as const
    days.set(day, { ...(days.get(day) ?? none), refused })
  }
  return [...days.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/**
 * The usage of each hour that has any, oldest first, by the books. What the `days` of the same time have beyond
 * their hours, because those are no longer kept, is the first row. The days are read before: usage that is settled
 * between the two reads is not missing from the hours.
 */
export async function hoursOf(
  db: Kysely<DB>,
  { accountId, pool, from, to }: UsageAsked,
  days: readonly UsageRow[],
): Promise<UsageRow[]> {
  const period = { from: new Date(from), to: new Date(Date.parse(to) + dayMs) }
  const sums = await usageBy(db, { ...period, accountId, pool, by: 'hour' })
  const rows = sums.map(({ key, chargedBytes, bonusBytes, requests }): UsageRow => ({
    kind: 'key',
    key,
    chargedBytes,
    bonusBytes,
    requests,
    refused: null,
  }))
  const [ofDays, ofHours] = [totalOf(days), totalOf(rows)]
  const chargedBytes = ofDays.chargedBytes - ofHours.chargedBytes
  const bonusBytes = ofDays.bonusBytes - ofHours.bonusBytes
  const requests = ofDays.requests - ofHours.requests
  if (chargedBytes <= 0n && requests <= 0n) return rows
  return [{ kind: 'difference', key: '', chargedBytes, bonusBytes, requests, refused: null }, ...rows]
}

/** Usage by one part, the largest first. The rows add up to the total of the books, in bytes and requests. */
export async function partsOf(
  db: Kysely<DB>,
  { part, ...asked }: UsageAsked & { part: UsagePart },
): Promise<UsageRow[]> {
  const rows = (await usageOfPart(db, { ...asked, part, most: mostRows })).map(
    ({ key, chargedBytes, connections, refused }): UsageRow => ({
      kind: key === otherKeys ? 'other' : key === withheldHost ? 'withheld' : 'key',
      key,
      chargedBytes,
      bonusBytes: null,
      requests: connections - refused,
      refused,
    }),
  )
  const named = part === 'user' ? await nameUsers(db, rows) : rows
  const books = totalOf(await daysOf(db, asked))
  const records = totalOf(named)
  const chargedBytes = books.chargedBytes - records.chargedBytes
  const requests = books.requests - records.requests
  if (chargedBytes !== 0n || requests !== 0n)
    named.push({ kind: 'difference', key: '', chargedBytes, bonusBytes: null, requests, refused: null })
  return named
}

/**
 * Puts the logins and names of proxy users in place of their keys. Those that share a login are one row, in
 * the place of the first of them.
 */
async function nameUsers(db: Kysely<DB>, rows: readonly UsageRow[]): Promise<UsageRow[]> {
  const names = await userNames(
    db,
    rows.map(({ key }) => key),
  )
  const named = new Map<string, UsageRow>()
  for (const row of rows) {
    const name = names.get(row.key)
    const key = `${row.kind} ${name?.login ?? row.key}`
    const known = named.get(key)
    if (known === undefined)
      named.set(key, name === undefined ? row : { ...row, key: name.login, label: name.label })
    else {
      known.chargedBytes += row.chargedBytes
      known.requests += row.requests
      known.refused = (known.refused ?? 0n) + (row.refused ?? 0n)
      known.label ??= name?.label ?? null
    }
  }
  return [...named.values()]
}

/** The days of one value of a part, oldest first, by the records. */
export async function daysOfKey(
  db: Kysely<DB>,
  asked: UsageAsked & { part: UsagePart; key: string },
): Promise<UsageRow[]> {
  const { key: wanted, ...rest } = asked
  const keys = rest.part === 'user' ? await userKeys(db, rest.accountId, wanted) : [wanted]
  return (await daysOfPart(db, { ...rest, keys })).map(({ key, chargedBytes, connections, refused }) => ({
    kind: 'key',
    key,
    chargedBytes,
    bonusBytes: null,
    requests: connections - refused,
    refused,
  }))
}

/** The sums of rows. */
export function totalOf(rows: readonly UsageRow[]): UsageTotal {
  const total = { chargedBytes: 0n, bonusBytes: 0n, requests: 0n, refused: 0n }
  for (const row of rows) {
    total.chargedBytes += row.chargedBytes
    total.bonusBytes += row.bonusBytes ?? 0n
    total.requests += row.requests
    total.refused += row.refused ?? 0n
  }
  return total
}
