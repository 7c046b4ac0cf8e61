import { call } from '../call.ts'

/** A customer’s own caps and hosts. */
export const limitsWire = {
  get_pool_limits: call({
    method: 'POST',
    path: '/rpc/get_pool_limits',
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
  set_pool_limits: call({
    method: 'POST',
    path: '/rpc/set_pool_limits',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'changes',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  raise_day_cap: call({
    method: 'POST',
    path: '/rpc/raise_day_cap',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'changes',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
