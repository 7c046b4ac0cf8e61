import { call, read, readByPost } from '../call.ts'
import { booksReaders, buyers } from '../acting/roles.ts'

/** Orders and their payment. */
export const purchaseWire = {
  payment_systems: read({
    path: '/payment_systems',
    who: 'anyone',
    token: true,
    members: 'public',
    cost: { tokens: 1 },
  }),
  create_invoice_web: call({
    method: 'POST',
    path: '/rpc/create_invoice_web',
    answer: 'text',
    who: 'customer',
    token: true,
    members: buyers,
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
    members: buyers,
    effect: 'changes once',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}

/** The money balance: paid in advance, spent without a payment page. */
export const balanceWire = {
  buy: call({
    method: 'POST',
    path: '/rpc/buy',
    answer: 'json',
    who: 'customer',
    queue: null,
    effect: 'changes once',
    token: true,
    members: buyers,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  create_balance_invoice: call({
    method: 'POST',
    path: '/rpc/create_balance_invoice',
    answer: 'json',
    who: 'customer',
    queue: null,
    effect: 'changes once',
    token: true,
    members: buyers,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  money_balance: readByPost({
    path: '/rpc/money_balance',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
}

/** Invoices. */
export const historyWire = {
  invoices: read({
    path: '/rpc/invoices',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  invoice: read({
    path: '/rpc/invoice',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
}
