/** Reports, their postings, and the figures of today. */
import * as z from 'zod'
import { alertKinds } from '../alerts.ts'
import { amount, day, dayOrText, empty, id, page, pageOf, pool, time } from '../schemas.ts'
import { shopChecks } from '../checks/faults.ts'

/** A figure of today so far, and of the same weekday last week up to the same time. */
const figure = z.object({ today: amount, before: amount, hours: z.array(amount) })

/** Money received since the beginning of a period, and in the same part of the previous period. */
const spanOfMoney = z.object({
  /** The first day of the period, in the shop’s time zone. */
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
  /** Money received since Monday, and since the first of the month. */
  week_money: spanOfMoney,
  month_money: spanOfMoney,
  sold_bytes: figure,
  used_bytes: figure,
  new_customers: figure,
  /** Earned less cost; null: no exit has a cost. */
  margin_micros: figure.nullable(),
  /** Counted from the records of connections, some of which may be lost. */
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
  /** The findings of `turnpike doctor` that are not in order. */
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
  /** The period; liability by pool ignores it, because that report shows the present. */
  ...days,
  /** For the report `usage`: only one pool, or only one exit (0: none or not known). */
  pool: pool.optional(),
  exit: z.union([id, z.literal('0')]).optional(),
})

const row = z.object({
  /**
   * A day (of a week its Monday, of a month its first), a pool, a method, a campaign, a promo code or an
   * exit; empty: none.
   */
  key: dayOrText,
  /** The name of an exit that still exists. */
  name: z.string().nullable(),
  /** The number of payments, refunds, requests, or postings of shares. */
  count: amount.nullable(),
  /** Real money received or refunded; for the report `referral`, shares credited. Micro-USD. */
  micros: amount.nullable(),
  /** Money paid from referral balances, or refunded to them. Micro-USD. */
  referral_micros: amount.nullable(),
  /** Bytes sold, taken back or used; for the report `liability`, bytes that customers hold. */
  bytes: amount.nullable(),
  /** The part of `bytes` that is bonus. */
  bonus_bytes: amount.nullable(),
  /**
   * For liability by pool: the cost of the bytes at today's prices of the pool's exits, averaged by weight.
   * Micro-USD; null: not known.
   */
  cost_micros: amount.nullable(),
  /** The same cost if the dearest exit carried all of these bytes. */
  dearest_cost_micros: amount.nullable(),
})

/** Rows of times in their order, other rows the largest first. A null figure: the report does not have it. */
export const reportPage = pageOf(row).extend({
  /**
   * `total`: the sum of all rows; for liability over time, the last row. `ledger`: the same figures according
   * to the ledger. `difference`: only if the two differ.
   */
  foot: z.array(row),
  /**
   * `later`: the ledger dates usage by its settlement, and at most an hour of usage is on the other side of
   * the period's ends. `moved`: more than an hour of usage is, but over all time both are equal. `own`: the
   * rows are computed from the ledger itself. `part`: the report shows one pool or exit, and only a whole
   * report is compared. `archived`: rows of the ledger were moved to files and are missing here. `dropped`:
   * hours of usage are no longer kept, and the rows lack what only hours tell.
   */
  agrees: z.enum(['equal', 'later', 'moved', 'own', 'part', 'differs', 'archived', 'dropped']),
  /** The months (YYYY-MM) that are missing, of `dropped` those of which some is. */
  archived: z.array(z.string()),
  time_zone: z.string(),
})

/** The months, in the shop's time zone, from the first entry of the ledger on, the newest first. */
export const monthBooks = z.object({
  months: z.array(
    z.object({
      /** YYYY-MM. */
      month: z.string(),
      /** Whether the month is over; false: the current month. */
      over: z.boolean(),
      /** Some of its rows were moved to files. */
      archived: z.boolean(),
      /** When money of a completed month was last recorded after its end; null: never. */
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
  /** `(none)`: postings without a pool. */
  pool: z.union([pool, z.literal('(none)')]).optional(),
  method: key,
  campaign: key,
  promo: key,
})

const posting = z.object({
  /** The id of the ledger's transaction. */
  id: z.string(),
  at: time.nullable(),
  /** Why the transaction was posted. */
  kind: z.string().nullable(),
  invoice_number: z.string().nullable(),
  customer_id: id.nullable(),
  customer_name: z.string().nullable(),
  pool: z.string().nullable(),
  method: z.string().nullable(),
  campaign: z.string().nullable(),
  promo_code: z.string().nullable(),
  /** These three as in the report. */
  micros: amount,
  referral_micros: amount,
  bytes: amount,
})

/** The newest first. */
export const postingsPage = pageOf(posting).extend({
  /** On the first page, one row with the sum of all matching postings; its `kind` is their number. */
  foot: z.array(posting),
})

export const reportsDeskSchemas = {
  report: { input: reportInput, output: reportPage },
  month_books: { input: empty, output: monthBooks },
  postings: { input: postingsInput, output: postingsPage },
  today: { input: empty, output: today },
} as const
