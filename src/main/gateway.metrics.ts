import { Gauge, type Registry } from 'prom-client'

/**
 * The workers' own counters on the server's /metrics, a series per worker. They are shown as they were last told,
 * every few seconds; a worker that died shows nothing.
 */
export function gatewayMetrics(registry: Registry) {
  const gauges = new Map<string, Gauge>()
  const gaugeOf = (name: string) => {
    const known = gauges.get(name)
    if (known !== undefined) return known
    const gauge = new Gauge({
      name: `turnpike_gateway_${name}`,
      help: `Of a gateway worker: ${name.replaceAll('_', ' ')}.`,
      labelNames: ['worker'],
      registers: [registry],
    })
    gauges.set(name, gauge)
    return gauge
  }
  return (index: number) => (stats: Record<string, number> | null) => {
    const worker = String(index)
    if (stats === null) for (const gauge of gauges.values()) gauge.remove({ worker })
    else for (const [name, value] of Object.entries(stats)) gaugeOf(name).set({ worker }, value)
  }
}
