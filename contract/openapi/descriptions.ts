/** The documentation of every call, gathered from the slices. */
import { accountsDocs } from '../accounts/docs.ts'
import { billDocs } from '../bill/docs.ts'
import { catalogDocs } from '../catalog/docs.ts'
import { contentDocs } from '../content/docs.ts'
import { documentsDocs } from '../documents/docs.ts'
import { inventoryDocs } from '../inventory/docs.ts'
import { limitsDocs } from '../limits/docs.ts'
import { movesDocs } from '../moves/docs.ts'
import { noticesDocs } from '../customer-notices/docs.ts'
import { personDocs } from '../personal-data/docs.ts'
import { presetsDocs } from '../presets/docs.ts'
import { promoDocs } from '../promo/docs.ts'
import { proxiesDocs } from '../proxies/docs.ts'
import { purchaseDocs } from '../purchase/docs.ts'
import { ratesDocs } from '../rates/docs.ts'
import { receiptsDocs } from '../receipts/docs.ts'
import { referralDocs } from '../referral/docs.ts'
import { requestsDocs } from '../requests/docs.ts'
import { teamDocs } from '../teams/docs.ts'
import { resellerDocs } from '../reseller/docs.ts'
import { securityDocs } from '../account-security/docs.ts'
import { statsDocs } from '../stats/docs.ts'
import { statusDocs } from '../status/docs.ts'
import { topUpDocs } from '../topup/docs.ts'
import { usersDocs } from '../proxy-users/docs.ts'
import { manyUsersDocs } from '../proxy-users/many.docs.ts'
import { whitelistDocs } from '../whitelist/docs.ts'
import type { Description } from '../docs.ts'
import type { contract, Name } from '../contract.ts'
import type { RefusalCode } from '../refusals.ts'

export const descriptions: { [N in Name]: Description<(typeof contract)[N], RefusalCode> } = {
  ...accountsDocs,
  ...billDocs,
  ...catalogDocs,
  ...contentDocs,
  ...documentsDocs,
  ...inventoryDocs,
  ...limitsDocs,
  ...movesDocs,
  ...noticesDocs,
  ...personDocs,
  ...presetsDocs,
  ...promoDocs,
  ...proxiesDocs,
  ...purchaseDocs,
  ...ratesDocs,
  ...receiptsDocs,
  ...referralDocs,
  ...requestsDocs,
  ...resellerDocs,
  ...teamDocs,
  ...securityDocs,
  ...statsDocs,
  ...statusDocs,
  ...topUpDocs,
  ...manyUsersDocs,
  ...usersDocs,
  ...whitelistDocs,
}
