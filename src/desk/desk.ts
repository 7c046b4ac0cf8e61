/**
 * The operator's desk: its acts on the other slices, each recorded in the audit trail. The command line calls
 * the same.
 */
export { dropBanner, publishBanner } from './shop/banners.ts'
export { changeContent, resetContent } from './shop/content.ts'
export { eraseCustomer, exportCustomer } from './customers/person.calls.ts'
export { blockCustomer, unblockCustomer } from './customers/customers.acts.ts'
export { createExit, dropExit, setExit, setExitCost } from './network/exits.acts.ts'
export {
  checkSellerAccount,
  createSellerAccount,
  dropSellerAccount,
  sellerDeps,
} from './network/sellers.acts.ts'
export { lowStocks } from './network/sellers.needs.ts'
export { belowCostNow } from './shop/below.cost.ts'
export { findPeople } from './customers/find.ts'
export { dayFigures } from './day.figures.ts'
export { findNeeds, type NeedDeps } from './needs.ts'
export { drainGateway, revokeToken } from './network/gateways.calls.ts'
export { askProcessor, replayEvent } from './invoices.calls.ts'
export { drop as dropRefund, noteSent as noteRefundSent, refund } from './payments/refunds.ts'
export { type ExitTest } from './network/network.calls.ts'
export { sayReturned } from './payments/returns.ts'
export { changePrices, createCodes, stopCode } from './shop/offers.ts'
export { assignList, changeList, dropList, type ListDraft, makeList } from './shop/price.lists.ts'
export { enterRate, enterRates, setDisplayCurrency } from './shop/rates.ts'
export { loseDocumentNumbers } from './shop/document.numbers.ts'
export { setReferralShare } from './shop/referral.share.ts'
export { type BookColumn, type BookRow, type BookTable, monthBooks } from './reports/month.ts'
export { importPlaces, namePlaces, removePlaces } from './shop/places.ts'
export { changeSetting } from './shop/settings.calls.ts'
export type { ShopFinding } from './shop/setup.ts'
export type { TestConnection, TestedConnection, VariablesAtDesk } from './shop/variables.calls.ts'
