import { readByPost } from '../call.ts'

/** The bill by the hour. */
export const billWire = {
  get_bill: readByPost({ path: '/rpc/get_bill', who: 'customer', token: true, cost: { tokens: 1 } }),
}
