/** The cost of a paid GB by pool: the minimum price. */
import type { Kysely } from 'kysely'
import { bytesPerGb, type Pool, pools } from '#contract/wire'
import type { DB } from '#db'
import { exitWeights, termsOn } from '#exits'
import { least, most } from '#lib/bigint'
import { usdCosts } from './exit.cost.ts'
import { marginOf, type MarginPart } from './by.exit.ts'
import { addMargin, type MarginSum, noMargin, sumMargin } from './sums.ts'

export interface PoolCost {
  pool: Pool
  /** Micro-USD per paid GB. */
  perGbMicros: bigint
  /**
   * `used`: all costs of the last 30 days divided by the paid GB of that period. `listed`: usage was too low,
   * so it is the weighted average of the exits' prices per GB.
   */
  basis: 'used' | 'listed'
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

function lastDays(db: Kysely<DB>, now: Date): Promise<MarginPart[]> {
  const to = now.toISOString().slice(0, 10)
  const from = new Date(Date.parse(to) - (days - 1) * dayMs).toISOString().slice(0, 10)
  return marginOf(db, { from, to }, now)
}

const dayMs = 86_400_000
const days = 30

/** The pools whose cost is known. */
export async function poolCosts(db: Kysely<DB>, now: Date): Promise<PoolCost[]> {
  const ofPool = Map.groupBy(await lastDays(db, now), ({ pool }) => pool)
  const listed = await listedCosts(db, now.toISOString().slice(0, 10))
  return pools.flatMap((pool): PoolCost[] => {
    const used = usedCost(ofPool.get(pool) ?? [])
    if (used !== null) return [{ pool, perGbMicros: used, basis: 'used' }]
    const perGbMicros = listed.get(pool)
    return perGbMicros === undefined ? [] : [{ pool, perGbMicros, basis: 'listed' }]
  })
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
 * Micro-USD per GB on a day (UTC), by the weights of enabled exits with a price in USD or a currency that has
 * a rate, rounded up. Pools none of whose exits has a known cost are missing; monthly costs are not in it,
 * because what they carry is not known.
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
 * By pool, the enabled exit with the highest price per GB on a day (UTC): a sale below it loses money on what
 * leaves by that exit. Monthly costs are not in it, because what they carry is not known, and neither is that
 * some sellers count one direction alone: it is the price of a GB that they count. Pools none of whose exits
 * has a known cost in USD are missing.
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
