import { call, change, read } from '../call.ts'
import { booksReaders, buyers } from '../acting/roles.ts'

/** Documents of invoices. */
export const documentsWire = {
  invoice_documents: read({
    path: '/rpc/invoice_documents',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  invoice_document: call({
    method: 'GET',
    path: '/rpc/invoice_document',
    answer: 'blob',
    who: 'customer',
    token: true,
    members: booksReaders,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  buyer_details: read({
    path: '/rpc/buyer_details',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  set_buyer_details: change({
    path: '/rpc/set_buyer_details',
    token: true,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
