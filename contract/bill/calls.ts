import { call } from '../call.ts'

/** The bill by the hour. */
export const billWire = {
  get_bill: call({
    method: 'POST',
    path: '/rpc/get_bill',
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
  get_bill_proof: call({
    method: 'GET',
    path: '/rpc/get_bill_proof',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'reads',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  bill_roots: call({
    method: 'GET',
    path: '/rpc/bill_roots',
    answer: 'text',
    who: 'anyone',
    token: true,
    effect: 'reads',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
