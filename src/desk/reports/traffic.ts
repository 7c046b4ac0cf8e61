/** Usage, from the sums of settlements, and the unused traffic that customers hold. */
import type { Kysely } from 'kysely'
import type { DeskParsed } from '#contract/desk/contract'
import { bytesPerGb, type Pool } from '#contract/wire'
import type { DB } from '#db'
import { showExits } from '#exits'
import { archivedIn, heldAt, heldNow, usedByAccount, usedInHours } from '#ledger'
import type { Secrets } from '#lib/secret'
import { dearestCosts, listedCosts } from '#margin'
import { heldByPool, usageBy, usageByAccount, usageOfAll, usedEver } from '#traffic'
import { ownersOf } from '../lists/owners.ts'
import { type Books, type Reported, Sums } from './figures.ts'
import { isTime, type Period, timeOf } from './period.ts'

type Db = Kysely<DB>
type By = DeskParsed<'report'>['by']
const hourMs = 3_600_000

/** The bytes charged in the hours between these times. */
async function chargedIn(db: Db, from: Date, to: Date): Promise<bigint> {
  const sums = await usageBy(db, { by: 'pool', from, to })
  return sums.reduce((all, { chargedBytes }) => all + chargedBytes, 0n)
}

async function usageInBooks(db: Db, { span }: Period, total: bigint): Promise<Books> {
  const { from, to } = span
  const bytes = await usedInHours(db, span)
  if (bytes === total) return { figures: { bytes }, archived: [] }
  const hourBefore = (at: Date) => new Date(at.getTime() - hourMs)
  const margin = {
    down: await chargedIn(db, hourBefore(to), to),
    up: await chargedIn(db, hourBefore(from), from),
  }
  const away = bytes - total
  if (away >= -margin.down && away <= margin.up) return { figures: { bytes }, margin, archived: [] }
  // Reads all stored usage of both: rare, only after an outage of the server.
  const { used } = await usedByAccount(db)
  const isEqualEver = (await usedEver(db)) === [...used.values()].reduce((all, one) => all + one, 0n)
  return { figures: { bytes }, isEqualEver, archived: [] }
}

/** The part of usage to which a report is limited. */
interface Part {
  pool: Pool | undefined
  exit: bigint | undefined
}

type ByHours = 'exit' | 'campaign'

/** The sums of usage, to be added up by the report's keys, and the months of which some is missing. */
async function usedByHours(db: Db, by: ByHours, asked: Period['span'] & Part) {
  if (by === 'campaign') return usageByAccount(db, asked)
  return { sums: await usageBy(db, { by, ...asked }), missing: [] }
}

async function keysOfHours(db: Db, secrets: Secrets, by: ByHours, used: readonly { key: string }[]) {
  const names = new Map<string, string>()
  if (by === 'exit')
    for (const { id, name, pool } of await showExits(db, secrets)) names.set(String(id), `${name} (${pool})`)
  const ids = by === 'campaign' ? used.map(({ key }) => BigInt(key)) : []
  const owners = await ownersOf(db, ids)
  const keyOf = (key: string) => {
    if (by === 'campaign') return owners.get(BigInt(key))?.adminReferralCode ?? ''
    return by === 'exit' && key === '0' ? '' : key
  }
  return { names, keyOf }
}

export async function usageReport(
  db: Db,
  secrets: Secrets,
  by: By,
  period: Period,
  part: Part,
): Promise<Reported> {
  const sums = new Sums()
  const isPart = part.pool !== undefined || part.exit !== undefined
  let names: ReadonlyMap<string, string> = new Map()
  let dropped: string[] = []
  let parts: readonly { key: string; requests: bigint; chargedBytes: bigint; bonusBytes: bigint }[]
  if (isTime(by) || by === 'pool') {
    const used = await usageOfAll(db, { ...period, ...part })
    parts = used.map((one) => ({ ...one, key: isTime(by) ? timeOf(by, one.day) : one.pool }))
  } else if (by === 'exit' || by === 'campaign') {
    const { sums: used, missing } = await usedByHours(db, by, { ...period.span, ...part })
    const shown = await keysOfHours(db, secrets, by, used)
    names = shown.names
    dropped = missing
    parts = used.map((one) => ({ ...one, key: shown.keyOf(one.key) }))
  } else throw new Error(`usage is not divided by ${by}`)
  for (const { key, requests, chargedBytes, bonusBytes } of parts)
    sums.add(key, { count: requests, bytes: chargedBytes, bonus: bonusBytes })
  const total = sums.total()
  const books: Books = isPart
    ? { figures: {}, archived: [], isPart, dropped }
    : dropped.length > 0
      ? { figures: { bytes: await usedInHours(db, period.span) }, archived: [], dropped }
      : await usageInBooks(db, period, total.bytes)
  return { rows: sums.rows(isTime(by)), total, names, books }
}

/** The held traffic at the end of each day, week or month; at the current time for those not over. */
async function heldOverTime(
  db: Db,
  by: 'day' | 'week' | 'month',
  { days, starts, span }: Period,
): Promise<Reported> {
  const held = await heldAt(db, starts.slice(1))
  const sums = new Sums()
  const figuresAt = (index: number) => {
    const { paidBytes, bonusBytes } = held[index] ?? { paidBytes: 0n, bonusBytes: 0n }
    return { bytes: paidBytes + bonusBytes, bonus: bonusBytes }
  }
  // The last day of a week or a month takes the place of those before it.
  for (const [index, day] of days.entries()) sums.set(timeOf(by, day), figuresAt(index))
  const rows = sums.rows(true)
  const total = rows.at(-1)?.[1] ?? sums.total()
  return { rows, total, books: { figures: {}, archived: await archivedIn(db, { from: span.from }, starts) } }
}

/** The cost of held traffic is unknown for past times: prices are those of today. */
const withoutCosts = new Map([['', ['cost', 'dearest'] as const]])

/** The traffic that customers hold; with the division by pool, its cost at today's prices of the exits. */
export async function liabilityReport(db: Db, by: By, period: Period, now: Date): Promise<Reported> {
  if (isTime(by)) return { ...(await heldOverTime(db, by, period)), unknown: withoutCosts }
  const sums = new Sums()
  const [listed, dearest] = [
    await listedCosts(db, now.toISOString().slice(0, 10)),
    await dearestCosts(db, now),
  ]
  const unknown = new Map<string, readonly ('cost' | 'dearest')[]>()
  for (const { pool, paidBytes, bonusBytes } of await heldByPool(db)) {
    const bytes = paidBytes + bonusBytes
    const costOf = (perGbMicros: bigint | undefined) =>
      ((perGbMicros ?? 0n) * bytes + bytesPerGb / 2n) / bytesPerGb
    // A pool whose exits cost nothing by the GB has no dearest one.
    const [usual, most] = [listed.get(pool), dearest.get(pool)?.perGbMicros]
    if (usual === undefined) unknown.set(pool, ['cost', 'dearest'])
    sums.add(pool, { bytes, bonus: bonusBytes, cost: costOf(usual), dearest: costOf(most) })
  }
  const { paidBytes, bonusBytes } = await heldNow(db)
  const figures = { bytes: paidBytes + bonusBytes, bonus: bonusBytes }
  return { rows: sums.rows(false), total: sums.total(), books: { figures, archived: [] }, unknown }
}
