/** The figures of the card of activity. */
export interface ActivityBar {
  key: string
  /** The time, formatted for display. */
  at: string
  value: number
}

/** Requests of a minute as requests per second, to two decimals, never down to none. */
export function perSecond(requests: number): number {
  if (requests === 0) return 0
  return Math.max(0.01, Math.round((requests / 60) * 100) / 100)
}
