/**
 * Margin: the revenue of used traffic, less the cost of the exits that carried it.
 * docs/decisions/0022-margin.md has the rules. Earned is the price of the used bytes less fees and referral
 * shares; bonus and forgiven bytes earn nothing and cost as much as others.
 */
import type { Kysely } from 'kysely'
import type { DB } from '#db'
import { marginOf } from './by.exit.ts'
import { type MarginSum, sumMargin } from './sums.ts'

export { countMargin } from './count.ts'
export { costCurrencies } from './exit.cost.ts'
export { type DividedSum, marginBy, noteCustomerMargins, type PurchaseDivision } from './divided.ts'
export { earnedEver } from './ever.ts'
export { makeMarginMonths, forgetOldParts } from './months.ts'
export { marginOf, marginOfHours, type MarginPart } from './by.exit.ts'
export {
  type DearestCost,
  dearestCosts,
  listedCosts,
  type PoolCost,
  poolCosts,
  takenPpm,
} from './pool.cost.ts'
export { addMargin, type MarginSum, noMargin, sumMargin } from './sums.ts'
export { lowStockDays, type StockLeft, stocksLeft } from './stock.ts'

const dayMs = 86_400_000
const exitDays = 30

/** The traffic, revenue and cost of each exit in the last 30 days including today, by its number. */
export async function exitMargins(db: Kysely<DB>, now: Date): Promise<Map<string, MarginSum>> {
  const to = now.toISOString().slice(0, 10)
  const from = new Date(Date.parse(to) - (exitDays - 1) * dayMs).toISOString().slice(0, 10)
  return sumMargin(await marginOf(db, { from, to }, now), ({ exitId }) => String(exitId))
}
