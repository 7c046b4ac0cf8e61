/** The operator’s accounts at the sellers of traffic. */
import * as z from 'zod'
import {
  amount,
  day,
  dayOrText,
  done,
  empty,
  id,
  label,
  page,
  pageOf,
  pool,
  reason,
  time,
} from '../schemas.ts'
import { freeText } from '../../masks.ts'
import { sellerCounts, sellerFaults, sellerParts } from '../choices.ts'

/** The sellers whose accounts can be read, and what each offers. */
export const sellers = z.array(
  z.object({
    name: z.string(),
    title: z.string(),
    /** What an account is read with; secret values are never told again. */
    fields: z.array(
      z.object({ key: z.string(), label: z.string(), secret: z.boolean(), optional: z.boolean() }),
    ),
    offers: z.array(z.enum(sellerParts)),
    /** Its GB is 2^30 bytes, not 10^9. */
    binary_gb: z.boolean(),
    /** Its usage by day is the differences of what is left, or of what was ever used; null: it tells days. */
    meter: z.enum(['left', 'used']).nullable(),
  }),
)

const places = z.object({ rows: amount, addresses: amount })

export const sellerAccounts = z.array(
  z.object({
    id,
    seller: z.string(),
    title: z.string(),
    label: z.string(),
    counts: z.enum(sellerCounts),
    exits: z.array(z.object({ id, name: z.string(), pool })),
    /** Null: it is not told, or was not read yet. */
    left_bytes: amount.nullable(),
    left_micros: amount.nullable(),
    /** At the use of the last 24 hours; null: nothing was used, or it is not known what is left. */
    days_left: z.number().nullable(),
    is_low: z.boolean(),
    /** Pools whose customers hold more than is left at all accounts that serve the pool. */
    short: z.array(z.object({ pool, held_bytes: amount, left_bytes: amount })),
    /** A part that the seller does not offer is missing. */
    readings: z.array(
      z.object({
        part: z.enum(sellerParts),
        read_at: time.nullable(),
        /** Null: it is not read any more until the account is checked. */
        due_at: time.nullable(),
        failures: z.number(),
        fault: z
          .object({
            kind: z.enum(sellerFaults),
            /** In the seller's own words. */ message: z.string(),
            at: time,
          })
          .nullable(),
      }),
    ),
    /** What is in the inventory of the account's places. */
    places: places.nullable(),
    /** A list that has shrunk to half or less, and waits for a decision. */
    asked: places.extend({ at: time }).nullable(),
  }),
)

const credentials = z.record(z.string().max(32), z.string().max(1000))

const exitIds = z.array(id).max(200)

export const addSellerAccountInput = z.strictObject({
  seller: z.string().max(32),
  label: label(64),
  counts: z.enum(sellerCounts),
  credentials,
  exits: exitIds,
  reason: reason.optional(),
})

export const addedSellerAccount = z.object({ id })

export const setSellerAccountInput = z.strictObject({
  id,
  counts: z.enum(sellerCounts).optional(),
  /** In place of all former ones. */
  credentials: credentials.optional(),
  exits: exitIds.optional(),
  reason: reason.optional(),
})

export const checkSellerAccountInput = z.strictObject({ id })

/** What was read now; a fault in the seller's own words. */
export const checkedSellerAccount = z.object({
  parts: z.array(z.object({ part: z.enum(sellerParts), fault: z.string().nullable() })),
})

export const decidePlacesInput = z.strictObject({
  id,
  decision: z.enum(['accept', 'keep']),
  reason: reason.optional(),
})

export const removeSellerAccountInput = z.strictObject({ id, reason })

/** All rows come in one page; of the last 31 days unless told otherwise, at most 400. */
export const sellerBillInput = z.strictObject({ ...page, id, from: day.optional(), until: day.optional() })

/** By UTC day, the newest first; days on which neither side counted anything are missing. */
export const sellerBillPage = pageOf(
  z.object({
    day: dayOrText,
    /** Null: the seller has not told of the day. */
    their_bytes: amount.nullable(),
    /** In the seller's counting. */
    our_bytes: amount,
    /** The seller's count minus ours. */
    difference_bytes: amount.nullable(),
    /** The day was over when the seller told of it last; a day that is not complete is not compared. */
    complete: z.boolean(),
    /** The day is complete, and they differ by more than 2 % of ours. */
    differs: z.boolean(),
    /** Theirs are differences of what the seller told is left, or was ever used: less exact. */
    by_balance: z.boolean(),
    /** Why a day by balance is not compared: the balance rose, or readings are missing. */
    unclear: z.enum(['refilled', 'missed']).nullable(),
  }),
)

export const sellerAnswersInput = z.strictObject({ id, day: day.optional() })

/** The answers as they came, without passwords, the newest first; long ones are cut. */
export const sellerAnswers = z.array(z.object({ part: z.enum(sellerParts), day, at: time, body: freeText }))

export const sellersDeskSchemas = {
  sellers: { input: empty, output: sellers },
  seller_accounts: { input: empty, output: sellerAccounts },
  seller_bill: { input: sellerBillInput, output: sellerBillPage },
  seller_answers: { input: sellerAnswersInput, output: sellerAnswers },
  add_seller_account: { input: addSellerAccountInput, output: addedSellerAccount },
  set_seller_account: { input: setSellerAccountInput, output: done },
  check_seller_account: { input: checkSellerAccountInput, output: checkedSellerAccount },
  decide_seller_places: { input: decidePlacesInput, output: done },
  remove_seller_account: { input: removeSellerAccountInput, output: done },
} as const
