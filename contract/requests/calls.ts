import { call, change, read } from '../call.ts'
import { admins, operationReaders } from '../acting/roles.ts'

/** Records of single requests. */
export const requestsWire = {
  get_requests: call({
    method: 'GET',
    path: '/rpc/get_requests',
    answer: 'json',
    who: 'customer',
    token: true,
    members: operationReaders,
    effect: 'reads',
    cost: { tokens: 2 },
    queue: 'statistics',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  explain_request: read({
    path: '/rpc/explain_request',
    who: 'customer',
    token: true,
    members: operationReaders,
    cost: { tokens: 1 },
  }),
  get_host_privacy: read({
    path: '/rpc/get_host_privacy',
    who: 'customer',
    token: true,
    members: operationReaders,
    cost: { tokens: 1 },
  }),
  set_host_privacy: change({
    path: '/rpc/set_host_privacy',
    token: true,
    members: admins,
    cost: { tokens: 1 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
