/** The schemas of orders and invoices. */
import * as z from 'zod'
import { paymentSecret } from '../teams/secrets.ts'
import { judged } from '../texts.ts'
import * as rules from '../schemas.rules.ts'
import { moneyKinds, topUpUsd } from '../invoices.ts'
import {
  empty,
  invoiceGoods,
  invoiceNumberInput,
  pool,
  receiptRegistration,
  text,
  traffic,
  usd,
} from '../schemas.ts'

const promocode = judged(z.string().max(64)).nullish()
const invoiceInput = z.strictObject({
  payment_method: z.string().min(1).max(64),
  amount: rules.amountGb,
  promocode,
  pool,
  /** The address for the fiscal receipts of this and later orders; absent: unchanged. */
  receipt_email: rules.email.nullish(),
  /** The `sha256` of the consent to save the payment method (`get_top_ups`); absent: it is not saved. */
  save_consent: z.string().max(64).nullish(),
})

const referralPaymentInput = z.strictObject({ amount: rules.amountGb, promocode, pool })
const referralPaymentOutput = z.object({ ok: z.boolean() })
const invoicesInput = z.strictObject({ before: z.string().max(64).optional() })
/** An amount in another currency. `per_usd`: units of it for one USD; `on`: the day of that rate. */
const inCurrency = z.object({
  currency: z.string(),
  amount: z.string(),
  /** Decimal places of its smallest unit. */
  digits: z.number(),
  per_usd: z.string(),
  on: z.string(),
})

const invoice = z.object({
  number: z.string(),
  /** For people, such as 2026-000123; calls take `number`. */
  short_number: z.string(),
  /** `balance`: it tops up the money balance, and has no GB. */
  pool: invoiceGoods,
  /** Charged GB. */
  gb: z.number(),
  /** GB of payload for `gb`; `targeted`: over proxy lines that name a state, city, zip code or ASN. */
  payload_gb: z.object({ plain: z.number(), targeted: z.number() }),
  /** The payment method; `referral` or `balance` if a balance paid. */
  method: z.string(),
  /** Automatic top-up made this invoice. */
  automatic: z.boolean(),
  state: z.enum(['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'partly_refunded', 'refunded']),
  /** The cost: without the promo discount if `promo_lost`. */
  cost_usd: usd,
  /** What the payment method collects, at the rate frozen with the invoice; null: USD. */
  charged: inCurrency.nullable(),
  /**
   * The cost as shown in the currency that the customer had chosen, also at a frozen rate; null: the cost was
   * shown in USD or as in `charged`.
   */
  shown: inCurrency.nullable(),
  received_usd: usd,
  refunded_usd: usd,
  /** The promo code no longer applied when the payment arrived. */
  promo_lost: z.boolean(),
  /** The traffic credited, less what a refund took back. */
  credited: traffic,
  created_at: z.string(),
  expires_at: z.string(),
  settled_at: z.string().nullable(),
  /** The payment page, while the invoice is open. */
  payment_url: paymentSecret.nullable(),
  /** Fiscal receipts, the oldest first. */
  receipts: z.array(
    z.object({
      kind: z.enum(['payment', 'closing', 'refund']),
      state: z.enum(['pending', 'registered']),
      ...receiptRegistration,
      registered_at: z.string().nullable(),
    }),
  ),
})

const invoices = z.array(invoice)
const paymentSystems = z.array(
  z.object({
    name: z.string(),
    /** The operator's name for the method; null: the page uses its own name. */
    title: z.string().nullable(),
    description: z.string(),
    /** Why the method cannot be used at present; absent: it can be used. */
    unavailable: z.string().optional(),
    /** The minimum cost of an order by this method, in USD; absent: there is no minimum. */
    least_usd: z.number().optional(),
  }),
)

/** The address and the amount of a payment in a cryptocurrency. */
const payTo = z.object({
  /** The processor's name of the network, such as `BTC-CHAIN` or `BTC-LN`. */
  network: z.string(),
  currency: z.string(),
  /** The address, or a Lightning invoice. */
  address: z.string(),
  /** The amount still due, decimal text. */
  amount: z.string(),
  /** A link for wallets; null: there is none. */
  link: z.string().nullable(),
})

const topUpInput = z.strictObject({
  payment_method: z.string().min(1).max(64),
  /** Whole USD. */
  amount_usd: z
    .int('invalid_top_up')
    .min(topUpUsd.least, 'invalid_top_up')
    .max(topUpUsd.most, 'invalid_top_up'),
  /** As in `create_invoice_web`. */
  receipt_email: rules.email.nullish(),
})

/** An invoice, and where it is paid. */
const toPay = invoice.extend({
  /** The payment method's addresses, one per network; empty: the payment method has none. */
  pay_to: z.array(payTo),
})

const bought = z.object({
  /** The number of the paid invoice. */
  invoice: z.string(),
  short_number: z.string(),
  pool,
  /** The traffic credited. */
  credited: traffic,
  cost_usd: usd,
  /** What is left of the money balance. */
  balance_usd: usd,
})

const moneyBalance = z.object({
  /** What can be spent. */
  balance_usd: usd,
  /** What open disputes of top-ups withhold. */
  withheld_usd: usd,
  /** What the next money pays off first: top-ups that were returned to their payer after they were spent. */
  owed_usd: usd,
  /** The changes, the newest first. */
  history: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      kind: z.enum(moneyKinds),
      /** Below zero: it left the balance. */
      amount_usd: usd,
      /** The invoice that it belongs to. */
      invoice: z.string().nullable(),
    }),
  ),
  /** Pass it as `after` to continue; null: there are no more. */
  next: z.string().nullable(),
})

/** The JSON answers of calls that otherwise answer with text. */
export const purchaseJson = {
  create_invoice_web: toPay,
} as const

export const purchaseSchemas = {
  payment_systems: { input: empty, output: paymentSystems },
  create_invoice_web: { input: invoiceInput, output: text },
  referral_payment: { input: referralPaymentInput, output: referralPaymentOutput },
  buy: { input: referralPaymentInput, output: bought },
  create_balance_invoice: { input: topUpInput, output: toPay },
  money_balance: {
    input: z.strictObject({
      after: z
        .string()
        .regex(/^[1-9]\d{0,17}$/)
        .optional(),
    }),
    output: moneyBalance,
  },
  invoices: { input: invoicesInput, output: invoices },
  invoice: { input: invoiceNumberInput, output: invoice },
} as const
