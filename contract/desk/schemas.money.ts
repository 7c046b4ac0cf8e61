/** Invoices, notifications of processors, prices, campaigns. */
import * as z from 'zod'
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
} from './choices.ts'
import { receiptRow } from './schemas.receipts.ts'
import { contact, email, freeText } from '../masks.ts'
import { actKey, actor, amount, day, id, moment, page, pageOf, pool, reason, time } from './schemas.ts'

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
export const invoiceEvent = z.object({
  id,
  at: time,
  method: z.string(),
  verdict: z.string().nullable(),
  deliveries: z.number(),
})
export const invoice = invoiceRow.extend({
  per_gb_micros: amount,
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
export const invoiceDocument = z.object({
  name: z.string(),
  /** The PDF in base64. */
  file: z.string(),
})
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
/** What payers dispute: first what has to be answered, by its deadline, last what is over. */
export const disputesPage = pageOf(
  z.object({
    invoice_number: z.string(),
    customer_id: id,
    customer_name: z.string().nullable(),
    method: z.string(),
    received_micros: amount,
    /** As the processor last told; null: it does not tell. */
    state: z.enum(disputeStates).nullable(),
    is_open: z.boolean(),
    disputed_at: time,
    /** Null: the processor does not tell. */
    respond_by: time.nullable(),
  }),
)

// Prices

const tier = z.strictObject({
  from_gb: z.number().int().min(1).max(99_999_999),
  discount_ppm: z.number().int().min(0).max(999_999),
})
/** Below a million dollars, so that no order exceeds what the database holds. */
const perGb = z.string().regex(/^[1-9]\d{0,11}$/)
const price = z.strictObject({ pool, per_gb_micros: perGb })
export const prices = z.object({ prices: z.array(price), tiers: z.array(tier) })
/** The whole of it, as it shall be: a pool or tier that is left out goes off sale. */
export const pricesInput = z.strictObject({
  prices: z.array(price).max(16),
  tiers: z.array(tier).max(50),
})
export const changePricesInput = pricesInput.extend({
  reason,
  /** What the page showed when the change was begun: refused when they were changed meanwhile. */
  seen: pricesInput,
})
export const pricePreview = z.array(
  z.object({
    pool,
    gb: z.number(),
    now_micros: amount.nullable(),
    then_micros: amount.nullable(),
    then_per_gb_micros: amount.nullable(),
    /** What fees of processors and shares of inviters take of it, as they did in the last 30 days. Null: no cost is known. */
    taken_per_gb_micros: amount.nullable(),
    /** What a paid GB of the pool costs: of the last 30 days, or by the prices of its exits. Null: not known. */
    cost_per_gb_micros: amount.nullable(),
    cost_basis: z.enum(['used', 'listed']).nullable(),
    /** What the price of then leaves of each GB, less fees and shares; below zero: it is sold below its cost. */
    margin_per_gb_micros: amount.nullable(),
    /** What a GB costs by the dearest exit of the pool on this day, and its name. Null: no cost is known. */
    dearest_per_gb_micros: amount.nullable(),
    dearest_exit: z.string().nullable(),
    /** The order brings less than the pool costs, or than its dearest exit would take. */
    below_cost: z.boolean(),
  }),
)

/** Orders that bring less than their pool costs, or than its dearest exit would take, by the smallest amount of each tier. */
export const belowCostSales = z.array(
  z.object({
    pool,
    gb: z.number(),
    per_gb_micros: amount,
    /** What a GB must bring to pay for its cost, and for the fees and shares of inviters in it. */
    least_per_gb_micros: amount,
    dearest_per_gb_micros: amount.nullable(),
    dearest_exit: z.string().nullable(),
  }),
)

export const priceChangesInput = z.strictObject(page)
/** Changes of prices and tiers, the newest first: a row for each price and each tier; null: not on sale, no tier. */
export const priceChangesPage = pageOf(
  z.object({
    id,
    at: time,
    by: z.string(),
    reason: z.string().nullable(),
    /** Of a price. */
    pool: pool.nullable(),
    before_micros: amount.nullable(),
    after_micros: amount.nullable(),
    /** Of a tier. */
    from_gb: z.number().nullable(),
    before_ppm: z.number().nullable(),
    after_ppm: z.number().nullable(),
  }),
)
