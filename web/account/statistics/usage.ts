/** The statistics of a period with exact byte counts, and the length of each day's bar. */
import type { Output } from '#contract/contract'
import { bytesFromWire } from '#contract/traffic'

export interface UsageDay {
  /** YYYY-MM-DD, UTC. */
  date: string
  bytes: bigint
  bonusBytes: bigint
  requests: number
  /** The lengths of the two parts of the bar, as shares of the day with the most traffic, 0..1. */
  paidShare: number
  bonusShare: number
}

export interface Usage {
  days: UsageDay[]
  totalBytes: bigint
  paidBytes: bigint
  bonusBytes: bigint
  requests: number
}

/** In the answer, `traffic` is everything charged and `extra_traffic` the part paid by bonus traffic. */
export function usageOf(answer: Output<'legacy_get_statistic'>): Usage {
  const days = answer.usage.map((day) => ({
    date: day.d_usage.slice(0, 10),
    bytes: bytesFromWire(day.traffic),
    bonusBytes: bytesFromWire(day.extra_traffic),
    requests: day.request,
  }))
  const maxBytes = days.reduce((most, day) => (day.bytes > most ? day.bytes : most), 0n)
  const totalBytes = bytesFromWire(answer.total.traffic)
  const bonusBytes = bytesFromWire(answer.total.extra_traffic)
  return {
    days: days.map((day) => ({
      ...day,
      paidShare: share(day.bytes - day.bonusBytes, maxBytes),
      bonusShare: share(day.bonusBytes, maxBytes),
    })),
    totalBytes,
    paidBytes: totalBytes - bonusBytes,
    bonusBytes,
    requests: days.reduce((sum, day) => sum + day.requests, 0),
  }
}

function share(part: bigint, whole: bigint): number {
  return whole === 0n || part <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000
}

/** The open sections in an address, `?open=week,month`; the week without the parameter. */
export function openSectionsIn(value: string | null): Set<string> {
  return new Set(value === null ? ['week'] : value.split(',').filter((each) => each !== ''))
}
