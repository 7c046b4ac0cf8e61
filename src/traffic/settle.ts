import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { Report } from '#gateway/feed'
import { type Draw, draw, house, openAccounts } from '#ledger'
import { bigintArray } from '#lib/pg-array'
import { addHours } from './caps.ts'
import { chargeCoveredLines, chargeOtherLines, sumByAccount } from './charge.ts'
import { type Meter, lockMeters } from './lease.ts'
import {
  type CoveredLine,
  type DayUsage,
  type LeaseLine,
  checkReport,
  gather,
  spreadBonus,
  usageOf,
} from './lines.ts'
import { takeUnsettled } from './sequence.ts'

/** The kind of the ledger's transactions that charge relayed bytes. */
export const usageKind = 'usage'

/**
 * Settles reports: each (gateway, boot, sequence) exactly once, all of them in one transaction or none. Charges the
 * leases, then the balances (bonus first, then paid), adds to the usage of the UTC day, and closes the leases that are
 * given back. Repeats change nothing.
 *
 * A lease is never charged above what was granted. One that was closed as lost is charged as far as the balance covers
 * it beyond other leases. What is left over is written off: the house bears it (`traffic_lost`).
 *
 * Throws `MalformedReport`, having changed nothing, for a report with a negative amount, an unknown account, or a lease
 * that is unknown or somebody else's.
 */
export async function settle(db: Kysely<DB>, reports: readonly Report[]): Promise<void> {
  for (const report of reports) checkReport(report)
  await transaction(db, async (tx) => {
    const fresh = await takeUnsettled(tx, reports)
    const lines = gather(fresh)
    const [first] = fresh
    if (first === undefined || lines.length === 0) return
    const meters = await lockMeters(
      tx,
      lines.map((line) => line.account),
    )
    const others = await chargeCoveredLines(tx, lines)
    const covered = coveredInFull(lines, others)
    if (others.length > 0)
      covered.push(...(await chargeOtherLines(tx, others, { meters, charged: sumByAccount(covered) })))
    const usage = usageOf(covered)
    const bonus = await chargeBalances(tx, covered, { meters, first })
    spreadBonus(usage, bonus)
    await addUsage(tx, usage)
    // Counting everybody's hours would cost a tenth more, for a few who look at them.
    await addHours(
      tx,
      covered.filter(({ line }) => meters.get(line.account)?.is_limited === true),
    )
    await writeOff(tx, covered)
  })
}

function coveredInFull(lines: readonly LeaseLine[], others: readonly LeaseLine[]): CoveredLine[] {
  const excluded = new Set(others)
  return lines.filter((line) => !excluded.has(line)).map((line) => ({ line, covered: line.bytes }))
}

/** One ledger transaction for all of it; answers what each account's bonus paid. */
async function chargeBalances(
  tx: Transaction<DB>,
  covered: readonly CoveredLine[],
  { meters, first }: { meters: ReadonlyMap<bigint, Meter>; first: Report },
): Promise<Map<bigint, bigint>> {
  const pools = [...new Set([...meters.values()].map((meter) => meter.pool))].toSorted()
  const used = await openAccounts(tx, pools.map(house.trafficUsed))
  const usedOf = new Map(pools.map((pool, index) => [pool, used[index]]))
  const draws: Draw[] = []
  const accounts: bigint[] = []
  for (const [account, amount] of sumByAccount(covered)) {
    const meter = meters.get(account)
    const to = meter && usedOf.get(meter.pool)
    if (meter === undefined || to === undefined)
      throw new Error(`account ${account} was charged without a meter`)
    if (amount === 0n) continue
    accounts.push(account)
    draws.push({ first: meter.bonus_account, second: meter.paid_account, to, amount })
  }
  const lost = new Map<string, bigint>()
  for (const { line, covered: bytes } of covered) {
    const pool = meters.get(line.account)?.pool
    if (pool !== undefined && bytes < line.bytes) lost.set(pool, (lost.get(pool) ?? 0n) + line.bytes - bytes)
  }
  if (draws.length === 0 && lost.size === 0) return new Map()
  const postings = [...lost].flatMap(([pool, bytes]) => [
    { account: house.trafficUsed(pool), amount: bytes },
    { account: house.trafficLost(pool), amount: -bytes },
  ])
  const reference = `${first.gateway} ${first.boot} ${first.sequence}`
  const bonus = await draw(tx, { kind: usageKind, reference, draws, postings })
  return new Map(accounts.map((account, index) => [account, bonus[index] ?? 0n]))
}

async function addUsage(tx: Transaction<DB>, usage: readonly DayUsage[]): Promise<void> {
  if (usage.length === 0) return
  await sql`
    insert into usage_day as known (subuser_id, day, charged_bytes, bonus_bytes, requests)
    select * from unnest(
      ${bigintArray(usage.map((one) => one.account))}::bigint[],
      ${`{${usage.map((one) => one.day).join(',')}}`}::date[],
      ${bigintArray(usage.map((one) => one.charged))}::bigint[],
      ${bigintArray(usage.map((one) => one.bonus))}::bigint[],
      ${bigintArray(usage.map((one) => one.requests))}::bigint[])
    on conflict (subuser_id, day) do update set
      charged_bytes = known.charged_bytes + excluded.charged_bytes,
      bonus_bytes = known.bonus_bytes + excluded.bonus_bytes,
      requests = known.requests + excluded.requests`.execute(tx)
}

async function writeOff(tx: Transaction<DB>, covered: readonly CoveredLine[]): Promise<void> {
  const lost = covered.filter((one) => one.covered < one.line.bytes)
  if (lost.length === 0) return
  await sql`
    insert into write_off (lease_id, bytes)
    select * from unnest(
      ${bigintArray(lost.map((one) => one.line.lease))}::bigint[],
      ${bigintArray(lost.map((one) => one.line.bytes - one.covered))}::bigint[])`.execute(tx)
}
