import { call } from '../call.ts'
import { buyers } from '../acting/roles.ts'

/** Promo codes. */
export const promoWire = {
  discount_promocode_info: call({
    method: 'GET',
    path: '/rpc/discount_promocode_info',
    answer: 'json',
    who: 'customer',
    token: true,
    members: buyers,
    effect: 'changes',
    cost: { tokens: 2 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  activate_traffic_promocode: call({
    method: 'POST',
    path: '/rpc/activate_traffic_promocode',
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
