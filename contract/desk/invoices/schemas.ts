/** Invoices and their documents. */
import * as z from 'zod'
import { actKey, actor, amount, day, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'
import { invoiceGoods } from '../../schemas.ts'
import {
  disputeStates,
  feeKinds,
  feeSources,
  giftSignals,
  invoiceNeeds,
  invoiceStates,
  refundStates,
  refundWays,
  returnStates,
} from '../choices.ts'
import { blob } from '../../schemas.ts'
import { email, freeText } from '../../masks.ts'
import { invoiceEvent, receiptRow } from '../payments/schemas.ts'

const state = z.enum(invoiceStates)

const invoiceFilters = {
  /** The invoice's number, or the customer's name or e-mail address. */
  text: z.string().max(320).optional(),
  state: state.optional(),
  pool: invoiceGoods.optional(),
  method: z.string().max(32).optional(),
  customer_id: id.optional(),
  promo_code: z.string().max(64).optional(),
  disputed: z.enum(['true']).optional(),
  /** Only invoices that need attention for this reason. */
  need: z.enum(invoiceNeeds).optional(),
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
  /** The period in which the payment arrived. */
  settled_from: z.union([day, moment]).optional(),
  settled_until: z.union([day, moment]).optional(),
}

export const invoicesInput = z.strictObject({ ...page, ...invoiceFilters })

/** The filters of the invoices to sum. */
export const invoiceSumsInput = z.strictObject(invoiceFilters)

export const invoiceSums = z.object({
  count: amount,
  /** Real money received: for traffic, and into money balances. */
  received_micros: amount,
  /** Paid from referral balances. */
  referral_micros: amount,
  /** Paid from money balances. */
  balance_micros: amount,
  refunded_micros: amount,
  credited_bytes: amount,
})

export const invoiceRow = z.object({
  number: z.string(),
  /** The number for people, such as 2026-000123. */
  short_number: z.string(),
  state,
  customer_id: id,
  customer_name: z.string().nullable(),
  email: email.nullable(),
  /** `balance`: a top-up of the money balance, without GB. */
  pool: invoiceGoods,
  gb: z.number(),
  method: z.string(),
  cost_micros: amount,
  received_micros: amount,
  refunded_micros: amount,
  promo_code: z.string().nullable(),
  /** A test purchase by staff, which is not counted as a sale. */
  is_test: z.boolean(),
  /** Automatic top-up made this invoice. */
  is_automatic: z.boolean(),
  disputed_at: time.nullable(),
  dispute_state: z.enum(disputeStates).nullable(),
  dispute_respond_by: time.nullable(),
  created_at: time,
  settled_at: time.nullable(),
})

export const invoicesPage = pageOf(invoiceRow)

export const invoiceInput = z.strictObject({ number: z.string().max(64) })

export const invoice = invoiceRow.extend({
  per_gb_micros: amount,
  /** The name that the customer’s price list had; null: the shop’s prices. */
  price_list: z.string().nullable(),
  volume_discount_ppm: z.number(),
  promo_discount_ppm: z.number(),
  full_cost_micros: amount,
  /** What the processor collects, in its currency, at a frozen rate. Null rate: it collects USD. */
  price: z.object({
    currency: z.string(),
    micros: amount,
    rate_micros: amount.nullable(),
    rate_on: z.string().nullable(),
  }),
  /** The cost shown to the customer in their own currency; null: shown in USD or as in `price`. */
  shown: z
    .object({ currency: z.string(), micros: amount, rate_micros: amount, rate_on: z.string() })
    .nullable(),
  credited_bytes: amount,
  taken_back_bytes: amount,
  external_id: z.string().nullable(),
  processor_verdict: z.string().nullable(),
  promo_lost_at: time.nullable(),
  expires_at: time,
  refunded_at: time.nullable(),
  /** The part of the payment that was not returned, less refunds planned to be sent by hand. */
  refundable_micros: amount,
  /** Refunds by the shop, the oldest first. */
  refunds: z.array(
    z.object({
      id: z.string(),
      way: z.enum(refundWays),
      state: z.enum(refundStates),
      currency: z.string(),
      micros: amount,
      usd_micros: amount,
      /** For a planned refund of the unused traffic: its present worth in micro-USD; else null. */
      unused_micros: amount.nullable(),
      taken_back_bytes: amount,
      reference: z.string().nullable(),
      claim_url: z.string().nullable(),
      fault: z.string().nullable(),
      asked_at: time,
      sent_at: time.nullable(),
      ended_at: time.nullable(),
    }),
  ),
  /** Money that the processor gave back, ordered by the shop or at the processor. */
  returns: z.array(
    z.object({
      id: z.string(),
      cause: z.enum(['refund', 'dispute']),
      state: z.enum(returnStates),
      currency: z.string(),
      micros: amount,
      usd_micros: amount,
      taken_back_bytes: amount,
      /** Traffic of the returned money that could not be taken back. */
      lost_bytes: amount,
      at: time,
    }),
  ),
  disputes: z.array(
    z.object({
      id: z.string(),
      state: z.enum(disputeStates),
      currency: z.string(),
      micros: amount,
      opened_at: time,
      respond_by: time.nullable(),
      /** Bytes that are withheld until the dispute is over. */
      frozen_bytes: amount,
      /** Traffic of the purchase given to others before; withheld if the receiver is the same person. */
      gifts: z.array(
        z.object({
          customer_id: id,
          customer_name: z.string().nullable(),
          pool,
          bytes: amount,
          /** Why the receiver is taken for the same person; null: they are not. */
          signal: z.enum(giftSignals).nullable(),
          frozen_bytes: amount,
        }),
      ),
    }),
  ),
  /** The processor's fees for the payments; null: not known. */
  fee_micros: amount.nullable(),
  fees: z.array(
    z.object({
      kind: z.enum(feeKinds),
      source: z.enum(feeSources),
      currency: z.string(),
      micros: amount,
      usd_micros: amount,
      at: time,
    }),
  ),
  receipts: z.array(receiptRow),
  payments: z.array(z.object({ external_id: z.string(), received_micros: amount, at: time })),
  events: z.array(invoiceEvent),
  /** Invoices and credit notes in PDF. */
  documents: z.array(
    z.object({
      id,
      kind: z.enum(['invoice', 'credit_note']),
      number: z.string(),
      specimen: z.boolean(),
      amount_micros: amount,
      at: time,
      sha256: z.string(),
    }),
  ),
  /** Why a due document is not made: no seller is set, or the job has not run yet; null: none is due. */
  document_waits: z.enum(['seller', 'job']).nullable(),
  /** What the inviter earned from the invoice, and what refunds took back; null: no inviter. */
  referral: z
    .object({
      inviter_id: id,
      inviter_name: z.string().nullable(),
      share_ppm: z.number(),
      earned_micros: amount,
      undone_micros: amount,
    })
    .nullable(),
  /** What staff did to the invoice, from the audit trail. */
  acts: z.array(
    z.object({
      at: time,
      action: z.string(),
      by: actor,
      reason: freeText.nullable(),
      verdict: z.string().nullable(),
    }),
  ),
})

/** Evidence exists only for an invoice that is or was disputed. */
export const disputeEvidenceInput = z.strictObject({ number: z.string().max(64) })

export const invoiceDocumentInput = z.strictObject({ number: z.string().max(64), id })

export const testPurchaseInput = z.strictObject({
  method: z.string().max(32),
  reason,
  key: actKey,
  /** The e-mail address for its fiscal receipt. */
  receipt_email: z.string().max(254).optional(),
})

export const testPurchase = z.object({
  number: z.string(),
  /** The processor's payment page; null: the processor made none. */
  payment_url: z.string().nullable(),
  /** The processor's error message if it made none. */
  fault: z.string().nullable(),
})

export const askProcessorInput = z.strictObject({ number: z.string().max(64), reason: reason.optional() })

export const replayInput = z.strictObject({ id, reason: reason.optional() })

export const judged = z.object({ verdict: z.string() })

export const invoicesDeskSchemas = {
  invoices: { input: invoicesInput, output: invoicesPage },
  invoice_sums: { input: invoiceSumsInput, output: invoiceSums },
  invoice: { input: invoiceInput, output: invoice },
  invoice_document: { input: invoiceDocumentInput, output: blob },
  dispute_evidence: { input: disputeEvidenceInput, output: blob },
  ask_processor: { input: askProcessorInput, output: judged },
  test_purchase: { input: testPurchaseInput, output: testPurchase },
  replay_payment_event: { input: replayInput, output: judged },
} as const
