/** Fiscal receipts, refunds, payouts that staff send by hand, and the processors with what they keep of payments. */
import * as z from 'zod'
import { payoutNetworks, payoutStates } from '../referral/payout.ts'
import { receiptRegistration } from '../schemas.ts'
import {
  invoiceStates,
  receiptKinds,
  receiptNeeds,
  receiptRegistrars,
  receiptStates,
  refundStates,
  refundWays,
} from './choices.ts'
import { email, freeText } from '../masks.ts'
import {
  actKey,
  amount,
  day,
  givenAmount,
  id,
  label,
  moment,
  page,
  pageOf,
  pool,
  positive,
  reason,
  time,
} from './schemas.ts'

export const receiptsInput = z.strictObject({
  ...page,
  state: z.enum(receiptStates).optional(),
  kind: z.enum(receiptKinds).optional(),
  need: z.enum(receiptNeeds).optional(),
  invoice: z.string().max(64).optional(),
  /** By the time of the payment or the refund. */
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})
/** The first columns of a file are what «Мой налог» asks for. */
export const receiptRow = z.object({
  /** When the money came or went. */
  at: time,
  kind: z.enum(receiptKinds),
  /** Decimal text in the currency. */
  amount: z.string(),
  currency: z.string(),
  /** What was sold, and to whom. */
  description: z.string(),
  customer_name: z.string().nullable(),
  invoice_number: z.string(),
  customer_id: id,
  id,
  method: z.string(),
  registrar: z.enum(receiptRegistrars),
  state: z.enum(receiptStates),
  /** It waits for staff; null: it does not. */
  need: z.enum(receiptNeeds).nullable(),
  ...receiptRegistration,
  email: email.nullable(),
  fault: z.string().nullable(),
  due_at: time.nullable(),
  registered_at: time.nullable(),
})
export const receiptsPage = pageOf(receiptRow)

export const registerReceiptInput = z.strictObject({
  id,
  number: label(64),
  /** Where the customer can see it. */
  link: z
    .url({ protocol: /^https$/ })
    .max(500)
    .nullish(),
  reason: reason.optional(),
})

/** The processors that the settings name or that were heard of, by the last 20,000 notifications. */
export const processors = z.array(
  z.object({
    method: z.string(),
    /** The settings name it. */
    is_set: z.boolean(),
    /** What it collects; null: it is not set. */
    currency: z.string().nullable(),
    /** It is set, and cannot be offered before the rate of its currency is. */
    needs_rate: z.boolean(),
    /** Orders by it need an e-mail for the fiscal receipt. */
    needs_receipt_email: z.boolean(),
    /** It gives money back by itself. */
    refunds: z.boolean(),
    /** It tells what it keeps of each payment; no terms are needed. */
    reports_fees: z.boolean(),
    /** What it keeps by the operator's terms, the latest first. */
    fee_terms: z.array(
      z.object({
        from: time,
        percent_ppm: z.number(),
        fixed_micros: amount,
        set_at: time,
        set_by: z.string(),
      }),
    ),
    /** The last genuine notification, and the last that brought money. */
    heard_at: time.nullable(),
    credited_at: time.nullable(),
    verdicts: z.array(z.object({ verdict: z.string().nullable(), count: amount, last_at: time })),
    refunds_due: amount,
    refunds_failed: amount,
    /** The last test purchase. */
    test: z.object({ number: z.string(), state: z.enum(invoiceStates), at: time }).nullable(),
  }),
)

export const setFeeTermsInput = z.strictObject({
  method: z.string().max(40),
  /** Of each payment, in millionths. */
  percent_ppm: z.number().int().min(0).max(1_000_000),
  /** Of each payment, in millionths of a dollar. */
  fixed_micros: z.string().regex(/^\d{1,9}$/),
  /** Of payments from then on; otherwise from now on. */
  from: moment.optional(),
  reason,
})

