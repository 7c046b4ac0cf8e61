/**
 * Costs of exits in USD, by the bytes that their sellers count. The ledger sums both directions, so the part
 * that a seller counts is taken from the exit's connection records of the day: some records may be lost, but
 * never those of one direction only.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { costHistory, type ExitCost, termsOn } from '#exits'
import { inUsd, ratesOfDays } from '#rates'
import { directionsByExit, type ExitDirections } from '#requests'

/** Cost terms with their conversion to USD. */
export interface UsdCost extends ExitCost {
  /** The bytes that the seller counts, out of those that the exit relayed on a day. */
  counted: (day: string, relayedBytes: bigint) => bigint
  /**
   * Micro-USD, rounded half up. Null: there is no rate for that day or an earlier one, so the cost is
   * unknown.
   */
  usd: (day: string, micros: bigint) => bigint | null
}

const countsAll = ({ counts, countsFailed }: ExitCost) => counts === 'both' && countsFailed

/**
 * The fraction of bytes that a seller counts; without records it is 1, so that a cost is overestimated rather
 * than underestimated.
 */
function partOf({ counts, countsFailed }: ExitCost, of: ExitDirections | undefined): [bigint, bigint] {
  const all = (of?.upBytes ?? 0n) + (of?.downBytes ?? 0n)
  if (of === undefined || all === 0n) return [1n, 1n]
  const up = of.upBytes - (countsFailed ? 0n : of.failedUpBytes)
  const down = of.downBytes - (countsFailed ? 0n : of.failedDownBytes)
  return [(counts === 'down' ? 0n : up) + (counts === 'up' ? 0n : down), all]
}

/**
 * The cost terms of all exits, removed ones included, by exit, for the days from `from` to `to` inclusive.
 */
export async function usdCosts(
  db: Kysely<DB>,
  { from, to }: { from: string; to: string },
): Promise<Map<bigint, UsdCost[]>> {
  const history = await costHistory(db)
  const currencies = [...new Set(history.map(({ currency }) => currency))]
  const rateOn = await ratesOfDays(db, currencies)
  const directions = new Map(
    history.every(countsAll)
      ? []
      : (await directionsByExit(db, { from, to })).map((one) => [`${one.exitId} ${one.day}`, one]),
  )
  const costs = history.map((cost): UsdCost => ({
    ...cost,
    counted: (day, relayedBytes) => {
      if (countsAll(cost)) return relayedBytes
      const [part, whole] = partOf(cost, directions.get(`${cost.exitId} ${day}`))
      return (relayedBytes * part) / whole
    },
    usd: (day, micros) => {
      if (micros === 0n) return 0n
      const rate = rateOn(cost.currency, day)
      return rate === null ? null : inUsd(micros, rate)
    },
  }))
  return Map.groupBy(costs, ({ exitId }) => exitId)
}

/** The currencies of costs that are in force on a day (UTC). */
export async function costCurrencies(db: Kysely<DB>, day: string): Promise<string[]> {
  const histories = Map.groupBy(await costHistory(db), ({ exitId }) => exitId)
  const inForce = [...histories.values()].flatMap((history) => termsOn(history, day) ?? [])
  const costing = inForce.filter(({ perGbMicros, monthMicros }) => perGbMicros + monthMicros > 0n)
  return [...new Set(costing.map(({ currency }) => currency))].toSorted()
}
