/**
 * What exits cost in USD, and by what their sellers count. The books have both directions together, so the
 * part that a seller counts is taken from the records of connections of the exit and the day: some of these
 * may be lost, but not of one direction alone.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { costHistory, type ExitCost, termsOn } from '#exits'
import { inUsd, ratesOfDays } from '#rates'
import { directionsByExit, type ExitDirections } from '#requests'

/** Terms with what turns them into USD. */
export interface UsdCost extends ExitCost {
  /** Of bytes that the exit relayed on a day, those that the seller counts. */
  counted: (day: string, relayedBytes: bigint) => bigint
  /**
   * Micro-USD, rounded half up. Null: there is no rate of that day or an earlier one, so that the cost is not
   * known.
   */
  usd: (day: string, micros: bigint) => bigint | null
}

const countsAll = ({ counts, countsFailed }: ExitCost) => counts === 'both' && countsFailed

/**
 * The part that a seller counts, as a fraction; without records it is all: a cost is then shown larger rather
 * than smaller.
 */
function partOf({ counts, countsFailed }: ExitCost, of: ExitDirections | undefined): [bigint, bigint] {
  const all = (of?.upBytes ?? 0n) + (of?.downBytes ?? 0n)
  if (of === undefined || all === 0n) return [1n, 1n]
  const up = of.upBytes - (countsFailed ? 0n : of.failedUpBytes)
  const down = of.downBytes - (countsFailed ? 0n : of.failedDownBytes)
  return [(counts === 'down' ? 0n : up) + (counts === 'up' ? 0n : down), all]
}

/** The costs of all exits that were ever set, by exit, for days from `from` to `to`, both included. */
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
