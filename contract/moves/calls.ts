import { call, read, readByPost } from '../call.ts'
import { booksReaders, buyers } from '../acting/roles.ts'

/** Traffic given to other customers and exchanged between pools. */
export const movesWire = {
  get_moves: read({
    path: '/rpc/get_moves',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  quote_exchange: readByPost({
    path: '/rpc/quote_exchange',
    who: 'customer',
    token: true,
    members: buyers,
    cost: { tokens: 1 },
  }),
  give_traffic: call({
    method: 'POST',
    path: '/rpc/give_traffic',
    answer: 'json',
    who: 'customer',
    token: false,
    members: buyers,
    effect: 'changes once',
    cost: { tokens: 1 },
    queue: null,
    proof: 'always',
    logs: true,
    letter: 'always',
  }),
  exchange_traffic: call({
    method: 'POST',
    path: '/rpc/exchange_traffic',
    answer: 'json',
    who: 'customer',
    token: false,
    members: buyers,
    effect: 'changes once',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: true,
    letter: 'always',
  }),
}
