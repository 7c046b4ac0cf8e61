/** Invoices and their documents. */
import * as z from 'zod'
import { actKey, actor, amount, day, id, moment, page, pageOf, pool, reason, time } from '../schemas.ts'
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
  /** A number, or a customer's name or e-mail. */
  text: z.string().max(320).optional(),
  state: state.optional(),
  pool: pool.optional(),
  method: z.string().max(32).optional(),
  customer_id: id.optional(),
  promo_code: z.string().max(64).optional(),
  disputed: z.enum(['true']).optional(),
  /** What needs attention: open disputes, and what was paid and got no traffic. */
  need: z.enum(invoiceNeeds).optional(),
  from: z.union([day, moment]).optional(),
  until: z.union([day, moment]).optional(),
  /** When its money came. */
  settled_from: z.union([day, moment]).optional(),
  settled_until: z.union([day, moment]).optional(),
}

export const invoicesInput = z.strictObject({ ...page, ...invoiceFilters })

/** Of all invoices that match. */
export const invoiceSumsInput = z.strictObject(invoiceFilters)

export const invoiceSums = z.object({
  count: amount,
  /** Real money. */
  received_micros: amount,
  /** From referral balances. */
  referral_micros: amount,
  refunded_micros: amount,
  credited_bytes: amount,
})

export const invoiceRow = z.object({
  number: z.string(),
  /** For people, such as 2026-000123. */
  short_number: z.string(),
  state,
  customer_id: id,
  customer_name: z.string().nullable(),
  email: email.nullable(),
  pool,
  gb: z.number(),
  method: z.string(),
  cost_micros: amount,
  received_micros: amount,
  refunded_micros: amount,
  promo_code: z.string().nullable(),
  /** A test purchase of staff: no sale. */
  is_test: z.boolean(),
  /** Charged by automatic top-up. */
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
  /** In the currency that the processor collects. */
  /** What the processor collects; rate and its day are frozen with it, null: it collects USD. */
  price: z.object({
    currency: z.string(),
    micros: amount,
    rate_micros: amount.nullable(),
    rate_on: z.string().nullable(),
  }),
  /** What the customer was shown in the currency they had chosen; null: USD, or what the processor collects. */
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
  /** What can be refunded: what was not returned, less what is planned to be sent by hand. */
  refundable_micros: amount,
  /** Refunds that the shop makes, the first first. */
  refunds: z.array(
    z.object({
      id: z.string(),
      way: z.enum(refundWays),
      state: z.enum(refundStates),
      currency: z.string(),
      micros: amount,
      usd_micros: amount,
      /** Of one planned as the unused traffic: what that is worth now, in micro-USD. */
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
      /** What it had bought and was not taken back. */
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
      /** Withheld until it is over. */
      frozen_bytes: amount,
      /** What the purchase gave to others before; withheld where they are the same person. */
      gifts: z.array(
        z.object({
          customer_id: id,
          customer_name: z.string().nullable(),
          pool,
          bytes: amount,
          /** Why the receiver is taken for the same person; null: nothing says so. */
          signal: z.enum(giftSignals).nullable(),
          frozen_bytes: amount,
        }),
      ),
    }),
  ),
  /** What the processor keeps of the payments; null: it is not known. */
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
  /** Why one that is due is not made: no seller is set, or its job has not run yet; null: none is due. */
  document_waits: z.enum(['seller', 'job']).nullable(),
  /** What the inviter earned by it, and what a refund took back. */
  referral: z
    .object({
      inviter_id: id,
      inviter_name: z.string().nullable(),
      share_ppm: z.number(),
      earned_micros: amount,
      undone_micros: amount,
    })
    .nullable(),
  /** What staff did to it, of the audit trail. */
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

/** Only of an invoice that is or was disputed. */
export const disputeEvidenceInput = z.strictObject({ number: z.string().max(64) })

export const invoiceDocumentInput = z.strictObject({ number: z.string().max(64), id })

export const testPurchaseInput = z.strictObject({
  method: z.string().max(32),
  reason,
  key: actKey,
  /** Where the fiscal receipt of it goes. */
  receipt_email: z.string().max(254).optional(),
})

export const testPurchase = z.object({
  number: z.string(),
  /** The processor's page; null: it made none. */
  payment_url: z.string().nullable(),
  /** Why it made none, in its own words. */
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
