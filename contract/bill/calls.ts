import { call, read, readByPost } from '../call.ts'
import { booksReaders } from '../acting/roles.ts'

/** The bill by the hour. */
export const billWire = {
  get_bill: readByPost({
    path: '/rpc/get_bill',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  get_bill_proof: read({
    path: '/rpc/get_bill_proof',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 5 },
  }),
  bill_roots: call({
    method: 'GET',
    path: '/rpc/bill_roots',
    answer: 'text',
    who: 'anyone',
    token: true,
    members: 'public',
    effect: 'reads',
    cost: { tokens: 5 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
