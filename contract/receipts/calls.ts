import { change, read } from '../call.ts'
import { buyers } from '../acting/roles.ts'

/** The address of fiscal receipts. */
export const receiptsWire = {
  receipt_email: read({
    path: '/rpc/receipt_email',
    who: 'customer',
    token: true,
    members: buyers,
    cost: { tokens: 1 },
  }),
  set_receipt_email: change({
    path: '/rpc/set_receipt_email',
    token: true,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
