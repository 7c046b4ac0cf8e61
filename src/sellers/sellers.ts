/**
 * The operator's accounts at the sellers of traffic: the remaining balance, the bill, and the places on
 * offer. The shop only reads them; it buys and changes nothing at a seller.
 */
export {
  type AccountWrong,
  addSellerAccount,
  changeSellerAccount,
  listSellerAccounts,
  lockSellerAccount,
  makeDue,
  type NewSellerAccount,
  removeSellerAccount,
  type SellerAccount,
  type SellerAccountChange,
  type SellerReading,
} from './accounts.ts'
export type { SellerAdapter } from './adapters/adapter.ts'
export { findSeller, sellerAdapters } from './adapters/adapters.ts'
export { type SellerAnswer, sellerAnswers } from './answers.ts'
export { type BillDay, differingBills, sellerBill } from './bill.ts'
export { SellerFault } from './adapters/client.ts'
export { sealedSellerCredentials } from './sealed.ts'
export { sellerStocks, type SellerStock } from './stock.ts'
export { decidePlaces, type PlacesDecision } from './places.take.ts'
export { readDueSellers, type SellerTrouble } from './due.ts'
export { readSellerAccount, type SellerDeps } from './sync.ts'
