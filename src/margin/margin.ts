/**
 * Margin: what used traffic earned, less what the exits that carried it cost. docs/decisions/0022-margin.md has the rules. Earned is
 * what was paid for the used bytes, real money only; bonus and forgiven bytes earn nothing and cost like others.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { marginOf, type MarginPart } from './parts.ts'

export { countMargin } from './count.ts'
export { costCurrencies } from './exit.cost.ts'
export { marginOf, marginOfHours, type MarginPart } from './parts.ts'
export { type DearestCost, dearestCosts, type PoolCost, poolCosts } from './pool.cost.ts'
export { lowStockDays, type StockLeft, stocksLeft } from './stock.ts'

/** Sums of parts. */
export interface MarginSum {
  chargedBytes: bigint
  bonusBytes: bigint
  relayedBytes: bigint
  earnedMicros: bigint
  /** Of the exits whose cost is known. */
  costMicros: bigint
  /** Earned less cost, of what passed through exits whose cost is known. */
  marginMicros: bigint
  /** Charged bytes that passed through exits whose cost is not known: their margin is not known either. */
  uncostedBytes: bigint
}

const nothing: MarginSum = {
  chargedBytes: 0n,
  bonusBytes: 0n,
  relayedBytes: 0n,
  earnedMicros: 0n,
  costMicros: 0n,
  marginMicros: 0n,
  uncostedBytes: 0n,
}

/** Adds parts up by a key, in the order in which the keys come. */
export function sumMargin<Part extends MarginPart>(
  parts: readonly Part[],
  keyOf: (part: Part) => string,
): Map<string, MarginSum> {
  const sums = new Map<string, MarginSum>()
  for (const part of parts) {
    const { chargedBytes, bonusBytes, relayedBytes, earnedMicros, costMicros } = part
    const key = keyOf(part)
    const sum = sums.get(key) ?? nothing
    sums.set(key, {
      chargedBytes: sum.chargedBytes + chargedBytes,
      bonusBytes: sum.bonusBytes + bonusBytes,
      relayedBytes: sum.relayedBytes + relayedBytes,
      earnedMicros: sum.earnedMicros + earnedMicros,
      costMicros: sum.costMicros + (costMicros ?? 0n),
      marginMicros: sum.marginMicros + (costMicros === null ? 0n : earnedMicros - costMicros),
      uncostedBytes: sum.uncostedBytes + (costMicros === null ? chargedBytes : 0n),
    })
  }
  return sums
}

const dayMs = 86_400_000
const exitDays = 30

/** What each exit carried, earned and cost in the last 30 days, today included, by its number. */
export async function exitMargins(db: Kysely<DB>, now: Date): Promise<Map<string, MarginSum>> {
  const to = now.toISOString().slice(0, 10)
  const from = new Date(Date.parse(to) - (exitDays - 1) * dayMs).toISOString().slice(0, 10)
  return sumMargin(await marginOf(db, { from, to }, now), ({ exitId }) => String(exitId))
}
