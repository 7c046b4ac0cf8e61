/** Notifications and refunds of processors, disputes, fiscal receipts, payouts. */
import * as z from 'zod'
import {
  amount,
  changed,
  day,
  done,
  empty,
  givenAmount,
  id,
  label,
  moment,
  page,
  pageOf,
  reason,
  time,
} from '../schemas.ts'
import { contact, email, freeText } from '../../masks.ts'
import {
  disputeStates,
  invoiceStates,
  receiptKinds,
  receiptNeeds,
  receiptRegistrars,
  receiptStates,
} from '../choices.ts'
import { payoutNetworks, payoutStates } from '../../referral/payout.ts'
import { receiptRegistration } from '../../schemas.ts'

export const invoiceEvent = z.object({
  id,
  at: time,
  method: z.string(),
  verdict: z.string().nullable(),
  deliveries: z.number(),
})

export const paymentEventsInput = z.strictObject({
  ...page,
  method: z.string().max(32).optional(),
  verdict: z.string().max(32).optional(),
  invoice: z.string().max(64).optional(),
})

export const paymentEventsPage = pageOf(invoiceEvent.extend({ invoice_number: z.string().nullable() }))

export const paymentEventInput = z.strictObject({ id })

export const paymentEvent = invoiceEvent.extend({
  invoice_number: z.string().nullable(),
  judged_at: time.nullable(),
  ip: contact.nullable(),
  headers: z.record(z.string(), freeText),
  /** The body as received, if it is text. Notifications do not contain secrets of processors. */
  body: freeText,
  body_bytes: z.number(),
})

export const disputesInput = z.strictObject({ ...page, state: z.enum(['open']).optional() })

/** Disputes: first those that need an answer, ordered by deadline; closed ones last. */
export const disputesPage = pageOf(
  z.object({
    invoice_number: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    method: z.string(),
    received_micros: amount,
    /** The state that the processor last reported; null: it reports none. */
    state: z.enum(disputeStates).nullable(),
    is_open: z.boolean(),
    disputed_at: time,
    /** The deadline for an answer; null: the processor reports none. */
    respond_by: time.nullable(),
  }),
)

export const receiptsInput = z.strictObject({
  ...page,
  state: z.enum(receiptStates).optional(),
  kind: z.enum(receiptKinds).optional(),
  need: z.enum(receiptNeeds).optional(),
  invoice: z.string().max(64).optional(),
  /** The period in which the payment or the refund was made. */
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})

/** In a file, the first columns are the fields of «Мой налог». */
export const receiptRow = z.object({
  /** When the money was received or returned. */
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
  /** Why the receipt needs staff; null: it does not. */
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
  /** The address at which the customer can see the receipt. */
  link: z
    .url({ protocol: /^https$/ })
    .max(500)
    .nullish(),
  reason: reason.optional(),
})

/** The processors that the settings name, and those that sent one of the last 20,000 notifications. */
export const processors = z.array(
  z.object({
    method: z.string(),
    /** The settings name the processor. */
    is_set: z.boolean(),
    /** False: staff have stopped offering it; what is open there is still settled. */
    is_offered: z.boolean(),
    /** The currency that it collects; null: the processor is not set. */
    currency: z.string().nullable(),
    /** The processor is set, but is not offered until its currency has a rate. */
    needs_rate: z.boolean(),
    /** Its orders need an e-mail address for the fiscal receipt. */
    needs_receipt_email: z.boolean(),
    /** The processor can make refunds; false: staff send them by hand. */
    refunds: z.boolean(),
    /** The processor reports its fee for each payment, so that no fee terms are needed. */
    reports_fees: z.boolean(),
    /** Its fees as the operator entered them, the latest first. */
    fee_terms: z.array(
      z.object({
        from: time,
        percent_ppm: z.number(),
        fixed_micros: amount,
        set_at: time,
        set_by: z.string(),
      }),
    ),
    /** The times of its last genuine notification, and of the last that credited money. */
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
  /** The fee in millionths of each payment. */
  percent_ppm: z.number().int().min(0).max(1_000_000),
  /** The fixed fee for each payment, in micro-USD. */
  fixed_micros: z.string().regex(/^\d{1,9}$/),
  /** The terms apply to payments from this time on; omitted: from now on. */
  from: moment.optional(),
  reason,
})

export const payoutsInput = z.strictObject({
  ...page,
  /** `open`: requested or being sent. */
  state: z.enum(['open', ...payoutStates]).optional(),
  network: z.enum(payoutNetworks).optional(),
  customer: id.optional(),
  /** The period in which the customer asked for the payout. */
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
})

export const payoutsPage = pageOf(
  z.object({
    id,
    asked_at: time,
    state: z.enum(payoutStates),
    micros: amount,
    /** The amount asked for; more than `micros` if refunds have undone a part of it. */
    asked_micros: amount,
    network: z.enum(payoutNetworks),
    /** The wallet's address: complete only for members who may send payouts. */
    address: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    taken_at: time.nullable(),
    ended_at: time.nullable(),
    reference: z.string().nullable(),
    /**
     * The reason why it was refused, as the customer reads it; null: not refused, or refunds used up all of
     * it.
     */
    reason: freeText.nullable(),
  }),
)

/** `micros`: the amount that the member saw. */
export const takePayoutInput = z.strictObject({ id, micros: givenAmount })

export const payPayoutInput = z.strictObject({ id, reference: label(128).min(3) })

export const refusePayoutInput = z.strictObject({ id, reason })

export const paymentsDeskSchemas = {
  payment_events: { input: paymentEventsInput, output: paymentEventsPage },
  receipts: { input: receiptsInput, output: receiptsPage },
  register_receipt: { input: registerReceiptInput, output: done },
  payouts: { input: payoutsInput, output: payoutsPage },
  take_payout: { input: takePayoutInput, output: changed },
  pay_payout: { input: payPayoutInput, output: changed },
  refuse_payout: { input: refusePayoutInput, output: changed },
  disputes: { input: disputesInput, output: disputesPage },
  processors: { input: empty, output: processors },
  set_fee_terms: { input: setFeeTermsInput, output: done },
  payment_event: { input: paymentEventInput, output: paymentEvent },
} as const
