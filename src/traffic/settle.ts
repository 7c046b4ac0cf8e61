import { type Kysely, type Transaction, sql } from 'kysely'
import { type DB, transaction } from '#db'
import type { Report } from '#feed'
import { house, post, type TrafficDraw, postUsage } from '#ledger'
import { bigintArray } from '#lib/pg-array'
import { addingMinutes, minutesOf } from './activity.ts'
import { chargeCoveredLines, chargeOtherLines, sumByAccount } from './charge.ts'
import { type Meter, lockMeters } from './meters.ts'
import {
  type CoveredLine,
  type LeaseLine,
  checkReport,
  gather,
  isPaid,
  spreadBonus,
  usageOf,
  userUseOf,
} from './lines.ts'
import { takeUnsettled } from './sequence.ts'
import { addUsage } from './usage.ts'
import { reserveAccounts } from './reserve.ts'
import { addUserUse } from './proxy-users/use.ts'

/**
 * Settles reports: each (gateway, boot, sequence) exactly once, all of them in one transaction or none.
 * Charges the leases, then the balances (bonus first, then paid), adds to the usage of the UTC hour, and
 * closes the leases that are given back. Repetitions change nothing.
 *
 * A lease that was closed as lost is charged as far as the balance covers it beyond other leases. The rest is
 * written off: the house bears it (`traffic_lost`).
 *
 * Throws `MalformedReport`, having changed nothing, for a report with a negative amount, an unknown account,
 * a lease that is unknown or another account's, or a charge above what was granted to its lease.
 *
 * `zone`: the time zone of the days of proxy users.
 */
export async function settle(db: Kysely<DB>, reports: readonly Report[], zone = 'UTC'): Promise<void> {
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
    await addUserUse(tx, userUseOf(covered, zone))
    if (others.length > 0)
      covered.push(...(await chargeOtherLines(tx, others, { meters, charged: sumByAccount(covered), zone })))
    const usage = usageOf(covered)
    await writeOff(tx, covered, { meters, first })
    await chargeBalances(tx, covered, meters, async (bonus) => {
      spreadBonus(usage, bonus)
      await addUsage(tx, [...usage.values()].flat(), addingMinutes(minutesOf(covered)))
    })
  })
}

/**
 * Disables the plans that read whole tables. A settlement looks up its rows by index; the planner would read
 * the whole table when they are more than a few percent of it, at a cost that grows with the number of
 * customers.
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

/**
 * Posts the charges. Calls back, before the balances are changed and locked, with the bytes that each
 * account's bonus pays.
 */
async function chargeBalances(
  tx: Transaction<DB>,
  covered: readonly CoveredLine[],
  meters: ReadonlyMap<bigint, Meter>,
  beforePosting: (bonus: ReadonlyMap<bigint, bigint>) => Promise<void>,
): Promise<void> {
  const draws: TrafficDraw[] = []
  const accounts: bigint[] = []
  for (const [account, amount] of sumByAccount(covered)) {
    const meter = meters.get(account)
    if (meter === undefined) throw new Error(`account ${account} was charged without a meter`)
    if (amount === 0n) continue
    accounts.push(account)
    draws.push({ first: meter.bonus_account, second: meter.paid_account, amount })
  }
  for (const [account, draw] of await reserveDraws(tx, covered)) {
    accounts.push(account)
    draws.push(draw)
  }
  await postUsage(tx, draws, (bonus) => {
    const byAccount = new Map<bigint, bigint>()
    for (const [index, account] of accounts.entries())
      byAccount.set(account, (byAccount.get(account) ?? 0n) + (bonus[index] ?? 0n))
    return beforePosting(byAccount)
  })
}

/** The draws from what is reserved for proxy users, by account. */
async function reserveDraws(
  tx: Transaction<DB>,
  covered: readonly CoveredLine[],
): Promise<[bigint, TrafficDraw][]> {
  const sums = new Map<bigint, bigint>()
  for (const { line, covered: bytes } of covered)
    if (line.user !== null && isPaid(line) && bytes > 0n)
      sums.set(line.account, (sums.get(line.account) ?? 0n) + bytes)
  const known = await reserveAccounts(tx, [...sums.keys()])
  return [...sums].map(([account, amount]) => {
    const reserve = known.get(account)
    if (reserve === undefined) throw new Error(`account ${account} was charged without a reserve`)
    return [account, { first: reserve.bonus, second: reserve.paid, amount }]
  })
}

/**
 * Writes off bytes that no lease and no balance covered, in a ledger transaction of its own; few settlements
 * need one.
 */
async function writeOff(
  tx: Transaction<DB>,
  covered: readonly CoveredLine[],
  { meters, first }: { meters: ReadonlyMap<bigint, Meter>; first: Report },
): Promise<void> {
  const lost = covered.filter((one) => isPaid(one.line) && one.covered < one.line.bytes)
  if (lost.length === 0) return
  await sql`
    insert into write_off (lease_id, bytes)
    select * from unnest(
      ${bigintArray(lost.map((one) => one.line.lease))}::bigint[],
      ${bigintArray(lost.map((one) => one.line.bytes - one.covered))}::bigint[])`.execute(tx)
  await post(tx, {
    kind: 'write_off',
    reference: `${first.gateway} ${first.boot} ${first.sequence}`,
    postings: lost.flatMap(({ line, covered: bytes }) => {
      const pool = meters.get(line.account)?.pool
      if (pool === undefined) throw new Error(`account ${line.account} was charged without a meter`)
      return [
        { account: house.trafficUsed(pool), amount: line.bytes - bytes },
        { account: house.trafficLost(pool), amount: bytes - line.bytes },
      ]
    }),
  })
}
