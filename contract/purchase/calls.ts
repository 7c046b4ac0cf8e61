import { call } from '../call.ts'

/** Orders and their payment. */
export const purchaseWire = {
  payment_systems: call({
    method: 'GET',
    path: '/payment_systems',
    answer: 'json',
    who: 'anyone',
    token: true,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  create_invoice_web: call({
    method: 'POST',
    path: '/rpc/create_invoice_web',
    answer: 'text',
    who: 'customer',
    token: true,
    effect: 'changes once',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  referral_payment: call({
    method: 'POST',
    path: '/rpc/referral_payment',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'changes once',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}

/** Invoices. */
export const historyWire = {
  invoices: call({
    method: 'GET',
    path: '/rpc/invoices',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  invoice: call({
    method: 'GET',
    path: '/rpc/invoice',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
