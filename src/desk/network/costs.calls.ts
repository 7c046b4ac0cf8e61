/** The desk's calls about what exits cost. */
import type { DeskOutput, DeskParsed } from '#contract/desk/contract'
import { binaryGb, costHistory, type CostTerms, decimalGb, type ExitCost, termsOn } from '#exits'
import { Refusal } from '#lib/refusal'
import { ratesOfDays } from '#rates'
import { authorOf, type DeskHandlers } from '#staff/call'
import { amount } from '../lists/page.ts'
import { lowStockDays, stocksLeft } from '#margin'
import { listSellerAccounts, type SellerStock, sellerStocks } from '#sellers'
import { setExitCost, setExitStock } from './exits.acts.ts'

type Row = DeskOutput<'exit_costs'>['rows'][number]

const shown = (cost: ExitCost, inForce: ExitCost | null, isRated: boolean): Row => ({
  from: cost.fromDay,
  currency: cost.currency,
  rated: isRated,
  counts: cost.counts,
  counts_failed: cost.countsFailed,
  per_gb_micros: amount(cost.perGbMicros),
  month_micros: amount(cost.monthMicros),
  binary_gb: cost.gbBytes === binaryGb,
  rounding: cost.rounding,
  set_at: cost.setAt.toISOString(),
  in_force: cost === inForce,
})

const termsOf = (given: DeskParsed<'set_exit_cost'>): CostTerms => ({
  fromDay: given.from,
  currency: given.currency,
  counts: given.counts,
  countsFailed: given.counts_failed,
  perGbMicros: BigInt(given.per_gb_micros),
  monthMicros: BigInt(given.month_micros),
  gbBytes: given.binary_gb ? binaryGb : decimalGb,
  rounding: given.rounding,
})

/** The traffic left at the account of an exit. */
const ofAccount = (id: bigint, { account, leftBytes, daysLeft, isLow }: SellerStock) => ({
  id: String(id),
  left_bytes: amount(leftBytes),
  set_at: (account.readings.find(({ part }) => part === 'balance')?.readAt ?? new Date(0)).toISOString(),
  days_left: daysLeft,
  is_low: isLow,
  account: account.label,
})

export const costCalls = {
  exit_costs: async ({ id }, { database, now }) => {
    const history = await costHistory(database.db, BigInt(id))
    const today = now().toISOString().slice(0, 10)
    const inForce = termsOn(history, today)
    const rateOn = await ratesOfDays(
      database.db,
      history.map(({ currency }) => currency),
    )
    const isRated = ({ currency }: ExitCost) => rateOn(currency, today) !== null
    return { rows: history.toReversed().map((cost) => shown(cost, inForce, isRated(cost))), next: null }
  },
  set_exit_cost: async ({ id, reason = null, ...given }, context) => {
    const order = { exitId: BigInt(id), terms: termsOf({ id, ...given }), reason }
    await setExitCost(context.database.db, authorOf(context), order, context.now())
    return true as const
  },
  exit_stocks: async (_input, { database: { db }, now }) => {
    const told = (await sellerStocks(db, await listSellerAccounts(db), now())).flatMap((stock) =>
      stock.account.exits.map(({ id }) => ofAccount(id, stock)),
    )
    const byHand = (await stocksLeft(db, now())).filter(
      ({ exitId }) => !told.some(({ id }) => id === String(exitId)),
    )
    return [
      ...told,
      ...byHand.map(({ exitId, leftBytes, setAt, daysLeft }) => ({
        id: String(exitId),
        left_bytes: amount(leftBytes),
        set_at: setAt.toISOString(),
        days_left: daysLeft,
        is_low: daysLeft !== null && daysLeft < lowStockDays,
        account: null,
      })),
    ]
  },
  set_exit_stock: async ({ id, left_bytes: left, at, reason = null }, context) => {
    const now = context.now()
    const time = at === undefined ? now : new Date(at)
    if (time > now) throw new Refusal('invalid_field', { field: 'at' })
    const order = { exitId: BigInt(id), at: time, leftBytes: BigInt(left), reason }
    await setExitStock(context.database.db, authorOf(context), order, now)
    return true as const
  },
} satisfies Partial<DeskHandlers>
