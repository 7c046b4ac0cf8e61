/** All calls of the desk that are composed of other slices. */
import type { ErasureDeps } from '#personal-data'
import type { PurchaseDeps } from '#purchase'
import { type ActDeps, actCalls } from './customers/acts.calls.ts'
import { type AccessDeps, accessCalls } from './customers/access.calls.ts'
import { connectionCalls } from './customers/connections.calls.ts'
import { auditCalls } from './audit.calls.ts'
import { contentCalls } from './shop/content.calls.ts'
import { customerListCalls } from './customers/customer.lists.calls.ts'
import { customerCalls } from './customers/customers.calls.ts'
import { findCalls } from './find.calls.ts'
import { gatewayCalls } from './network/gateways.calls.ts'
import { personCalls } from './customers/person.calls.ts'
import { invoiceCalls } from './invoices.calls.ts'
import { returnCalls } from './payments/returns.ts'
import { costCalls } from './network/costs.calls.ts'
import { networkCalls, type NetworkDeps } from './network/network.calls.ts'
import { sellerCalls, type SellerCallDeps } from './network/sellers.calls.ts'
import { offerCalls } from './shop/offers.calls.ts'
import { priceListCalls } from './shop/price.lists.calls.ts'
import { rateCalls } from './shop/rates.calls.ts'
import { placeCalls } from './shop/places.calls.ts'
import { settingCalls, type SettingDeps } from './shop/settings.calls.ts'
import { variableCalls, type VariableDeps } from './shop/variables.calls.ts'
import { statusCalls } from './shop/status.calls.ts'
import { paymentCalls } from './payments.calls.ts'
import { payoutCalls } from './payments/payouts.calls.ts'
import { receiptCalls } from './receipts.calls.ts'
import { marginCalls } from './margin.calls.ts'
import { reportCalls } from './reports.calls.ts'
import { topUpCalls } from './customers/topup.calls.ts'
import { todayCalls, type TodayDeps } from './today.calls.ts'
import { trafficCalls } from './network/traffic.calls.ts'

export { undoCalls } from './undo/undo.calls.ts'

export type DeskDeps = ActDeps &
  AccessDeps &
  NetworkDeps &
  SellerCallDeps &
  SettingDeps &
  VariableDeps &
  TodayDeps &
  ErasureDeps & { purchase: PurchaseDeps }

export function deskCalls(deps: DeskDeps) {
  return {
    ...findCalls(deps),
    ...customerCalls,
    ...customerListCalls,
    ...accessCalls(deps),
    ...topUpCalls,
    ...actCalls(deps),
    ...personCalls(deps),
    ...invoiceCalls(deps.purchase),
    ...returnCalls(deps.purchase),
    ...paymentCalls(deps),
    ...receiptCalls,
    ...payoutCalls,
    ...reportCalls(deps),
    ...marginCalls(deps),
    ...trafficCalls(deps),
    ...connectionCalls(deps),
    ...gatewayCalls,
    ...networkCalls(deps),
    ...costCalls,
    ...sellerCalls(deps),
    ...offerCalls,
    ...priceListCalls,
    ...rateCalls(deps),
    ...contentCalls,
    ...placeCalls(deps),
    ...settingCalls(deps),
    ...variableCalls(deps),
    ...statusCalls(deps),
    ...todayCalls(deps),
    ...auditCalls,
  }
}
