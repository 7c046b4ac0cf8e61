/** All calls of the desk that are composed of other slices. */
import type { PurchaseDeps } from '#purchase'
import { type ActDeps, actCalls } from './acts.calls.ts'
import { connectionCalls } from './connections.calls.ts'
import { customerCalls } from './customers.calls.ts'
import { gatewayCalls } from './gateways.calls.ts'
import { invoiceCalls } from './invoices.calls.ts'
import { networkCalls, type NetworkDeps } from './network.calls.ts'
import { offerCalls } from './offers.calls.ts'
import { todayCalls, type TodayDeps } from './today.calls.ts'
import { trafficCalls } from './traffic.calls.ts'

export type DeskDeps = ActDeps & NetworkDeps & TodayDeps & { purchase: PurchaseDeps }

export function deskCalls(deps: DeskDeps) {
  return {
    ...customerCalls,
    ...actCalls(deps),
    ...invoiceCalls(deps.purchase, deps.limits),
    ...trafficCalls(deps),
    ...connectionCalls(deps),
    ...gatewayCalls,
    ...networkCalls(deps),
    ...offerCalls,
    ...todayCalls(deps),
  }
}
