/**
 * An account's bytes by exit, until they are reported. It divides what the account's lease
 * charges and never decides it: the parts add up to the whole at any time.
 */

/** The bytes that passed through one exit since the last report. */
export class ExitUse {
  /** Null: no exit, or it is not known. */
  readonly exit: bigint | null
  /** Charged bytes. */
  charged = 0
  /** Payload bytes in both directions, those that cost nothing included. */
  relayed = 0
  requests = 0
  /** Whether it is in the list of changed uses. */
  isChanged = false

  constructor(exit: bigint | null) {
    this.exit = exit
  }
}

export class ExitUses {
  readonly unknown = new ExitUse(null)
  /** Uses by exit; never more than there are exits. */
  readonly #known = new Map<bigint, ExitUse>()
  #changed: ExitUse[] = []
  /** The use to which bytes were charged last. */
  #last = this.unknown

  of(exit: bigint): ExitUse {
    let use = this.#known.get(exit)
    if (use === undefined) this.#known.set(exit, (use = new ExitUse(exit)))
    return use
  }

  add(use: ExitUse, charged: number, relayed: number, requests: number): void {
    use.charged += charged
    use.relayed += relayed
    use.requests += requests
    this.#last = use
    if (use.isChanged) return
    use.isChanged = true
    this.#changed.push(use)
  }

  /** Charges bytes whose exit is not known here, to the exit of the last charge, which is mostly right. */
  addReserved(charged: number): void {
    if (charged > 0) this.add(this.#last, charged, 0, 0)
  }

  /** Returns the uses that changed since the last call; the caller reads them and then sets them to zero. */
  take(): ExitUse[] {
    const changed = this.#changed
    this.#changed = []
    for (const use of changed) use.isChanged = false
    return changed
  }
}
