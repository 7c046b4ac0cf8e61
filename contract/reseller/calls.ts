import { call, change } from '../call.ts'
import { admins } from '../acting/roles.ts'

/** The API token. */
export const resellerWire = {
  reseller_token: call({
    method: 'POST',
    path: '/rpc/reseller_token',
    answer: 'text',
    who: 'customer',
    token: true,
    members: 'owner',
    effect: 'changes',
    cost: { tokens: 1 },
    queue: null,
    proof: 'always',
    logs: true,
    letter: 'sometimes',
  }),
  rotate_reseller_token: call({
    method: 'POST',
    path: '/rpc/rotate_reseller_token',
    answer: 'text',
    who: 'customer',
    token: true,
    members: 'owner',
    effect: 'changes',
    cost: { tokens: 5 },
    queue: null,
    proof: 'always',
    logs: true,
    letter: 'always',
  }),
  revoke_reseller_token: change({
    path: '/rpc/revoke_reseller_token',
    token: true,
    members: admins,
    cost: { tokens: 1 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
}
