/** A statistics answer as the screen needs it: exact bytes, and each day's share of the longest. */
import type { Output } from '#contract/contract'
import { bytesFromWire } from '#contract/traffic'

export interface UsageDay {
  /** YYYY-MM-DD, UTC. */
  date: string
  bytes: bigint
  bonusBytes: bigint
  requests: number
  /** Shares of the longest day, 0..1; together the whole day. */
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

/** `traffic` is all that was charged, `extra_traffic` the part of it that bonus paid. */
export function usageOf(answer: Output<'legacy_get_statistic'>): Usage {
  const raw = answer.usage.map((day) => ({
    date: day.d_usage.slice(0, 10),
    bytes: bytesFromWire(day.traffic),
    bonusBytes: bytesFromWire(day.extra_traffic),
    requests: day.request,
  }))
  const longest = raw.reduce((most, day) => (day.bytes > most ? day.bytes : most), 0n)
  const totalBytes = bytesFromWire(answer.total.traffic)
  const bonusBytes = bytesFromWire(answer.total.extra_traffic)
  return {
    days: raw.map((day) => ({
      ...day,
      paidShare: share(day.bytes - day.bonusBytes, longest),
      bonusShare: share(day.bonusBytes, longest),
    })),
    totalBytes,
    paidBytes: totalBytes - bonusBytes,
    bonusBytes,
    requests: raw.reduce((sum, day) => sum + day.requests, 0),
  }
}

function share(part: bigint, whole: bigint): number {
  return whole === 0n || part <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000
}

/** The opened sections an address names: `?open=week,month`; the week when it says nothing. */
export function openedFromAddress(value: string | null): Set<string> {
  return new Set(value === null ? ['week'] : value.split(',').filter((each) => each !== ''))
}
