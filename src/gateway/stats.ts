/** What a worker tells of itself. */

import type { Engine } from './engine.ts'
import type { GatewayStats } from './gateway.ts'

/** All but what the worker itself counts is in its parts. */
export function statsOf(
  { counters, exits, meter, records, reporter, tunnels }: Engine,
  { connections, refusedReports }: { connections: number; refusedReports: number },
): GatewayStats {
  return {
    tunnelsOpen: tunnels.open,
    tunnelsTotal: tunnels.opened,
    connectionsOpen: connections,
    connectionsTotal: counters.connections,
    bytesUp: counters.bytesUp,
    bytesDown: counters.bytesDown,
    leasesOpen: meter.leases,
    leasedBytes: meter.heldBytes,
    reportsWaiting: reporter.lag,
    reportsRefused: refusedReports,
    journalHealthy: reporter.healthy,
    recordsKept: records.kept,
    recordsDropped: records.dropped,
    refusals: { ...counters.refusals },
    pools: counters.pools.all(),
    exits: exits.all.map(({ id, pool }) => ({ id: String(id), pool, ...exits.health.of(id) })),
  }
}
