/** A traffic code does not recognise the repeated operation that used it. */
import { activateTrafficCode as right } from '../../../src/promo/traffic.code.ts'

export const activateTrafficCode: typeof right = (database, secrets, { code, accountId }, now) =>
  right(database, secrets, { code, accountId }, now)