export const payoutsInput = z.strictObject({
  ...page,
  /** `open`: requested or being sent. */
  state: z.enum(['open', ...payoutStates]).optional(),
  network: z.enum(payoutNetworks).optional(),
  customer: id.optional(),
  /** By the time of the request. */
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})
export const payoutsPage = pageOf(
  z.object({
    id,
    asked_at: time,
    state: z.enum(payoutStates),
    micros: amount,
    /** More than `micros` when refunds have undone a part of it. */
    asked_micros: amount,
    network: z.enum(payoutNetworks),
    /** Whole for those who may send to it. */
    address: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    taken_at: time.nullable(),
    ended_at: time.nullable(),
    reference: z.string().nullable(),
    /** Of a refusal, as the customer was told; null: refunds left nothing of it. */
    reason: freeText.nullable(),
  }),
)

/** `micros`: what the member saw. */
export const takePayoutInput = z.strictObject({ id, micros: givenAmount })
export const payPayoutInput = z.strictObject({ id, reference: label(128).min(3) })
export const refusePayoutInput = z.strictObject({ id, reason })

/** Where traffic of an invoice is taken from, and what of it was given to others, who keep it. */
const takenTraffic = z.object({ taken: z.array(z.object({ pool, bytes: amount })), given_bytes: amount })

const refundWhat = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('whole') }),
  z.strictObject({ kind: z.literal('unused') }),
  z.strictObject({ kind: z.literal('amount'), micros: positive }),
])
export const previewRefundInput = z.strictObject({ number: z.string().max(64), what: refundWhat })
/** What a refund would do now: the money it returns, what then remains refundable, the traffic it takes. */
export const refundPreview = takenTraffic.extend({
  refunded_micros: amount,
  left_micros: amount,
  taken_back_bytes: amount,
  way: z.enum(refundWays),
})
export const refundInput = z.strictObject({
  number: z.string().max(64),
  what: refundWhat,
  /** Staff send the money, though the processor could. */
  by_hand: z.boolean().optional(),
  key: actKey,
  reason,
})
export const refundDone = takenTraffic.extend({
  refunded_micros: amount,
  taken_back_bytes: amount,
  credited_bytes: amount,
})
export const refunded = refundDone.extend({
  way: z.enum(refundWays),
  /** `planned`: nothing was taken yet. `failed`: the processor refused it, and nothing was taken. */
  state: z.enum(refundStates),
  fault: z.string().nullable(),
})
/** A planned refund was sent by hand. */
export const sendRefundInput = z.strictObject({
  id: z.string().max(64),
  /** What staff write down about it. */
  reference: z.string().trim().min(1).max(200).optional(),
  reason,
})
export const dropRefundInput = z.strictObject({ id: z.string().max(64), reason })

/** What a refund in another currency is worth, in that of the invoice; 0: it has returned nothing of it. */
export const settleReturnInput = z.strictObject({
  number: z.string().max(64),
  /** Of the refund, as the processor calls it. */
  id: z.string().max(200),
  /** In whole cents. */
  micros: z.string().regex(/^(?:0|[1-9]\d{0,13}0000)$/),
  reason,
})
export const settledReturn = z.object({ refunded_micros: amount, taken_back_bytes: amount })

export const paymentRefundsInput = z.strictObject({
  ...page,
  state: z.enum(refundStates).optional(),
  method: z.string().max(32).optional(),
})
/** Money that the shop gives back, the newest refund first. */
export const paymentRefundsPage = pageOf(
  z.object({
    id: z.string(),
    invoice_number: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    method: z.string(),
    currency: z.string(),
    micros: amount,
    way: z.enum(refundWays),
    state: z.enum(refundStates),
    attempts: z.number(),
    fault: z.string().nullable(),
    reference: z.string().nullable(),
    asked_at: time,
    tried_at: time.nullable(),
    sent_at: time.nullable(),
  }),
)
