/** Margin: what used traffic earned less what it cost. */
import * as z from 'zod'
import { marginDivisions } from './choices.ts'
import { amount, day, id, page, pageOf } from './schemas.ts'

const sums = {
  charged_bytes: amount,
  /** The part of it that bonus paid for: it earns nothing. */
  bonus_bytes: amount,
  /** Payload that exits carried, what was forgiven included. */
  relayed_bytes: amount,
  /** What was paid for the used bytes, real money only, less what refunds returned. Micro-USD. */
  earned_micros: amount,
  /** Of the exits whose cost is known. */
  cost_micros: amount,
  /** Of what passed through those exits. */
  margin_micros: amount,
  /** Charged bytes of exits whose cost is not known. */
  uncosted_bytes: amount,
}

export const marginInput = z.strictObject({
  /** All rows come in one page. */
  ...page,
  by: z.enum(marginDivisions),
  /** UTC days, both included. */
  from: day,
  until: day,
})
/** Times in their order, others by what they earned. */
export const marginPage = pageOf(
  z.object({
    /** A day (of a week its Monday, of a month its first), a pool or the id of an exit; empty: no exit, or not known. */
    key: z.string(),
    /** Of an exit; of one that is gone, its name when its cost was set. */
    name: z.string().nullable(),
    ...sums,
  }),
)
/** Of the last 30 days. */
export const exitMargins = z.array(z.object({ id, ...sums }))
