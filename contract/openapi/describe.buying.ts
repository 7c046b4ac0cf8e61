import { listedInvoices } from '../invoices.ts'
import type { Output } from '../contract.ts'
import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

const paidInvoice: Output<'invoice'> = {
  number: '9f3c1a0d5e7b2468ace0',
  pool: 'residential',
  gb: 100,
  method: 'card',
  automatic: false,
  state: 'paid',
  cost_usd: 315,
  received_usd: 315,
  refunded_usd: 0,
  promo_lost: false,
  credited: 100000,
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-20T11:00:00.000Z',
  settled_at: '2026-11-20T10:02:31.000Z',
  payment_url: null,
  receipts: [
    {
      kind: 'payment',
      state: 'registered',
      email: 'ivan@example.com',
      fiscal_document_number: '3997',
      fiscal_storage_number: '9288000100115786',
      fiscal_attribute: '2617603922',
      number: null,
      link: null,
      registered_at: '2026-11-20T10:03:05.000Z',
    },
  ],
}

const discountRefusals = [
  'promocode_invalid',
  'promocode_pool',
  'promocode_first_purchase',
  'promocode_person_limit',
] as const

export const buyingCalls = {
  prices: {
    tag: 'Buying',
    summary: 'Price per GB of each pool, in USD',
    input: {},
    output: { residential: 3.5, residential_premium: 5.9, datacenter: 0.7, mobile: 7.9 },
    refuses: [],
  },
  calculate: {
    tag: 'Buying',
    summary: 'Volume discounts for amounts',
    about:
      'One fraction per amount in GB, in the order of the request. Price per GB = base × (1 − volume discount) × (1 − promo discount).',
    input: { amounts: [1, 100, 300, 500, 1000] },
    output: [0, 0.1, 0.17, 0.25, 0.33],
    refuses: [],
  },
  payment_systems: {
    tag: 'Buying',
    summary: 'Payment methods',
    about:
      'Descriptions are HTML written by the operator. `title` is what the operator calls the method; null: use a name of your own.',
    input: {},
    output: [{ name: 'crypto', title: null, description: 'Bitcoin and Lightning' }],
    refuses: [],
  },
  discount_promocode_info: {
    tag: 'Buying',
    summary: 'The discount of a promo code for an amount',
    about:
      '`pool` is optional: without it, a code that is only for other pools is refused when the order is made.',
    input: { code: 'SPRING', amount: '100', pool: 'residential' },
    output: { discount: 0.15, expires_at: '2026-12-31T23:59:59.999Z', max_uses: 500, uses: 12 },
    refuses: [...discountRefusals, 'invalid_amount', 'too_many_attempts'],
  },
  create_invoice_web: {
    tag: 'Buying',
    summary: 'Create an invoice',
    about:
      'Returns the URL of the payment page as text; the header `x-invoice-id` has the number of the invoice. The price is fixed in the invoice. Send an `Idempotency-Key`, so that a repeated call creates no second invoice. An account has at most 20 open invoices; an unpaid one closes after an hour. `receipt_email` is where the fiscal receipt goes; a shop whose method registers receipts (`needed_for` of `receipt_email`) needs it when the account has no e-mail. It is kept for later orders. `save_consent` is the `sha256` of the consent in `get_top_ups`: the payment method is saved for automatic top-up; not with an API token.',
    input: {
      payment_method: 'crypto',
      amount: 100,
      promocode: null,
      pool: 'residential',
      receipt_email: 'ivan@example.com',
    },
    output: 'https://pay.example.net/i/9f3c1a',
    refuses: [
      'invalid_amount',
      'amount_too_large',
      'amount_too_small',
      ...discountRefusals,
      'too_many_attempts',
      'invalid_payment_method',
      'payment_method_unavailable',
      'too_many_open_invoices',
      'receipt_email_required',
      'invalid_receipt_email',
      'payment_failed',
      'top_up_unavailable',
      'consent_outdated',
      'too_many_saved_methods',
    ],
  },
  receipt_email: {
    tag: 'Buying',
    summary: 'Where your fiscal receipts go',
    about:
      '`is_own`: the address was given for receipts only; otherwise it is the e-mail of the account. `needed_for` has the payment methods that need an address.',
    input: {},
    output: { email: 'ivan@example.com', is_own: true, needed_for: ['yookassa'] },
    refuses: [],
  },
  set_receipt_email: {
    tag: 'Buying',
    summary: 'Change where your fiscal receipts go',
    about: 'Null: to the e-mail of the account. Nobody can sign in with this address.',
    input: { email: 'ivan@example.com' },
    output: { email: 'ivan@example.com', is_own: true, needed_for: ['yookassa'] },
    refuses: ['invalid_receipt_email'],
  },
  referral_payment: {
    tag: 'Buying',
    summary: 'Buy traffic from the referral balance',
    about: 'The traffic is credited before the call answers. Send an `Idempotency-Key`.',
    input: { amount: 10, promocode: null, pool: 'residential' },
    output: { ok: true },
    refuses: [
      'invalid_amount',
      'amount_too_large',
      'amount_too_small',
      ...discountRefusals,
      'too_many_attempts',
      'insufficient_referral_balance',
    ],
  },
  invoices: {
    tag: 'Buying',
    summary: `Your last ${listedInvoices} invoices, newest first`,
    about:
      '`credited` is the traffic credited for an invoice. A partly paid invoice is `underpaid` and credited in part. `receipts` are fiscal receipts, which are registered some time after the payment.',
    input: {},
    output: [paidInvoice],
    refuses: [],
  },
  invoice: {
    tag: 'Buying',
    summary: 'One invoice by its number',
    about: 'Read it until its `state` is no longer `pending` to learn when it is paid.',
    input: { number: paidInvoice.number },
    output: paidInvoice,
    refuses: ['invoice_not_found'],
  },
  invoice_documents: {
    tag: 'Buying',
    summary: 'The documents of an invoice',
    about:
      'Invoices and credit notes in PDF. A document is made within seconds of the payment or refund, once, and never changes. An invoice that is paid in part gets its document with the rest of the money, or after three days.',
    input: { number: paidInvoice.number },
    output: [
      {
        id: '512',
        kind: 'invoice',
        number: '000123',
        specimen: false,
        amount_usd: 315,
        issued_at: '2026-11-20T10:02:32.000Z',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
    refuses: ['invoice_not_found'],
  },
  invoice_document: {
    tag: 'Buying',
    summary: 'A document as PDF',
    about: '`id` is that of `invoice_documents`.',
    input: { number: paidInvoice.number, id: '512' },
    output: null,
    refuses: ['invoice_not_found', 'document_not_found'],
  },
  buyer_details: {
    tag: 'Buying',
    summary: 'What documents say of the buyer',
    about: 'Empty texts: nothing was entered, and documents name the account.',
    input: {},
    output: {
      name: 'Petrova Research GmbH',
      address: 'Lindenstraße 12, 10969 Berlin',
      tax_id: 'DE123456789',
    },
    refuses: [],
  },
  set_buyer_details: {
    tag: 'Buying',
    summary: 'Change what documents say of the buyer',
    about: 'For documents that are made from then on. All texts empty removes the details.',
    input: { name: 'Petrova Research GmbH', address: 'Lindenstraße 12, 10969 Berlin', tax_id: 'DE123456789' },
    output: {
      name: 'Petrova Research GmbH',
      address: 'Lindenstraße 12, 10969 Berlin',
      tax_id: 'DE123456789',
    },
    refuses: ['buyer_name_missing', 'buyer_details_letters'],
  },
  activate_traffic_promocode: {
    tag: 'Buying',
    summary: 'Redeem a code for bonus traffic',
    about:
      'Bonus traffic is spent before paid traffic. Each customer can redeem a code once, unless the shop allows more.',
    input: { code: 'WELCOME' },
    output: { pool: 'residential', traffic: 500 },
    refuses: ['promocode_invalid', 'promocode_used', 'too_many_attempts'],
  },
} as const satisfies { [N in Name]?: Description<N> }
