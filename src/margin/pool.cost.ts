/** The cost of a paid GB by pool: the minimum price. */
import type { Kysely } from 'kysely'
import { bytesPerGb, type Pool, pools } from '#contract/wire'
import type { DB } from '#db'
import { exitWeights, monthShare, termsOn } from '#exits'
import { least, most } from '#lib/bigint'
import { type UsdCost, usdCosts } from './exit.cost.ts'
import { marginOf, type MarginPart } from './by.exit.ts'
import { addMargin, type MarginSum, noMargin, sumMargin } from './sums.ts'

export interface PoolCost {
  pool: Pool
  /**
   * Micro-USD per paid GB sold from now on: today's prices of the enabled exits, averaged by weight, with the
   * monthly costs and the bonus of the last 30 days.
   */
  perGbMicros: bigint
  /** What a paid GB cost in the last 30 days. Null: less than one was used at a known cost. */
  pastPerGbMicros: bigint | null
}

const wholePpm = 1_000_000n

/**
 * Processor fees and referral shares in parts per million of the revenue of the last 30 days, by pool,
 * rounded up; a pool without revenue gets the value of all pools together.
 */
export async function takenPpm(db: Kysely<DB>, now: Date): Promise<(pool: Pool) => bigint> {
  const sums = sumMargin(await lastDays(db, now), ({ pool }) => pool)
  const whole = [...sums.values()].reduce((all, sum) => addMargin(all, sum), noMargin)
  const partOf = ({ revenueMicros, feeMicros, shareMicros }: MarginSum) =>
    least(wholePpm - 1n, ((feeMicros + shareMicros) * wholePpm + revenueMicros - 1n) / revenueMicros)
  return (pool) => {
    const sum = [sums.get(pool), whole].find((one) => one !== undefined && one.revenueMicros > 0n)
    return sum === undefined ? 0n : most(0n, partOf(sum))
  }
}

function lastDaysOf(now: Date): { from: string; to: string } {
  const to = now.toISOString().slice(0, 10)
  return { from: new Date(Date.parse(to) - (days - 1) * dayMs).toISOString().slice(0, 10), to }
}

const lastDays = (db: Kysely<DB>, now: Date): Promise<MarginPart[]> => marginOf(db, lastDaysOf(now), now)

const dayMs = 86_400_000
const days = 30

/** The pools whose exits have a known cost on this day, or had one in the last 30 days. */
export async function poolCosts(db: Kysely<DB>, now: Date): Promise<PoolCost[]> {
  const parts = await lastDays(db, now)
  const ofPool = Map.groupBy(parts, ({ pool }) => pool)
  const current = await currentCosts(db, parts, now)
  return pools.flatMap((pool): PoolCost[] => {
    const past = usedCost(ofPool.get(pool) ?? [])
    const perGbMicros = current.get(pool) ?? past
    return perGbMicros === null ? [] : [{ pool, perGbMicros, pastPerGbMicros: past }]
  })
}

interface UsedBytes {
  relayed: bigint
  paid: bigint
}

const bytesOf = (parts: readonly MarginPart[]): UsedBytes =>
  parts.reduce<UsedBytes>(
    ({ relayed, paid }, part) => ({
      relayed: relayed + part.relayedBytes,
      paid: paid + part.chargedBytes - part.bonusBytes,
    }),
    { relayed: 0n, paid: 0n },
  )

/** The fraction of relayed bytes that the seller of an exit counts, by the traffic of the last 30 days. */
function countedPart(terms: UsdCost, parts: readonly MarginPart[]): [counted: bigint, relayed: bigint] {
  const { relayed } = bytesOf(parts)
  if (relayed === 0n) return [1n, 1n]
  return [parts.reduce((sum, part) => sum + terms.counted(part.day, part.relayedBytes), 0n), relayed]
}

/** The monthly cost at the terms of today, for those of the last 30 days on which the exit had a cost. */
function monthlyOf(terms: UsdCost, history: readonly UsdCost[], now: Date): bigint | null {
  const today = now.toISOString().slice(0, 10)
  const ofDays = Array.from({ length: days }, (_, back) => {
    const day = new Date(Date.parse(today) - back * dayMs).toISOString().slice(0, 10)
    if (termsOn(history, day) === null) return 0n
    return monthShare(terms, day, back === 0 ? now.getUTCHours() + 1 : undefined)
  })
  return terms.usd(
    today,
    ofDays.reduce((sum, share) => sum + share, 0n),
  )
}

/**
 * Micro-USD per paid GB at the prices of this day, rounded up. Pools none of whose enabled exits has a known
 * cost are missing. Monthly costs and bonus are included once a paid GB was used in the last 30 days.
 */
