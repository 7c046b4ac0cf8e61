/**
 * The most tunnels and requests that each account had open at a time, reported once a minute. A session costs
 * one comparison.
 */
import type { OpenPeak } from '#feed/open.peaks'

const MINUTE_MS = 60_000

/** A lease of an account, with its sessions. */
interface Held {
  readonly access: bigint
  readonly holders: number
  peak: number
}

export class OpenPeaks {
  readonly #leases: () => Iterable<Held>
  readonly #clock: () => number
  /** Peaks of closed leases, and peaks that could not be reported. */
  readonly #kept = new Map<bigint, number>()
  #minute: number

  constructor(leases: () => Iterable<Held>, clock: () => number = Date.now) {
    this.#leases = leases
    this.#clock = clock
    this.#minute = Math.floor(clock() / MINUTE_MS)
  }

  /** A lease is forgotten: its peak is kept for the next report. */
  ended({ access, peak }: Held): void {
    if (peak > 0) this.#keep(access, peak)
  }

  /**
   * Returns the peaks since the last report at the first call in a minute, and nothing at its other calls.
   */
  take(): OpenPeak[] {
    const minute = Math.floor(this.#clock() / MINUTE_MS)
    if (minute === this.#minute) return []
    this.#minute = minute
    for (const lease of this.#leases()) {
      if (lease.peak > 0) this.#keep(lease.access, lease.peak)
      lease.peak = lease.holders
    }
    const peaks = [...this.#kept].map(([access, peak]) => ({ access, peak }))
    this.#kept.clear()
    return peaks
  }

  /** Keeps peaks that could not be reported for the next minute. */
  giveBack(peaks: readonly OpenPeak[]): void {
    for (const { access, peak } of peaks) this.#keep(access, peak)
  }

  #keep(access: bigint, peak: number): void {
    if (peak > (this.#kept.get(access) ?? 0)) this.#kept.set(access, peak)
  }
}
