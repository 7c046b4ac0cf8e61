import { change, read } from '../call.ts'
import { booksReaders, buyers } from '../acting/roles.ts'

/** Automatic top-up and saved payment methods. */
export const topUpWire = {
  get_top_ups: read({
    path: '/rpc/get_top_ups',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  top_up_consent: change({
    path: '/rpc/top_up_consent',
    token: false,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
  set_top_up: change({
    path: '/rpc/set_top_up',
    token: false,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
  switch_off_top_up: change({
    path: '/rpc/switch_off_top_up',
    token: true,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  remove_saved_method: change({
    path: '/rpc/remove_saved_method',
    token: false,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
}
