/** A traffic code does not know the operation that used it when that is repeated. */
import { activateTrafficCode as right } from '../../../src/promo/gift.ts'

export const activateTrafficCode: typeof right = (database, secrets, { code, accountId }, now) =>
  right(database, secrets, { code, accountId }, now)
