/**
 * Every call of the shop as its slice declares it. Bundled for the browser; `contract.ts` has the schemas.
 */
import { accountsWire, emailWire, telegramWire } from './accounts/calls.ts'
import { billWire } from './bill/calls.ts'
import { catalogWire } from './catalog/calls.ts'
import { contentWire } from './content/calls.ts'
import { documentsWire } from './documents/calls.ts'
import { inventoryWire } from './inventory/calls.ts'
import { limitsWire } from './limits/calls.ts'
import { movesWire } from './moves/calls.ts'
import { noticesWire } from './customer-notices/calls.ts'
import { personWire } from './personal-data/calls.ts'
import { presetsWire } from './presets/calls.ts'
import { promoWire } from './promo/calls.ts'
import { proxiesWire, trialWire } from './proxies/calls.ts'
import { balanceWire, historyWire, purchaseWire } from './purchase/calls.ts'
import { ratesWire } from './rates/calls.ts'
import { receiptsWire } from './receipts/calls.ts'
import { payoutsWire, referralWire } from './referral/calls.ts'
import { requestsWire } from './requests/calls.ts'
import { resellerWire } from './reseller/calls.ts'
import { securityWire, sessionsWire } from './account-security/calls.ts'
import { statsWire, usageWire } from './stats/calls.ts'
import { statusWire } from './status/calls.ts'
import { membershipWire, teamWire } from './teams/calls.ts'
import { topUpWire } from './topup/calls.ts'
import { manyUsersWire, usersWire } from './proxy-users/calls.ts'
import { whitelistWire } from './whitelist/calls.ts'

export * from './pools.ts'

/** The target for testing a new line; the only path of the shop that gateways open. */
export const echoPath = '/api/echo'

/** A download of all data of a person, with the token of a link; on the shop's listener and on the desk's. */
export const personalDataPath = '/api/personal_data.zip'

export const wire = {
  ...catalogWire,
  ...inventoryWire,
  ...proxiesWire,
  ...trialWire,
  ...presetsWire,
  ...manyUsersWire,
  ...usersWire,
  ...whitelistWire,
  ...limitsWire,
  ...noticesWire,
  ...statsWire,
  ...usageWire,
  ...requestsWire,
  ...purchaseWire,
  ...balanceWire,
  ...historyWire,
  ...documentsWire,
  ...topUpWire,
  ...promoWire,
  ...ratesWire,
  ...receiptsWire,
  ...movesWire,
  ...billWire,
  ...referralWire,
  ...payoutsWire,
  ...resellerWire,
  ...accountsWire,
  ...telegramWire,
  ...emailWire,
  ...securityWire,
  ...sessionsWire,
  ...teamWire,
  ...membershipWire,
  ...personWire,
  ...contentWire,
  ...statusWire,
} as const

export type Name = keyof typeof wire

/** The prefix of reseller tokens, which distinguishes them from session tokens. */
export const resellerTokenPrefix = 'tpr_'

/** The provider that always exists: it combines all exits of the operator. */
export const builtInProvider = 'gateway'

/** The path of a call, its `{provider}` filled in. */
export function pathOf(name: Name, provider: string = builtInProvider): string {
  return `/api${wire[name].path.replace('{provider}', encodeURIComponent(provider))}`
}
