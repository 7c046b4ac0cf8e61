/** How busy this worker was lately: the share of time in which its event loop did not wait for anything. */

import { performance } from 'node:perf_hooks'

const WINDOW_MS = 100

/** Measured over windows of a tenth of a second. A thread that waits for a processor counts as busy. */
export class BusyShare {
  /** From 0 to 1, of the last complete window. */
  share = 0
  #last = performance.eventLoopUtilization()
  #timer: NodeJS.Timeout | null = null

  start(): void {
    this.#timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      this.share = performance.eventLoopUtilization(now, this.#last).utilization
      this.#last = now
    }, WINDOW_MS).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }
}
