/** Saves the offline state every few seconds. */

import type { KeptLease } from './kept.lease.ts'
import type { KnownData, OfflineState } from './offline.state.ts'

const LEASES_EVERY_MS = 2000
/** Accounts and exits change seldom: they are saved with every fifth save of the leases. */
const KNOWN_EVERY_TURNS = 5

/** The saved state. */
export interface SaverSources {
  leases: () => KeptLease[]
  reporter: { readonly healthy: boolean; readonly sequence: number }
  known: () => KnownData
}

export class OfflineSaver {
  readonly #state: OfflineState
  readonly #boot: string
  readonly #onFault: (fault: unknown) => void
  #savedThrough: number
  #timer: NodeJS.Timeout | null = null
  #turn = 0
  #isOver = false

  constructor(options: {
    state: OfflineState
    boot: string
    /** The number of the last report that the leases on the disk include; null: there are none. */
    savedThrough: number | null
    onFault: (fault: unknown) => void
  }) {
    this.#state = options.state
    this.#boot = options.boot
    this.#onFault = options.onFault
    this.#savedThrough = options.savedThrough ?? Infinity
  }

  /**
   * Reports with a higher number stay in the journal, settled or not: the saved leases do not include them.
   */
  get savedThrough(): number {
    return this.#savedThrough
  }

  start(sources: SaverSources): void {
    this.#timer = setInterval(() => {
      if (this.#turn++ % KNOWN_EVERY_TURNS === 0) this.#saveKnown(sources)
      this.#saveLeases(sources)
    }, LEASES_EVERY_MS)
    this.#timer.unref()
  }

  /** The leases are about to be given back: no later start may spend them. */
  drop(): void {
    this.#isOver = true
    this.#state.dropLeases()
    this.#savedThrough = Infinity
  }

  /** Saves for the last time. */
  stop(sources: SaverSources): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#saveKnown(sources)
    this.#saveLeases(sources)
    this.#isOver = true
  }

  #saveLeases({ leases, reporter }: SaverSources): void {
    // A report that could not be written to the journal has a number, but may never be sent.
    if (this.#isOver || !reporter.healthy) return
    const { sequence } = reporter
    try {
      this.#state.saveLeases({ boot: this.#boot, sequence, leases: leases() })
      this.#savedThrough = sequence
    } catch (error) {
      this.#onFault(error)
    }
  }

  #saveKnown({ known }: SaverSources): void {
    try {
      this.#state.saveKnown(known())
    } catch (error) {
      this.#onFault(error)
    }
  }
}
