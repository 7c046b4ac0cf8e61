/** A repeated call that gives traffic to a proxy user, or takes it, does not recognise the first one. */
import { addToUser as right } from '../../../src/proxy-users/amount.ts'

export const addToUser: typeof right = (tx, key, amount) =>
  right(tx, key, {
    ...amount,
    reference: amount.reference === null ? null : `${amount.reference} ${Math.random()}`,
  })
