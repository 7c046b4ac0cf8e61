/**
 * The workers' counters on the server's /metrics, one series per worker, as last reported, every few seconds.
 * A worker that died has none. Their meaning: docs/metrics.md.
 */
import { Gauge, type Metric, type Registry } from 'prom-client'
import type { GatewayStats } from '#gateway'
import { LATENCY_BOUNDS_MS } from '#gateway'
import type { WorkerStats } from './messages.ts'

type Labels = Record<string, string>

/** One line of a series. */
interface Sample {
  labels: Labels
  value: number
  /** The suffix of the name, for the parts of a histogram. */
  metricName?: string
}

interface Series {
  type: 'gauge' | 'counter' | 'histogram'
  help: string
  of: (stats: WorkerStats) => Sample[]
}

/** The most exits that a worker reports; further ones are left out. */
const mostExits = 200

const one = (value: number): Sample[] => [{ labels: {}, value }]

const byLabel = (name: string, counts: Record<string, number>, more: Labels = {}): Sample[] =>
  Object.entries(counts).map(([label, value]) => ({ labels: { ...more, [name]: label }, value }))

const ofPools = (stats: GatewayStats, of: (pool: GatewayStats['pools'][string]) => Sample[]): Sample[] =>
  Object.entries(stats.pools).flatMap(([pool, counted]) =>
    of(counted).map((sample) => ({ ...sample, labels: { pool, ...sample.labels } })),
  )

