import { call, read, readByPost } from '../call.ts'
import { booksReaders, buyers } from '../acting/roles.ts'

/** Orders traffic or money, or pays for it. */
const orders = <const Path extends string, const Answer extends 'json' | 'text'>(given: {
  path: Path
  answer: Answer
}) =>
  call({
    method: 'POST',
    ...given,
    who: 'customer',
    token: true,
    members: buyers,
    effect: 'changes once',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  })

/** Orders and their payment. */
export const purchaseWire = {
  payment_systems: read({
    path: '/payment_systems',
    who: 'anyone',
    token: true,
    members: 'public',
    cost: { tokens: 1 },
  }),
  create_invoice_web: orders({ path: '/rpc/create_invoice_web', answer: 'text' }),
  referral_payment: orders({ path: '/rpc/referral_payment', answer: 'json' }),
}

/** The money balance: paid in advance, spent without a payment page. */
export const balanceWire = {
  buy: orders({ path: '/rpc/buy', answer: 'json' }),
  create_balance_invoice: orders({ path: '/rpc/create_balance_invoice', answer: 'json' }),
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
