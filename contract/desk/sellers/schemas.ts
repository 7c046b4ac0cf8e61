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
    /** The credentials with which an account is read; the desk never shows secret ones again. */
    fields: z.array(
      z.object({ key: z.string(), label: z.string(), secret: z.boolean(), optional: z.boolean() }),
    ),
    offers: z.array(z.enum(sellerParts)),
    /** The seller's GB is 2^30 bytes, not 10^9. */
    binary_gb: z.boolean(),
    /** The balance from which daily usage is computed: bytes left or ever used; null: it reports days. */
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
    /** What is left at the seller, in bytes or micro-USD; null: not reported, or not read yet. */
    left_bytes: amount.nullable(),
    left_micros: amount.nullable(),
    /** How long the rest lasts at the rate of the last 24 hours; null: no usage, or the rest is not known. */
    days_left: z.number().nullable(),
    is_low: z.boolean(),
    /** Pools whose customers hold more than is left at all accounts for that pool together. */
    short: z.array(z.object({ pool, held_bytes: amount, left_bytes: amount })),
    /** The state of each part; a part that the seller does not offer is missing. */
    readings: z.array(
      z.object({
        part: z.enum(sellerParts),
        read_at: time.nullable(),
        /** The time of the next reading; null: the part is not read again until staff check the account. */
        due_at: time.nullable(),
        failures: z.number(),
        fault: z
          .object({
            kind: z.enum(sellerFaults),
            /** The seller's error message. */ message: z.string(),
            at: time,
          })
          .nullable(),
      }),
    ),
    /** The account's places in the inventory. */
    places: places.nullable(),
    /** A new list that has shrunk to half or less, and waits for the staff's decision. */
    asked: places.extend({ at: time, /** Names the list in its decision. */ list: z.string() }).nullable(),
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
  /** Replaces all former credentials. */
  credentials: credentials.optional(),
  exits: exitIds.optional(),
  reason: reason.optional(),
})

export const checkSellerAccountInput = z.strictObject({ id })

/** The result of reading each part now. `fault`: the seller's error message; null: none. */
export const checkedSellerAccount = z.object({
  parts: z.array(z.object({ part: z.enum(sellerParts), fault: z.string().nullable() })),
})

export const decidePlacesInput = z.strictObject({
  id,
  /** The list that the member has seen. */
  list: z.string().max(64),
  decision: z.enum(['accept', 'keep']),
  reason: reason.optional(),
})

export const removeSellerAccountInput = z.strictObject({ id, reason })

/** All rows come in one page: by default the last 31 days, at most 400 days. */
export const sellerBillInput = z.strictObject({ ...page, id, from: day.optional(), until: day.optional() })

/** By UTC day, the newest first; days on which neither side counted anything are missing. */
export const sellerBillPage = pageOf(
  z.object({
    day: dayOrText,
    /** The bytes that the seller counted; null: it has not reported the day. */
    their_bytes: amount.nullable(),
    /** Our bytes, counted in the directions that the seller counts. */
    our_bytes: amount,
    /** The seller's count minus ours. */
    difference_bytes: amount.nullable(),
    /** The day was complete at the seller's last report of it. Other days are not compared. */
    complete: z.boolean(),
    /** The day is complete, and the counts differ by more than 2 % of ours. */
    differs: z.boolean(),
    /** `their_bytes` is computed from reports of the bytes left, or ever used, which is less exact. */
    by_balance: z.boolean(),
    /** Why a day by balance is not compared: the balance rose, or readings are missing. */
    unclear: z.enum(['refilled', 'missed']).nullable(),
  }),
)

export const sellerAnswersInput = z.strictObject({ id, day: day.optional() })

/** The seller's answers as received, without passwords, the newest first; long ones are cut. */
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
