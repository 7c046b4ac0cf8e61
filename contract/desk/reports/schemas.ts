/** Reports, their postings, and the figures of today. */
import * as z from 'zod'
import { alertKinds } from '../alerts.ts'
import { amount, day, dayOrText, empty, id, page, pageOf, pool, time } from '../schemas.ts'
import { shopChecks } from '../checks/faults.ts'

/** A figure of today so far, and of the same weekday before up to the same time. */
const figure = z.object({ today: amount, before: amount, hours: z.array(amount) })

/** Money that came since the beginning of a time, and in the one before up to the same moment of it. */
const spanOfMoney = z.object({
  /** Days of the shop’s time zone. */
  from: day,
  now: amount,
  before: amount,
})

export const today = z.object({
  at: time,
  /** The day of the shop's time zone, and when it began. */
  day,
  day_began_at: time,
  money_in_micros: figure,
  /** Since Monday, and since the first of the month. */
  week_money: spanOfMoney,
  month_money: spanOfMoney,
  sold_bytes: figure,
  used_bytes: figure,
  new_customers: figure,
  /** Earned less cost; null: no exit has a cost. */
  margin_micros: figure.nullable(),
  /** Of the records of connections, some of which may be lost. */
  refused_requests: figure.nullable(),
  needs_you: z.array(
    z.object({
      kind: z.enum(alertKinds),
      count: z.number(),
      /** What a click opens: a page of the desk with its filters. */
      href: z.string(),
      examples: z.array(z.string()),
    }),
  ),
  /** The steps of the set-up that are not done, without optional ones. */
  setup_left: z.int(),
  /** What `turnpike doctor` finds that is not in order. */
  before_you_open: z.array(
    z.object({
      name: z.enum(shopChecks),
      level: z.enum(['warning', 'trouble']),
      sentence: z.string(),
    }),
  ),
})

const days = {
  /** Days of the shop's time zone, both included. */
  from: day,
  until: day,
}

export const reportInput = z.strictObject({
  /** All rows come in one page. */
  ...page,
  report: z.enum(['sales', 'refunds', 'usage', 'liability', 'referral']),
  /** One of the report's divisions (choices.ts). */
  by: z.enum(['day', 'week', 'month', 'pool', 'method', 'campaign', 'promo', 'exit']),
  /** Not of liability by pool, which is that of now. */
  ...days,
  /** Of usage: of one pool, or of one exit (0: none or not known). */
  pool: pool.optional(),
  exit: z.union([id, z.literal('0')]).optional(),
})

const row = z.object({
  /**
   * A day (of a week its Monday, of a month its first), a pool, a method, a campaign, a promo code or an
   * exit; empty: none.
   */
  key: dayOrText,
  /** Of an exit that is there. */
  name: z.string().nullable(),
  /** Payments, refunds, requests, or postings of shares. */
  count: amount.nullable(),
  /** Real money received or given back; of referral, shares credited. Micro-USD. */
  micros: amount.nullable(),
  /** Paid from referral balances, or given back to them. */
  referral_micros: amount.nullable(),
  /** Sold, taken back, used, or held and not used. */
  bytes: amount.nullable(),
  /** The part of it that is bonus. */
  bonus_bytes: amount.nullable(),
  /**
   * Of liability by pool: what the bytes cost at today's prices of the pool's exits, by their weights.
   * Micro-USD; null: not known.
   */
  cost_micros: amount.nullable(),
  /** The same cost if the dearest exit carried all of these bytes. */
  dearest_cost_micros: amount.nullable(),
})

/** Times in their order, others the largest first. Null: the report has no such figure. */
export const reportPage = pageOf(row).extend({
  /**
   * `total`: of all rows, of liability over time the last. `ledger`: the same by the ledger. `difference`:
   * where they are not equal.
   */
  foot: z.array(row),
  /**
   * `later`: the ledger has usage at the time of its settlement; no more than an hour of it is on the other
   * side of the period's ends. `moved`: more of it, while both are equal over all time. `own`: the rows are
   * computed of the ledger itself. `part`: of one pool or exit; the report as a whole is compared.
   * `archived`: rows of the ledger were moved to files, and are missing here.
   */
  agrees: z.enum(['equal', 'later', 'moved', 'own', 'part', 'differs', 'archived']),
  /** The months (YYYY-MM) that are missing. */
  archived: z.array(z.string()),
  time_zone: z.string(),
})

/** The months of the shop's time zone that have anything, the newest first. */
export const monthBooks = z.object({
  months: z.array(
    z.object({
      /** YYYY-MM. */
      month: z.string(),
      /** Whether the month is over; false: the current month. */
      over: z.boolean(),
      /** Some of its rows were moved to files. */
      archived: z.boolean(),
      /** When money of a month that is over was last found; null: none was. */
      changed_at: time.nullable(),
    }),
  ),
  time_zone: z.string(),
})

export const monthInput = z.strictObject({ month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/) })

const key = z.string().max(200).optional()

export const postingsInput = z.strictObject({
  ...page,
  report: z.enum(['sales', 'refunds', 'referral']),
  ...days,
  /** `(none)`: without one. */
  pool: z.union([pool, z.literal('(none)')]).optional(),
  method: key,
  campaign: key,
  promo: key,
})

const posting = z.object({
  /** Of the transaction of the ledger. */
  id: z.string(),
  at: time.nullable(),
  /** What it was posted for. */
  kind: z.string().nullable(),
  invoice_number: z.string().nullable(),
  customer_id: id.nullable(),
  customer_name: z.string().nullable(),
  pool: z.string().nullable(),
  method: z.string().nullable(),
  campaign: z.string().nullable(),
  promo_code: z.string().nullable(),
  /** As in the report. */
  micros: amount,
  referral_micros: amount,
  bytes: amount,
})

/** The newest first. */
export const postingsPage = pageOf(posting).extend({
  /** On the first page: one row, the sum of all that match; its `kind` is how many they are. */
  foot: z.array(posting),
})

export const reportsDeskSchemas = {
  report: { input: reportInput, output: reportPage },
  month_books: { input: empty, output: monthBooks },
  postings: { input: postingsInput, output: postingsPage },
  today: { input: empty, output: today },
} as const
