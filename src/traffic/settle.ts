import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { Report } from '#feed'
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

const msPerDay = 86_400_000

/**
 * Settles reports: each (gateway, boot, sequence) exactly once, all of them in one transaction or none. Charges the
 * leases, then the balances (bonus first, then paid), adds to the usage of the UTC day, and closes the leases that are
 * given back. Repeats change nothing.
 *
 * A lease is never charged above what was granted. One that was closed as lost is charged as far as the balance covers
 * it beyond other leases. What is left over is written off: the house bears it (`traffic_lost`).
 *
 * Throws `MalformedReport`, having changed nothing, for a report with a negative amount, an unknown account, or a lease
 * that is unknown or another account's.
 */
export async function settle(db: Kysely<DB>, reports: readonly Report[]): Promise<void> {
  for (const report of reports) checkReport(report)
  await transaction(db, async (tx) => {
    const fresh = await takeUnsettled(tx, reports)
    const lines = gather(fresh)
    const [first] = fresh
    if (first === undefined || lines.length === 0) return
    await goByIndex(tx)
    const meters = await lockMeters(
      tx,
      lines.map((line) => line.account),
    )
    const others = await chargeCoveredLines(tx, lines)
    const covered = coveredInFull(lines, others)
    if (others.length > 0)
      covered.push(...(await chargeOtherLines(tx, others, { meters, charged: sumByAccount(covered) })))
    const usage = usageOf(covered)
    // Counting the hours of all accounts would cost a tenth more, and only caps need them.
    await addHours(
      tx,
      covered.filter(({ line }) => meters.get(line.account)?.is_limited === true),
    )
    await writeOff(tx, covered)
    await chargeBalances(tx, covered, { meters, first }, async (bonus) => {
      spreadBonus(usage, bonus)
      await addUsage(tx, usage)
    })
  })
}

/**
 * A settlement looks its own rows up, one by one. Left to itself the planner reads the whole table when they are more than
 * a few hundredths of it, which costs more than it thinks, and the more customers there are the more.
 */
async function goByIndex(tx: Transaction<DB>): Promise<void> {
  await sql`
    select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('enable_seqscan', 'off', true)`.execute(tx)
}

function coveredInFull(lines: readonly LeaseLine[], others: readonly LeaseLine[]): CoveredLine[] {
  const excluded = new Set(others)
  return lines.filter((line) => !excluded.has(line)).map((line) => ({ line, covered: line.bytes }))
}

/** One ledger transaction for all of it; tells, before it is made, what each account's bonus pays. */
async function chargeBalances(
  tx: Transaction<DB>,
  covered: readonly CoveredLine[],
  { meters, first }: { meters: ReadonlyMap<bigint, Meter>; first: Report },
  beforePosting: (bonus: ReadonlyMap<bigint, bigint>) => Promise<void>,
): Promise<void> {
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
  if (draws.length === 0 && lost.size === 0) return beforePosting(new Map())
  const postings = [...lost].flatMap(([pool, bytes]) => [
    { account: house.trafficUsed(pool), amount: bytes },
    { account: house.trafficLost(pool), amount: -bytes },
  ])
  const reference = `${first.gateway} ${first.boot} ${first.sequence}`
  await draw(tx, { kind: usageKind, reference, draws, postings }, (bonus) =>
    beforePosting(new Map(accounts.map((account, index) => [account, bonus[index] ?? 0n]))),
  )
}

/**
 * The rows of the day nearly always exist already: they are updated, and only missing ones are inserted. The meters are
 * locked, so no other settlement does either meanwhile.
 */
async function addUsage(tx: Transaction<DB>, usage: readonly DayUsage[]): Promise<void> {
  if (usage.length === 0) return
  // The day comes with each row. Given one day that its statistics do not know yet, the planner would expect few rows of
  // that day, and begin there.
  const days = new Map(
    [...new Set(usage.map((one) => one.day))].map((day) => [day, Date.parse(day) / msPerDay]),
  )
  const told = sql`unnest(
    ${bigintArray(usage.map((one) => one.account))}::bigint[],
    ${bigintArray(usage.map((one) => days.get(one.day) ?? 0))}::bigint[],
    ${bigintArray(usage.map((one) => one.charged))}::bigint[],
    ${bigintArray(usage.map((one) => one.bonus))}::bigint[],
    ${bigintArray(usage.map((one) => one.requests))}::bigint[]
  ) as told(account, day, charged, bonus, requests)`
  const changed = await sql`
    update usage_day known set
      charged_bytes = known.charged_bytes + told.charged,
      bonus_bytes = known.bonus_bytes + told.bonus,
      requests = known.requests + told.requests
    from ${told}
    where known.subuser_id = told.account and known.day = date '1970-01-01' + told.day::int`.execute(tx)
  const missing = BigInt(usage.length) - (changed.numAffectedRows ?? 0n)
  if (missing === 0n) return
  const begun = await sql`
    insert into usage_day (subuser_id, day, charged_bytes, bonus_bytes, requests)
    select account, date '1970-01-01' + day::int, charged, bonus, requests from ${told}
    on conflict (subuser_id, day) do nothing`.execute(tx)
  if (begun.numAffectedRows !== missing)
    throw new Error('a day of usage was changed without the lock of its meter')
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
