/** The gateways by name, as the database knows them, read when metrics are asked for. */
import { Gauge, type Registry } from 'prom-client'
import { type Database, isDatabaseAway } from '#db'
import { type KnownGateway, listGateways } from '#traffic'

interface Series {
  name: string
  help: string
  labels: (gateway: KnownGateway) => Record<string, string>
  value: (gateway: KnownGateway, nowMs: number) => number
}

const byName = ({ name }: KnownGateway) => ({ gateway: name })

const series: Series[] = [
  {
    name: 'info',
    help: '1 for each gateway, with its version and address.',
    labels: ({ name, version, address }) => ({
      gateway: name,
      version,
      address,
    }),
    value: () => 1,
  },
  {
    name: 'up',
    help: '1 for a gateway that was heard of in the last 15 seconds and has not stopped.',
    labels: byName,
    value: ({ state }) => (state === 'silent' || state === 'stopped' ? 0 : 1),
  },
  {
    name: 'silent_seconds',
    help: 'For how long a gateway has told nothing.',
    labels: byName,
    value: ({ seenAt }, nowMs) => Math.max(0, (nowMs - seenAt.getTime()) / 1000),
  },
  {
    name: 'reports_waiting',
    help: 'Reports of a gateway that are not settled, as it last told.',
    labels: byName,
    value: ({ reportsWaiting }) => reportsWaiting,
  },
  {
    name: 'draining',
    help: '1 for a gateway that the operator wants drained.',
    labels: byName,
    value: ({ drainAskedAt }) => (drainAskedAt === null ? 0 : 1),
  },
]

/**
 * Registers the series. While the database is unavailable they are absent. `registry` is null where no
 * metrics are served.
 */
export function gatewaysMetrics(database: Pick<Database, 'db' | 'clock'>, registry: Registry | null): void {
  if (registry === null) return
  // One query for all series of one page.
  let reading: Promise<KnownGateway[]> | undefined
  const read = () => {
    reading ??= listGateways(database.db)
      .catch((error: unknown) => {
        if (isDatabaseAway(error)) return []
        throw error
      })
      .finally(() => (reading = undefined))
    return reading
  }
  for (const { name, help, labels, value } of series) {
    const gauge: Gauge<string> = new Gauge({
      name: `turnpike_gateways_${name}`,
      help,
      labelNames: name === 'info' ? ['gateway', 'version', 'address'] : ['gateway'],
      registers: [registry],
      collect: async () => {
        const found = await read()
        gauge.reset()
        for (const gateway of found) {
          gauge.set(labels(gateway), value(gateway, database.clock.now().getTime()))
        }
      },
    })
  }
}
