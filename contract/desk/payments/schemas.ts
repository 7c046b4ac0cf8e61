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
  /** As it came, as far as it is text; secrets of processors are not part of notifications. */
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
    /** As the processor last reported it; null: it does not report it. */
    state: z.enum(disputeStates).nullable(),
    is_open: z.boolean(),
    disputed_at: time,
    /** Null: the processor does not report it. */
    respond_by: time.nullable(),
  }),
)

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
