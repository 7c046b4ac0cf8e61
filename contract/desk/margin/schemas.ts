/** Margin: what used traffic earned less what it cost. */
import * as z from 'zod'
import { amount, day, dayOrText, empty, id, page, pageOf } from '../schemas.ts'
import { marginDivisions } from '../choices.ts'

const sums = {
  charged_bytes: amount,
  /** The part of the charged bytes that bonus covered: it earns nothing. */
  bonus_bytes: amount,
  /** Payload that exits carried, including forgiven bytes. */
  relayed_bytes: amount,
  /** The price paid for the used bytes, net of refunds. Micro-USD. */
  revenue_micros: amount,
  /** The part of the revenue that processors kept. */
  fee_micros: amount,
  /** The part of the revenue that inviters earned as shares. */
  share_micros: amount,
  /** The revenue less fees and shares. */
  earned_micros: amount,
  /** The cost of exits with a known cost. */
  cost_micros: amount,
  /** The part of the cost that bonus and forgiven traffic caused. */
  free_cost_micros: amount,
  /** Earned less cost, for traffic through exits with a known cost. */
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
   * A day (for a week its Monday, for a month its first day), a pool, the id of an exit or a customer, a
   * volume discount in ppm, or a promo code. Empty, by exit: no exit, or an unknown one. Empty, by
   * customer, tier or code: traffic of no purchase (bonus, forgiven, received), and costs of hours without
   * use. `(none)`: purchases without a promo code. `(rest)`: the sum of all keys without a row of their own.
   */
  key: dayOrText,
  /** The name of the exit (for a removed one, its name when its cost was set), or of the customer. */
  name: z.string().nullable(),
  ...sums,
})

const figure = amount.nullable()

/** A row below the table; a figure is null if the row does not have it. */
const footRow = z.object({
  key: z.string(),
  /** For files, the row `ledger` has here whether the ledger agrees. */
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

/** Rows of times in their order, other rows by what they earned. */
export const marginPage = pageOf(row).extend({
  /**
   * `total`: the sum of all rows. The other rows are money of all time: `earned` by used traffic; `unused`,
   * paid for traffic that is not used yet; `other`: test purchases, payments without traffic, and money given
   * by staff; `ledger`: sales, fees and shares as the ledger has them; `difference`, only if it is not 0: the
   * ledger compared with the sum of the three.
   */
  foot: z.array(footRow),
  agrees: z.enum(['equal', 'differs']),
})

/** The margin of each exit in the last 30 days. */
export const exitMargins = z.array(z.object({ id, ...sums }))

export const marginDeskSchemas = {
  margin_report: { input: marginInput, output: marginPage },
  exit_margins: { input: empty, output: exitMargins },
} as const
