import { call } from '../call.ts'

/** Prices of traffic. */
export const catalogWire = {
  prices: call({
    method: 'GET',
    path: '/rpc/prices',
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
  calculate: call({
    method: 'POST',
    path: '/rpc/calculate',
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
}
