/** All personal data that the shop stores, by part, in the order of an export. */
import { accountParts } from '#accounts'
import { catalogParts } from '#catalog'
import type { PersonalPart } from '#db/personal'
import { documentParts } from '#documents'
import { ledgerParts } from '#ledger'
import { limitParts } from '#limits'
import { userParts } from '#proxy-users'
import { mailParts } from '#mail'
import { noticeParts } from '#customer-notices'
import { promoParts } from '#promo'
import { proxyParts } from '#proxies'
import { purchaseParts } from '#purchase'
import { rateParts } from '#rates'
import { receiptParts } from '#receipts'
import { referralParts } from '#referral'
import { requestParts } from '#requests'
import { resellerParts } from '#reseller'
import { staffParts } from '#staff'
import { teamParts } from '#teams'
import { topUpParts } from '#topup'
import { trafficParts } from '#traffic'
import { whitelistParts } from '#whitelist'

export const personalParts: readonly PersonalPart[] = [
  ...accountParts,
  ...purchaseParts,
  ...rateParts,
  ...catalogParts,
  ...receiptParts,
  ...topUpParts,
  ...documentParts,
  ...promoParts,
  ...ledgerParts,
  ...trafficParts,
  ...requestParts,
  ...proxyParts,
  ...whitelistParts,
  ...limitParts,
  ...userParts,
  ...resellerParts,
  ...teamParts,
  ...referralParts,
  ...mailParts,
  ...noticeParts,
  ...staffParts,
]
