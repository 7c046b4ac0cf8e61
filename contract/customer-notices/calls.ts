import { call } from '../call.ts'

/** Notices to customers. */
export const noticesWire = {
  get_notices: call({
    method: 'GET',
    path: '/rpc/get_notices',
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
  set_notices: call({
    method: 'POST',
    path: '/rpc/set_notices',
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
