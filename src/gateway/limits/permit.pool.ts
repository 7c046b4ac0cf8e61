/**
 * Places for connections that are counted elsewhere, for all who share a limit: we hold some, ask for one more when all are
 * in use, and give back those that have lain idle for a moment.
 */

/** Who did not hear what we gave back is told again. */
const AGAIN_MS = 1000

interface Held {
  /** The limit, as it was last known. */
  most: number
  /** We may have so many. */
  granted: number
  /** So many may be counted as ours: more than we may have, after a question that nobody answered. */
  counted: number
  /** Connections that are about to be counted here. */
  entering: number
  timer: NodeJS.Timeout | null
  /** Questions of one limit are asked one after the other: the last answer is the truth. */
  asking: Promise<unknown>
}

export interface AllotmentOptions {
  /** How many connections are open here. */
  open: (id: bigint) => number
  /** Says how many are needed; resolves with how many of them may be had. */
  ask: (id: bigint, needs: { most: number; want: number }) => Promise<number>
  /** What has just become idle is mostly used again, within this time. */
  idleMs: number
  /** Giving back has failed; it is tried again. */
  onFault: (fault: unknown) => void
}

export class Allotment {
  readonly #options: AllotmentOptions
  readonly #held = new Map<bigint, Held>()
  #closed = false

  constructor(options: AllotmentOptions) {
    this.#options = options
  }

  /** Whether anything is held or needed of this limit. */
  has(id: bigint): boolean {
    return this.#held.has(id)
  }

  /** How many connections are open or about to be. */
  needed(id: bigint): number {
    return this.#options.open(id) + (this.#held.get(id)?.entering ?? 0)
  }

  /**
   * One more connection is about to be: call what comes back in the moment in which it is open, or will not be. Whether
   * it may be is what `covers` says.
   */
  enter(id: bigint, most: number): () => void {
    const held = this.#of(id, most)
    held.entering++
    return () => {
      held.entering--
      this.left(id)
    }
  }

  /** Whether there is a place for everything that is open or about to be; asks for more when there is not. */
  async covers(id: bigint): Promise<boolean> {
    const held = this.#held.get(id)
    if (held === undefined) return false
    if (this.needed(id) > held.granted) await this.#tell(id, held, 'changed')
    return this.needed(id) <= held.granted
  }

  /** Says how many are needed, whether that has changed or not; resolves with how many may be had. */
  async tell(id: bigint, most: number): Promise<number> {
    const held = this.#of(id, most)
    await this.#tell(id, held, 'always')
    return held.granted
  }

  /** Somebody else needs places of this limit: what is idle goes back at once. */
  recalled(id: bigint): void {
    const held = this.#held.get(id)
    if (held !== undefined) this.#tell(id, held, 'always').catch(this.#options.onFault)
  }

  /** A connection has ended: its place goes back soon, or serves the next one until then. */
  left(id: bigint): void {
    // With every connection that ends, and mostly nobody has a limit.
    if (this.#held.size === 0) return
    const held = this.#held.get(id)
    if (held !== undefined) this.#lookAgain(id, held, this.#options.idleMs)
  }

  /** The limit is no more. */
  drop(id: bigint): void {
    const timer = this.#held.get(id)?.timer ?? null
    if (timer !== null) clearTimeout(timer)
    this.#held.delete(id)
  }

  /** Everything has ended: what is held goes back without waiting. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(
      [...this.#held].map(async ([id, held]) => {
        if (held.timer !== null) clearTimeout(held.timer)
        await this.#tell(id, held, 'always').catch(this.#options.onFault)
      }),
    )
  }

  #of(id: bigint, most: number): Held {
    let held = this.#held.get(id)
    if (held === undefined) {
      held = { most, granted: 0, counted: 0, entering: 0, timer: null, asking: Promise.resolve() }
      this.#held.set(id, held)
    }
    held.most = most
    return held
  }

  #lookAgain(id: bigint, held: Held, afterMs: number): void {
    if (this.#closed) return
    held.timer ??= setTimeout(() => {
      held.timer = null
      if (this.needed(id) < held.counted) this.#tell(id, held, 'changed').catch(this.#options.onFault)
      else if (held.counted === 0 && held.entering === 0) this.#held.delete(id)
    }, afterMs).unref()
  }

  #tell(id: bigint, held: Held, how: 'always' | 'changed'): Promise<void> {
    const telling = held.asking.then(() => this.#ask(id, held, how))
    held.asking = telling.catch(() => undefined)
    return telling
  }

  async #ask(id: bigint, held: Held, how: 'always' | 'changed'): Promise<void> {
    const want = this.needed(id)
    // Somebody who asked before has been given enough for all.
    if (how === 'changed' && want === held.granted && want === held.counted) return
    // What is given back is not used while that is on its way.
    held.granted = Math.min(held.granted, want)
    held.counted = Math.max(held.counted, want)
    let lookAgainMs = AGAIN_MS
    try {
      held.granted = await this.#options.ask(id, { most: held.most, want })
      held.counted = held.granted
      lookAgainMs = this.#options.idleMs
    } finally {
      this.#lookAgain(id, held, lookAgainMs)
    }
  }
}
