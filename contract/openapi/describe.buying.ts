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
    summary: 'Volume discounts of amounts',
    about:
      'One fraction per amount of GB, in the order asked. Price per GB = base × (1 − volume discount) × (1 − promo discount).',
    input: { amounts: [1, 100, 300, 500, 1000] },
    output: [0, 0.1, 0.17, 0.25, 0.33],
    refuses: [],
  },
  payment_systems: {
    tag: 'Buying',
    summary: 'Payment methods',
    about: 'Descriptions are HTML of the operator.',
    input: {},
    output: [{ name: 'crypto', description: 'Bitcoin and Lightning' }],
    refuses: [],
  },
  discount_promocode_info: {
    tag: 'Buying',
    summary: 'What a discount code gives for an amount',
    input: { code: 'SPRING', amount: '100' },
    output: { discount: 0.15, expires_at: '2026-12-31T23:59:59.999Z', max_uses: 500, uses: 12 },
    refuses: ['promocode_invalid', 'invalid_amount', 'too_many_attempts'],
  },
  create_invoice_web: {
    tag: 'Buying',
    summary: 'Make an invoice',
    about:
      'Answers the address of the payment page as text; the header `x-invoice-id` carries the invoice number. The quote is frozen in the invoice. Send an `Idempotency-Key`, so that a repeated call makes no second invoice. An account has at most 20 open invoices at once; an unpaid one closes after an hour.',
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
    about: 'The traffic is there when the answer comes. Send an `Idempotency-Key`.',
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
    summary: 'Your last 50 invoices, the newest first',
    about:
      '`credited` is the traffic an invoice brought. An invoice that was paid in part is `underpaid` and brought its part.',
    input: {},
    output: [paidInvoice],
    refuses: [],
  },
  invoice: {
    tag: 'Buying',
    summary: 'One invoice by its number',
    about: 'Ask for it until its `state` is no longer `pending` to learn when it is paid.',
    input: { number: paidInvoice.number },
    output: paidInvoice,
    refuses: ['invoice_not_found'],
  },
  activate_traffic_promocode: {
    tag: 'Buying',
    summary: 'Redeem a code for bonus traffic',
    about: 'Bonus traffic is spent before paid traffic. Each customer redeems a code once.',
    input: { code: 'WELCOME' },
    output: { pool: 'residential', traffic: 500 },
    refuses: ['promocode_invalid', 'promocode_used', 'too_many_attempts'],
  },
} as const satisfies { [N in Name]?: Description<N> }
