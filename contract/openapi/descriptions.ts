/** The documentation of every call. */
import { accountCalls } from './describe.account.ts'
import { buyingCalls } from './describe.buying.ts'
import { presetCalls } from './describe.presets.ts'
import { moveCalls } from './describe.moves.ts'
import { payoutCalls } from './describe.payouts.ts'
import { proxyCalls } from './describe.proxies.ts'
import { requestCalls } from './describe.requests.ts'
import { siteCalls } from './describe.site.ts'
import { securityDescriptions } from './describe.security.ts'
import { topUpCalls } from './describe.topup.ts'
import { userCalls } from './describe.users.ts'
import { usageCalls } from './describe.usage.ts'
import type { Description } from './describe.ts'
import type { Name } from '../wire.ts'

export const descriptions: { [N in Name]: Description<N> } = {
  ...proxyCalls,
  ...presetCalls,
  ...userCalls,
  ...buyingCalls,
  ...topUpCalls,
  ...accountCalls,
  ...siteCalls,
  ...securityDescriptions,
  ...requestCalls,
  ...usageCalls,
  ...moveCalls,
  ...payoutCalls,
}
