import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { WorkerStats } from './messages.ts'
import { gatewayMetrics } from './metrics.ts'

const latency = { buckets: [0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2], count: 3, sumMs: 40_070 }
const stats: WorkerStats = {
  feed: { servers: ['tls://one:7443', 'tls://two:7443'], current: 1, switches: 3 },
  tunnelsOpen: 3,
  tunnelsTotal: 10,
  connectionsOpen: 4,
  connectionsTotal: 12,
  bytesUp: 100,
  bytesDown: 2000,
  leasesOpen: 1,
  leasedBytes: 777,
  reportsWaiting: 0,
  reportsRefused: 2,
  recordsKept: 8,
  recordsDropped: 1,
  journalHealthy: false,
  refusals: { no_traffic: 5 },
  pools: {
    mobile: {
      bytesUp: 100,
      bytesDown: 2000,
      bytesForgiven: 30,
      ended: { done: 6, cut: 1 },
      connect: latency,
      firstByte: latency,
    },
  },
  names: {
    total: { hit: 20, stale: 0, negative: 1, asked: 6, refused: 2 },
    errors: { not_found: 3 },
    outstanding: 4,
    queued: 1,
    entries: 12,
    seconds: {
      buckets: [
        { le: 0.005, count: 2 },
        { le: 5, count: 5 },
      ],
      count: 6,
      sum: 7.5,
    },
  },
  exits: [
    {
      id: '7',
      pool: 'mobile',
      state: 'open',
      connections: 1,
      succeeded: 9,
      failed: 3,
      latencyMs: 250,
      lastFailure: 'exit_refused',
      warm: { open: 2, used: 5, expired: 4, stale: 1 },
    },
  ],
}

it('the metrics are shown for each live worker, as last reported', async () => {
  const registry = new Registry()
  const tell = gatewayMetrics(registry, { missing: () => 0, putAside: () => 3 })
  tell(0)(stats)
  tell(1)({ ...stats, tunnelsOpen: 9 })
  const text = await registry.metrics()
  for (const line of [
    '# TYPE turnpike_gateway_tunnels_total counter',
    '# TYPE turnpike_gateway_connect_seconds histogram',
    'turnpike_gateway_tunnels_open{worker="0"} 3',
    'turnpike_gateway_tunnels_open{worker="1"} 9',
    'turnpike_gateway_ended_total{worker="0",pool="mobile",outcome="done"} 6',
    'turnpike_gateway_bytes_total{worker="0",pool="mobile",direction="down"} 2000',
    'turnpike_gateway_forgiven_bytes_total{worker="0",pool="mobile"} 30',
    'turnpike_gateway_refusals_total{worker="0",code="no_traffic"} 5',
    'turnpike_gateway_leased_bytes{worker="0"} 777',
    'turnpike_gateway_reports_put_aside_total{worker="0"} 2',
    'turnpike_gateway_journal_healthy{worker="0"} 0',
    'turnpike_gateway_feed_serving{worker="0",server="tls://one:7443"} 0',
    'turnpike_gateway_feed_serving{worker="0",server="tls://two:7443"} 1',
    'turnpike_gateway_feed_switches_total{worker="0"} 3',
    'turnpike_gateway_records_total{worker="0",result="dropped"} 1',
    'turnpike_gateway_connect_seconds_bucket{worker="0",pool="mobile",le="0.01"} 1',
    'turnpike_gateway_connect_seconds_bucket{worker="0",pool="mobile",le="+Inf"} 3',
    'turnpike_gateway_connect_seconds_sum{worker="0",pool="mobile"} 40.07',
    'turnpike_gateway_exit_state{worker="0",pool="mobile",exit="7",state="open"} 1',
    'turnpike_gateway_exit_state{worker="0",pool="mobile",exit="7",state="closed"} 0',
    'turnpike_gateway_names_total{worker="0",result="hit"} 20',
    'turnpike_gateway_name_errors_total{worker="0",reason="not_found"} 3',
    'turnpike_gateway_names_outstanding{worker="0"} 4',
    'turnpike_gateway_names_queued{worker="0"} 1',
    'turnpike_gateway_names_entries{worker="0"} 12',
    'turnpike_gateway_names_seconds_bucket{worker="0",le="0.005"} 2',
    'turnpike_gateway_names_seconds_bucket{worker="0",le="+Inf"} 6',
    'turnpike_gateway_names_seconds_sum{worker="0"} 7.5',
    'turnpike_gateway_exit_warm_connections{worker="0",pool="mobile",exit="7"} 2',
    'turnpike_gateway_exit_warm_total{worker="0",pool="mobile",exit="7",result="stale"} 1',
    'turnpike_gateway_exit_latency_seconds{worker="0",pool="mobile",exit="7"} 0.25',
  ])
    expect(text.split('\n'), line).toContain(line)
  tell(1)(null)
  const later = await registry.metrics()
  expect(later).toContain('worker="0"')
  expect(later).not.toContain('worker="1"')
})

it('the metrics are exactly those of the documentation', async () => {
  const registry = new Registry()
  gatewayMetrics(registry, { missing: () => 0, putAside: () => 3 })
  const made = registry.getMetricsAsArray().map(({ name }) => name)
  const page = readFileSync(path.join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8')
  const written = [...page.matchAll(/`(turnpike_gateway_\w+)`/g)].map(([, name]) => name)
  expect(new Set(written)).toEqual(new Set(made))
})
