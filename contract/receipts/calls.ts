import { call } from '../call.ts'

/** The address of fiscal receipts. */
export const receiptsWire = {
  receipt_email: call({
    method: 'GET',
    path: '/rpc/receipt_email',
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
  set_receipt_email: call({
    method: 'POST',
    path: '/rpc/set_receipt_email',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'changes',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
