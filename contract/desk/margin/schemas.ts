/** Margin: what used traffic earned less what it cost. */
import * as z from 'zod'
import { amount, day, dayOrText, empty, id, page, pageOf } from '../schemas.ts'
import { marginDivisions } from '../choices.ts'

const sums = {
  charged_bytes: amount,
  /** The part of it that bonus paid for: it earns nothing. */
  bonus_bytes: amount,
  /** Payload that exits carried, what was forgiven included. */
  relayed_bytes: amount,
  /** What was paid for the used bytes, less what refunds returned. Micro-USD. */
  revenue_micros: amount,
  /** The part of the revenue that processors kept. */
  fee_micros: amount,
  /** The part of the revenue that inviters earned as shares. */
  share_micros: amount,
  /** The revenue less fees and shares. */
  earned_micros: amount,
  /** Of the exits whose cost is known. */
  cost_micros: amount,
  /** The part of the cost that bonus and forgiven traffic caused. */
  free_cost_micros: amount,
  /** Of what passed through those exits. */
  margin_micros: amount,
  /** Charged bytes of exits whose cost is not known. */
  uncosted_bytes: amount,
}

export const marginInput = z.strictObject({
  /** All rows come in one page. */
  ...page,
  by: z.enum(marginDivisions),
  /** Days of the shop's time zone, both included. */
  from: day,
  until: day,
})

const row = z.object({
  /**
   * A day (of a week its Monday, of a month its first), a pool, the id of an exit or a customer, a volume
   * discount in parts per million or a promo code. Empty: no exit, or not known; of a division by purchases,
   * what is of none: bonus, forgiven and received traffic, and costs of hours without use. `(none)`:
   * purchases without a promo code. `(rest)`: all that are not among those that brought most or lost most.
   */
  key: dayOrText,
  /** Of an exit; of one that is gone, its name when its cost was set. Of a customer, the user name. */
  name: z.string().nullable(),
  ...sums,
})

const figure = amount.nullable()

/** Null: the ledger has no such figure. */
const footRow = z.object({
  key: z.string(),
  /** Of the ledger: whether it agrees, in words for files. */
  name: z.string().nullable(),
  charged_bytes: figure,
  bonus_bytes: figure,
  relayed_bytes: figure,
  revenue_micros: figure,
  fee_micros: figure,
  share_micros: figure,
  earned_micros: figure,
  cost_micros: figure,
  free_cost_micros: figure,
  margin_micros: figure,
  uncosted_bytes: figure,
})

/** Times in their order, others by what they earned. */
export const marginPage = pageOf(row).extend({
  /**
   * `total`: of all rows. Of all time: `earned`: by used traffic; `unused`: of what is paid for and not used;
   * `other`: of test purchases, of payments for no traffic, and given by staff. `ledger`: sales and what
   * referral balances paid, fees, and shares, as the ledger has them. `difference`: where the sum of the
   * three is not that.
   */
  foot: z.array(footRow),
  agrees: z.enum(['equal', 'differs']),
})

/** Of the last 30 days. */
export const exitMargins = z.array(z.object({ id, ...sums }))

export const marginDeskSchemas = {
  margin_report: { input: marginInput, output: marginPage },
  exit_margins: { input: empty, output: exitMargins },
} as const
