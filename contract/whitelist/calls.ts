import { change, readByPost } from '../call.ts'
import { operationReaders, operators } from '../acting/roles.ts'

/** Addresses that need no password. */
export const whitelistWire = {
  get_whitelist_ips: readByPost({
    path: '/rpc/get_whitelist_ips',
    who: 'customer',
    token: true,
    members: operationReaders,
    cost: { tokens: 1 },
  }),
  get_whitelist_entries: readByPost({
    path: '/rpc/get_whitelist_entries',
    who: 'customer',
    token: true,
    members: operationReaders,
    cost: { tokens: 1 },
  }),
  add_ip_to_whitelist: change({
    path: '/rpc/add_ip_to_whitelist',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  remove_ip_from_whitelist: change({
    path: '/rpc/remove_ip_from_whitelist',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
