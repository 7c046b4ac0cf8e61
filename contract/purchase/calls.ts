import { call, read } from '../call.ts'
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