/** A histogram with its bounds in seconds. */
function histogram(name: string, { buckets, count, sum }: GatewayStats['names']['seconds']): Sample[] {
  const bucket = (le: string, value: number) => ({ metricName: `${name}_bucket`, labels: { le }, value })
  return [
    ...buckets.map((one) => bucket(String(one.le), one.count)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ]
}

/** A histogram in seconds, from one in milliseconds. */
function latency(
  name: string,
  { buckets, count, sumMs }: GatewayStats['pools'][string]['connect'],
): Sample[] {
  const inSeconds = LATENCY_BOUNDS_MS.map((bound, index) => ({
    le: bound / 1000,
    count: buckets[index] ?? 0,
  }))
  return histogram(name, { buckets: inSeconds, count, sum: sumMs / 1000 })
}

const ofExits = (stats: GatewayStats, of: (exit: GatewayStats['exits'][number]) => Sample[]): Sample[] =>
  stats.exits.slice(0, mostExits).flatMap((exit) =>
    of(exit).map((sample) => ({
      ...sample,
      labels: { pool: exit.pool, exit: exit.id, ...sample.labels },
    })),
  )

const states = ['closed', 'open', 'half_open'] as const

const series: Record<string, Series> = {
  tunnels_open: {
    type: 'gauge',
    help: 'Tunnels and forwarded requests at present.',
    of: (stats) => one(stats.tunnelsOpen),
  },
  tunnels_total: {
    type: 'counter',
    help: 'Tunnels and forwarded requests that were let in.',
    of: (stats) => one(stats.tunnelsTotal),
  },
  ended_total: {
    type: 'counter',
    help: 'Tunnels and forwarded requests that have ended, by what ended them.',
    of: (stats) => ofPools(stats, ({ ended }) => byLabel('outcome', ended)),
  },
  connections_open: {
    type: 'gauge',
    help: 'Connections of clients at present.',
    of: (stats) => one(stats.connectionsOpen),
  },
  connections_total: {
    type: 'counter',
    help: 'Connections of clients that were accepted.',
    of: (stats) => one(stats.connectionsTotal),
  },
  bytes_total: {
    type: 'counter',
    help: 'Payload bytes of tunnels and requests that have ended, before the tariff.',
    of: (stats) =>
      ofPools(stats, ({ bytesUp, bytesDown }) => byLabel('direction', { up: bytesUp, down: bytesDown })),
  },
  forgiven_bytes_total: {
    type: 'counter',
    help: 'Payload bytes of bytes_total that were forgiven, because an exit did not tell whose failure it was.',
    of: (stats) => ofPools(stats, ({ bytesForgiven }) => one(bytesForgiven)),
  },
  refusals_total: {
    type: 'counter',
    help: 'Requests that were refused or failed, by the code that was answered.',
    of: (stats) => byLabel('code', stats.refusals),
  },
  leases_open: { type: 'gauge', help: 'Leases held.', of: (stats) => one(stats.leasesOpen) },
  leased_bytes: {
    type: 'gauge',
    help: 'Charged bytes that are leased and not spent.',
    of: (stats) => one(stats.leasedBytes),
  },
  reports_waiting: {
    type: 'gauge',
    help: 'Reports of bytes that are not settled yet.',
    of: (stats) => one(stats.reportsWaiting),
  },
  reports_put_aside_total: {
    type: 'counter',
    help: 'Reports that the server would not settle: see "turnpike reports".',
    of: (stats) => one(stats.reportsRefused),
  },
  journal_healthy: {
    type: 'gauge',
    help: '1 while the disk takes reports; at 0 no new tunnels are let in.',
    of: (stats) => one(stats.journalHealthy ? 1 : 0),
  },
  feed_serving: {
    type: 'gauge',
    help: '1 for the server of FEED_URL that serves this worker.',
    of: ({ feed: { servers, current } }) =>
      servers.map((server, place) => ({ labels: { server }, value: place === current ? 1 : 0 })),
  },
  feed_switches_total: {
    type: 'counter',
    help: 'How often another server of FEED_URL served than before.',
    of: ({ feed: { servers, switches } }) => (servers.length === 0 ? [] : one(switches)),
  },
  records_total: {
    type: 'counter',
    help: 'Records of requests for "explain this request", kept and not kept.',
    of: (stats) => byLabel('result', { kept: stats.recordsKept, dropped: stats.recordsDropped }),
  },
  names_total: {
    type: 'counter',
    help: 'Lookups of names, by where the result came from.',
    of: (stats) => byLabel('result', stats.names.total),
  },
  name_errors_total: {
    type: 'counter',
    help: 'Lookups that found no address, by the reason.',
    of: (stats) => byLabel('reason', stats.names.errors),
  },
  names_outstanding: {
    type: 'gauge',
    help: 'Questions to the name servers without an answer yet.',
    of: (stats) => one(stats.names.outstanding),
  },
  names_queued: {
    type: 'gauge',
    help: 'Questions that wait for their turn to be sent.',
    of: (stats) => one(stats.names.queued),
  },
  names_entries: {
    type: 'gauge',
    help: 'Records in the cache of names.',
    of: (stats) => one(stats.names.entries),
  },
  names_seconds: {
    type: 'histogram',
    help: 'How long lookups took that waited for the name servers.',
    of: (stats) => histogram('turnpike_gateway_names_seconds', stats.names.seconds),
  },
  connect_seconds: {
    type: 'histogram',
    help: 'From the choice of an exit to an open connection to the target.',
    of: (stats) => ofPools(stats, ({ connect }) => latency('turnpike_gateway_connect_seconds', connect)),
  },
  first_byte_seconds: {
    type: 'histogram',
    help: "From when a request was accepted to its target's first byte.",
    of: (stats) =>
      ofPools(stats, ({ firstByte }) => latency('turnpike_gateway_first_byte_seconds', firstByte)),
  },
  exit_state: {
    type: 'gauge',
    help: '1 for the state that the circuit breaker of an exit is in.',
    of: (stats) =>
      ofExits(stats, ({ state }) =>
        states.map((name) => ({ labels: { state: name }, value: name === state ? 1 : 0 })),
      ),
  },
  exit_connections: {
    type: 'gauge',
    help: 'Connections through an exit at present.',
    of: (stats) => ofExits(stats, ({ connections }) => one(connections)),
  },
  exit_connects_total: {
    type: 'counter',
    help: 'Connections and health checks of an exit, by how they went.',
    of: (stats) => ofExits(stats, ({ succeeded, failed }) => byLabel('result', { succeeded, failed })),
  },
  exit_warm_connections: {
    type: 'gauge',
    help: 'Connections to an exit that were made ahead and wait for a customer.',
    of: (stats) => ofExits(stats, ({ warm }) => one(warm.open)),
  },
  exit_warm_total: {
    type: 'counter',
    help: 'Connections to an exit that were made ahead, by what became of them.',
    of: (stats) =>
      ofExits(stats, ({ warm: { used, expired, stale } }) => byLabel('result', { used, expired, stale })),
  },
  exit_latency_seconds: {
    type: 'gauge',
    help: 'How long the last connection through an exit took to be made.',
    of: (stats) => ofExits(stats, ({ latencyMs }) => (latencyMs === null ? [] : one(latencyMs / 1000))),
  },
}

/**
 * Registers the series. Returns the function to be called with each worker's counters, or null when it has
 * died. `missing` counts the workers that do not run and were not restarted at once, `putAside` the dead
 * letters.
 */
export function gatewayMetrics(
  registry: Registry,
  { missing, putAside }: { missing: () => number; putAside: () => number },
) {
  const told = new Map<string, WorkerStats>()
  const gauge: Gauge = new Gauge({
    name: 'turnpike_gateway_workers_missing',
    help: 'Workers that do not run and did not come back at once.',
    registers: [registry],
    collect: () => gauge.set(missing()),
  })
  const aside: Gauge = new Gauge({
    name: 'turnpike_gateway_reports_put_aside',
    help: 'Reports that the server would not settle and that were neither settled since nor dismissed.',
    registers: [registry],
    collect: () => aside.set(putAside()),
  })
  for (const [suffix, { type, help, of }] of Object.entries(series)) {
    const name = `turnpike_gateway_${suffix}`
    const values = () =>
      [...told].flatMap(([worker, stats]) =>
        of(stats).map((sample) => ({ ...sample, labels: { worker, ...sample.labels } })),
      )
    // The workers' totals are exported unchanged, which the metric classes of the library do not support.
    const metric = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name, help, type, values: values() }),
    }
    registry.registerMetric(metric as unknown as Metric)
  }
  return (index: number) => (stats: WorkerStats | null) => {
    if (stats === null) told.delete(String(index))
    else told.set(String(index), stats)
  }
}
