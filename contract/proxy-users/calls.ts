import { call, change, readByPost } from '../call.ts'
import { operationReaders, operators } from '../acting/roles.ts'

/** The maximum number of proxy users that one call lists, makes, or reports the usage of. */
export const mostListed = 200
export const mostMade = 1000
/** The maximum number of proxy users that one call acts on, and of lines that it makes for them. */
export const mostActed = 1000

/** Changes the total limit of a proxy user by an amount. */
const givesOrTakes = <const Path extends string>({ path }: { path: Path }) =>
  call({
    method: 'POST',
    path,
    answer: 'json',
    who: 'customer',
    token: true,
    members: operators,
    effect: 'changes once',
    cost: { tokens: 2 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  })

/** Acts on many proxy users, which the input lists or filters. */
const actsOnMany = <const Path extends string>({ path, perToken }: { path: Path; perToken: number }) =>
  call({
    method: 'POST',
    path,
    answer: 'json',
    who: 'customer',
    token: true,
    members: operators,
    effect: 'changes',
    cost: { tokens: 5, rows: { field: 'users', or: 'limit', perToken, most: mostActed } },
    queue: 'lists',
    proof: 'none',
    logs: false,
    letter: 'never',
  })

/** Acts on many proxy users. */
export const manyUsersWire = {
  freeze_proxy_users: actsOnMany({ path: '/rpc/freeze_proxy_users', perToken: 50 }),
  delete_proxy_users: actsOnMany({ path: '/rpc/delete_proxy_users', perToken: 20 }),
  proxy_users_lines: call({
    method: 'POST',
    path: '/rpc/proxy_users_lines',
    answer: 'text',
    who: 'customer',
    token: true,
    members: operators,
    effect: 'reads',
    cost: { tokens: 1, rows: { field: 'users', or: 'limit', perToken: 20, most: mostActed } },
    queue: 'lines',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}

/** Proxy users. */
export const usersWire = {
  get_proxy_users: call({
    method: 'POST',
    path: '/rpc/get_proxy_users',
    answer: 'json',
    who: 'customer',
    token: true,
    members: operationReaders,
    effect: 'reads',
    cost: { tokens: 1, rows: { field: 'limit', perToken: 100, most: mostListed } },
    queue: 'lists',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  get_proxy_user: readByPost({
    path: '/rpc/get_proxy_user',
    who: 'customer',
    token: true,
    members: operationReaders,
    cost: { tokens: 1 },
  }),
  set_proxy_login_prefix: change({
    path: '/rpc/set_proxy_login_prefix',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  create_proxy_user: change({
    path: '/rpc/create_proxy_user',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  create_proxy_users: call({
    method: 'POST',
    path: '/rpc/create_proxy_users',
    answer: 'json',
    who: 'customer',
    token: true,
    members: operators,
    effect: 'changes',
    cost: { tokens: 5, rows: { field: 'users', perToken: 20, most: mostMade } },
    queue: 'lists',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  add_proxy_user_to_pool: change({
    path: '/rpc/add_proxy_user_to_pool',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  change_proxy_user: change({
    path: '/rpc/change_proxy_user',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  freeze_proxy_user: change({
    path: '/rpc/freeze_proxy_user',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  renew_proxy_user_password: change({
    path: '/rpc/renew_proxy_user_password',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  delete_proxy_user: change({
    path: '/rpc/delete_proxy_user',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  give_proxy_user: givesOrTakes({ path: '/rpc/give_proxy_user' }),
  take_proxy_user: givesOrTakes({ path: '/rpc/take_proxy_user' }),
  proxy_user_usage: readByPost({
    path: '/rpc/proxy_user_usage',
    who: 'customer',
    token: true,
    members: operationReaders,
    cost: { tokens: 1 },
  }),
  proxy_users_usage: call({
    method: 'POST',
    path: '/rpc/proxy_users_usage',
    answer: 'json',
    who: 'customer',
    token: true,
    members: operationReaders,
    effect: 'reads',
    cost: { tokens: 1, rows: { field: 'limit', perToken: 200, most: mostListed } },
    queue: 'lists',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
