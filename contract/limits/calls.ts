import { change, readByPost } from '../call.ts'
import { teamRoles, operators } from '../acting/roles.ts'

/** A customer’s own caps and hosts. */
export const limitsWire = {
  get_pool_limits: readByPost({
    path: '/rpc/get_pool_limits',
    who: 'customer',
    token: true,
    members: teamRoles,
    cost: { tokens: 1 },
  }),
  set_pool_limits: change({
    path: '/rpc/set_pool_limits',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  raise_day_cap: change({
    path: '/rpc/raise_day_cap',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
