/** Writes down, every few seconds, what a restart would need while the server is away. */

import type { Engine } from '../engine.ts'
import type { Resumed } from './resume.ts'
import type { Known, Snapshot } from './offline.state.ts'

const LEASES_EVERY_MS = 2000
/** Accounts, exits and the rest change seldom. */
const KNOWN_EVERY_TURNS = 5

export class Keeper {
  readonly #snapshot: Snapshot
  readonly #boot: string
  readonly #onFault: (fault: unknown) => void
  #savedThrough: number
  #timer: NodeJS.Timeout | null = null
  #turn = 0
  #isOver = false

  constructor(options: {
    snapshot: Snapshot
    boot: string
    resumed: Resumed | null
    onFault: (fault: unknown) => void
  }) {
    this.#snapshot = options.snapshot
    this.#boot = options.boot
    this.#onFault = options.onFault
    this.#savedThrough = options.resumed?.savedThrough ?? Infinity
  }

  /** Reports with a higher number stay in the journal, settled or not: they are what the sheet of leases lacks. */
  get savedThrough(): number {
    return this.#savedThrough
  }

  start(engine: Engine): void {
    this.#timer = setInterval(() => {
      if (this.#turn++ % KNOWN_EVERY_TURNS === 0) this.#saveKnown(engine)
      this.#saveLeases(engine)
    }, LEASES_EVERY_MS)
    this.#timer.unref()
  }

  /** The leases are about to be given back: from now on nobody may go on with them. */
  drop(): void {
    this.#isOver = true
    this.#snapshot.dropLeases()
    this.#savedThrough = Infinity
  }

  /** The process ends. */
  stop(engine: Engine): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#saveKnown(engine)
    this.#saveLeases(engine)
    this.#isOver = true
  }

  #saveLeases({ meter, reporter }: Engine): void {
    // A report that the disk has not taken has a number, but may never be made.
    if (this.#isOver || !reporter.healthy) return
    const { sequence } = reporter
    try {
      this.#snapshot.saveLeases({ boot: this.#boot, sequence, leases: meter.kept() })
      this.#savedThrough = sequence
    } catch (fault) {
      this.#onFault(fault)
    }
  }

  #saveKnown({ accounts, exits, stored }: Engine): void {
    try {
      this.#snapshot.saveKnown({ ...accounts.kept(), exits: [...exits.all], places: stored.kept() })
    } catch (fault) {
      this.#onFault(fault)
    }
  }
}

/** Puts back what was known, until the server answers. */
export function restore({ accounts, exits, stored }: Engine, known: Known): void {
  accounts.restore(known)
  stored.restore(known.places)
  exits.restore(known.exits)
  void exits.refresh()
}
