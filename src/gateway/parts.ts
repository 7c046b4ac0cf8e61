/** Parts of a worker that hang together. */

import type { GatewayOptions } from './gateway.ts'
import type { Limits } from './engine.ts'
import type { Meter } from './metering/meter.ts'
import { Permits, type PermitsOptions } from './limits/account.permits.ts'
import type { Siblings } from './limits/coordinator.ts'
import { systemResolve, type TargetRules } from './targets/target.ts'
import { Tunnels } from './sessions.ts'

/** Where nobody may go. */
export const rulesOf = ({
  allow,
  refusePorts = [25, 465, 587],
  deny,
  resolve = systemResolve,
}: GatewayOptions): TargetRules => ({ allow, refusePorts, resolve, ...(deny === undefined ? {} : { deny }) })

/** Who counts the open tunnels of each account, here and everywhere; who holds a purse has one open. */
export function admissionOf({
  feed,
  identity,
  meter,
  limits,
  siblings,
  onFault,
}: Pick<PermitsOptions, 'feed' | 'identity'> & {
  meter: Meter
  limits: Limits
  siblings: Siblings | null
  onFault: (what: string, fault: unknown) => void
}): { permits: Permits; tunnels: Tunnels } {
  const openFor = (account: bigint) => meter.holders(account)
  const permits = new Permits({
    feed,
    identity,
    open: openFor,
    onFault: (fault) => onFault('permits', fault),
  })
  const tunnels = new Tunnels({
    mostPerAccount: limits.connectionsPerAccount,
    openFor,
    onLeft: (account) => permits.left(account),
    siblings,
  })
  return { permits, tunnels }
}