async function currentCosts(
  db: Kysely<DB>,
  parts: readonly MarginPart[],
  now: Date,
): Promise<Map<Pool, bigint>> {
  const { from, to } = lastDaysOf(now)
  const histories = await usdCosts(db, { from, to })
  const ofExit = Map.groupBy(parts, ({ exitId }) => exitId)
  const ofPool = Map.groupBy(parts, ({ pool }) => pool)
  const known = (await exitWeights(db)).flatMap(({ id, pool, weight }) => {
    const history = histories.get(id) ?? []
    const terms = termsOn(history, to)
    if (terms === null) return []
    const [counted, relayed] = countedPart(terms, ofExit.get(id) ?? [])
    const perGbMicros = terms.usd(to, (terms.perGbMicros * bytesPerGb * counted) / (terms.gbBytes * relayed))
    const monthMicros = monthlyOf(terms, history, now)
    return perGbMicros === null || monthMicros === null
      ? []
      : [{ pool, weight: BigInt(weight), perGbMicros, monthMicros }]
  })
  const sumOf = <T>(all: readonly T[], of: (one: T) => bigint) => all.reduce((sum, one) => sum + of(one), 0n)
  return new Map(
    [...Map.groupBy(known, ({ pool }) => pool)].map(([pool, exits]) => {
      const weights = sumOf(exits, ({ weight }) => weight)
      const byWeight = sumOf(exits, ({ weight, perGbMicros }) => weight * perGbMicros)
      const { relayed, paid } = bytesOf(ofPool.get(pool) ?? [])
      if (paid < bytesPerGb) return [pool, (byWeight + weights - 1n) / weights]
      const monthly = sumOf(exits, ({ monthMicros }) => monthMicros) * bytesPerGb * weights
      return [pool, (byWeight * relayed + monthly + weights * paid - 1n) / (weights * paid)]
    }),
  )
}

/** Rounded up. Null: less than one paid GB was used at a known cost. */
function usedCost(parts: readonly MarginPart[]): bigint | null {
  let [paidBytes, costMicros] = [0n, 0n]
  for (const part of parts)
    if (part.costMicros !== null) {
      paidBytes += part.chargedBytes - part.bonusBytes
      costMicros += part.costMicros
    }
  return paidBytes < bytesPerGb || costMicros === 0n
    ? null
    : (costMicros * bytesPerGb + paidBytes - 1n) / paidBytes
}

/**
 * Micro-USD per GB on a day (UTC), averaged by weight over the enabled exits with a price in USD or a
 * currency that has a rate, rounded up. Pools none of whose exits has a known cost are missing. Monthly costs
 * are not included, because the traffic that bears them is not known.
 */
export async function listedCosts(db: Kysely<DB>, day: string): Promise<Map<Pool, bigint>> {
  const histories = await usdCosts(db, { from: day, to: day })
  const known = (await exitWeights(db)).flatMap(({ id, pool, weight }) => {
    const terms = termsOn(histories.get(id) ?? [], day)
    if (terms === null) return []
    const perGbMicros = terms.usd(day, (terms.perGbMicros * bytesPerGb) / terms.gbBytes)
    return perGbMicros === null ? [] : [{ pool, weight: BigInt(weight), perGbMicros }]
  })
  return new Map(
    [...Map.groupBy(known, ({ pool }) => pool)].map(([pool, exits]) => {
      const weights = exits.reduce((sum, { weight }) => sum + weight, 0n)
      const cost = exits.reduce((sum, { weight, perGbMicros }) => sum + weight * perGbMicros, 0n)
      return [pool, (cost + weights - 1n) / weights]
    }),
  )
}

/** The exit of a pool with the highest price per GB. */
export interface DearestCost {
  exitId: bigint
  exit: string
  /** Micro-USD for 10^9 bytes, rounded up. */
  perGbMicros: bigint
}

/**
 * By pool, the enabled exit with the highest price per GB on a day (UTC): a sale below that price loses money
 * on traffic through this exit. Monthly costs are not included, because the traffic that bears them is not
 * known. The price is that of a GB counted by the seller, who may count one direction only. Pools none of
 * whose exits has a known cost in USD are missing.
 */
export async function dearestCosts(db: Kysely<DB>, now: Date): Promise<Map<Pool, DearestCost>> {
  const day = now.toISOString().slice(0, 10)
  const histories = await usdCosts(db, { from: day, to: day })
  const dearest = new Map<Pool, DearestCost>()
  for (const { id, pool } of await exitWeights(db)) {
    const terms = termsOn(histories.get(id) ?? [], day)
    if (terms === null) continue
    const perGb = (terms.perGbMicros * bytesPerGb + terms.gbBytes - 1n) / terms.gbBytes
    const perGbMicros = terms.usd(day, perGb) ?? 0n
    if (perGbMicros > (dearest.get(pool)?.perGbMicros ?? 0n))
      dearest.set(pool, { exitId: id, exit: terms.name, perGbMicros })
  }
  return dearest
}
