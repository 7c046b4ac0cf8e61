/** The sums of the gateways' reports. */
import type { DeskOutput } from '#contract/desk/contract'

type Gateways = DeskOutput<'gateways'>

/** Open tunnels and requests of all workers. */
export const tunnelsOf = (gateways: Gateways): number =>
  gateways.flatMap(({ workers }) => workers).reduce((sum, { tunnels }) => sum + (tunnels ?? 0), 0)

/** Bits per second through all workers. */
export const bitRateOf = (gateways: Gateways): bigint =>
  gateways
    .flatMap(({ workers }) => workers)
    .reduce((sum, { bits_per_second: bits }) => sum + BigInt(bits ?? 0), 0n)

/** A duration in two suitable units. */
export function uptimeOf(startedAt: string, now: number) {
  const minutes = Math.max(0, Math.floor((now - Date.parse(startedAt)) / 60_000))
  const hours = Math.floor(minutes / 60)
  if (hours >= 24) return { unit: 'days', days: Math.floor(hours / 24), hours: hours % 24 } as const
  if (hours > 0) return { unit: 'hours', hours, minutes: minutes % 60 } as const
  return { unit: 'minutes', minutes } as const
}
