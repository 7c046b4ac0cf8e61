/** The operator's desk: its acts on the other slices, each recorded in the audit trail. The command line calls the same. */
export { blockCustomer, unblockCustomer } from './customers.acts.ts'
export { findPeople } from './find.ts'
export { drainGateway } from './gateways.calls.ts'
export { refund } from './invoices.calls.ts'
export { type ExitTest, setExit } from './network.calls.ts'
export { changePrices, createCodes, type Prices, stopCode } from './offers.ts'
