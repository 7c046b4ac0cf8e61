import { listedInvoices } from '../invoices.ts'
import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

const paidInvoice = {
  number: '9f3c1a0d5e7b2468ace0',
  pool: 'residential',
  gb: 100,
  method: 'card',
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
} as const

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
    about: 'Descriptions are HTML written by the operator.',
    input: {},
    output: [{ name: 'crypto', description: 'Bitcoin and Lightning' }],
    refuses: [],
  },
  discount_promocode_info: {
    tag: 'Buying',
    summary: 'The discount of a promo code for an amount',
    input: { code: 'SPRING', amount: '100' },
    output: { discount: 0.15, expires_at: '2026-12-31T23:59:59.999Z', max_uses: 500, uses: 12 },
    refuses: ['promocode_invalid', 'invalid_amount', 'too_many_attempts'],
  },
  create_invoice_web: {
    tag: 'Buying',
    summary: 'Create an invoice',
    about:
      'Returns the URL of the payment page as text; the header `x-invoice-id` has the number of the invoice. The price is fixed in the invoice. Send an `Idempotency-Key`, so that a repeated call creates no second invoice. An account has at most 20 open invoices; an unpaid one closes after an hour.',
    input: { payment_method: 'crypto', amount: 100, promocode: null, pool: 'residential' },
    output: 'https://pay.example.net/i/9f3c1a',
    refuses: [
      'invalid_amount',
      'amount_too_large',
      'amount_too_small',
      'promocode_invalid',
      'too_many_attempts',
      'invalid_payment_method',
      'payment_method_unavailable',
      'too_many_open_invoices',
      'payment_failed',
    ],
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
      'promocode_invalid',
      'too_many_attempts',
      'insufficient_referral_balance',
    ],
  },
  invoices: {
    tag: 'Buying',
    summary: `Your last ${listedInvoices} invoices, newest first`,
    about:
      '`credited` is the traffic credited for an invoice. A partly paid invoice is `underpaid` and credited in part.',
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
  activate_traffic_promocode: {
    tag: 'Buying',
    summary: 'Redeem a code for bonus traffic',
    about: 'Bonus traffic is spent before paid traffic. Each customer can redeem a code once.',
    input: { code: 'WELCOME' },
    output: { pool: 'residential', traffic: 500 },
    refuses: ['promocode_invalid', 'promocode_used', 'too_many_attempts'],
  },
} as const satisfies { [N in Name]?: Description<N> }
