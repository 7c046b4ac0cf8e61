import { call } from '../call.ts'

/** The currency in which prices are shown. */
export const ratesWire = {
  display_currency: call({
    method: 'GET',
    path: '/rpc/display_currency',
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
  set_display_currency: call({
    method: 'POST',
    path: '/rpc/set_display_currency',
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
