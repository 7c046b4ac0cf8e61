/**
 * Permits for connections under a limit that is kept elsewhere, for several holders: this side holds some, requests more
 * when all are in use, and gives idle ones back after a moment.
 */

/** When giving back failed it is tried again after this time. */
const RETRY_MS = 1000

interface Held {
  /** The limit, as last known. */
  most: number
  /** Permits that may be used. */
  granted: number
  /** Permits that may be counted as this side's elsewhere: more than granted after a request that was not answered. */
  counted: number
  /** Connections that are about to be opened. */
  entering: number
  timer: NodeJS.Timeout | null
  /** Requests for one limit are made one after the other, so that the last answer is valid. */
  requesting: Promise<unknown>
}

export interface PermitPoolOptions {
  /** How many connections are open on this side. */
  open: (id: bigint) => number
  /** Reports how many permits are needed; resolves with how many of them are granted. */
  request: (id: bigint, need: { most: number; want: number }) => Promise<number>
  /** A permit that has become idle is kept this long, because it is mostly used again. */
  idleMs: number
  /** Giving back failed, and is tried again. */
  onFault: (fault: unknown) => void
}

export class PermitPool {
  readonly #options: PermitPoolOptions
  readonly #held = new Map<bigint, Held>()
  #isClosed = false

  constructor(options: PermitPoolOptions) {
    this.#options = options
  }

  /** Whether permits of this limit are held or needed. */
  has(id: bigint): boolean {
    return this.#held.has(id)
  }

  /** How many connections are open or about to be. */
  needed(id: bigint): number {
    return this.#options.open(id) + (this.#held.get(id)?.entering ?? 0)
  }

  /**
   * Announces one more connection, which `covers` then judges. The returned function is to be called in the moment in
   * which the connection is open, or will not be.
   */
  enter(id: bigint, most: number): () => void {
    const held = this.#of(id, most)
    held.entering++
    return () => {
      held.entering--
      this.left(id)
    }
  }

  /** Whether everything open or about to be has a permit; requests more when not. */
  async covers(id: bigint): Promise<boolean> {
    const held = this.#held.get(id)
    if (held === undefined) return false
    if (this.needed(id) > held.granted) await this.#update(id, held, 'changed')
    return this.needed(id) <= held.granted
  }

  /** Reports how many permits are needed, changed or not; resolves with how many are granted. */
  async report(id: bigint, most: number): Promise<number> {
    const held = this.#of(id, most)
    await this.#update(id, held, 'always')
    return held.granted
  }

  /** Another holder needs permits of this limit: idle ones are given back at once. */
  recalled(id: bigint): void {
    const held = this.#held.get(id)
    if (held !== undefined) this.#update(id, held, 'always').catch(this.#options.onFault)
  }

  /** A connection was closed: its permit is given back soon, unless it is used again before. */
  left(id: bigint): void {
    // Called with every connection that is closed, and mostly nothing is limited.
    if (this.#held.size === 0) return
    const held = this.#held.get(id)
    if (held !== undefined) this.#checkLater(id, held, this.#options.idleMs)
  }

  /** The limit no longer exists. */
  drop(id: bigint): void {
    const timer = this.#held.get(id)?.timer ?? null
    if (timer !== null) clearTimeout(timer)
    this.#held.delete(id)
  }

  /** All connections are closed: everything is given back at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(
      [...this.#held].map(async ([id, held]) => {
        if (held.timer !== null) clearTimeout(held.timer)
        await this.#update(id, held, 'always').catch(this.#options.onFault)
      }),
    )
  }

  #of(id: bigint, most: number): Held {
    let held = this.#held.get(id)
    if (held === undefined) {
      held = { most, granted: 0, counted: 0, entering: 0, timer: null, requesting: Promise.resolve() }
      this.#held.set(id, held)
    }
    held.most = most
    return held
  }

  #checkLater(id: bigint, held: Held, afterMs: number): void {
    if (this.#isClosed) return
    held.timer ??= setTimeout(() => {
      held.timer = null
      if (this.needed(id) < held.counted) this.#update(id, held, 'changed').catch(this.#options.onFault)
      else if (held.counted === 0 && held.entering === 0) this.#held.delete(id)
    }, afterMs).unref()
  }

  #update(id: bigint, held: Held, when: 'always' | 'changed'): Promise<void> {
    const updating = held.requesting.then(() => this.#request(id, held, when))
    held.requesting = updating.catch(() => undefined)
    return updating
  }

  async #request(id: bigint, held: Held, when: 'always' | 'changed'): Promise<void> {
    const want = this.needed(id)
    // An earlier request may have been granted enough for all.
    if (when === 'changed' && want === held.granted && want === held.counted) return
    // Permits that are being given back are not used meanwhile.
    held.granted = Math.min(held.granted, want)
    held.counted = Math.max(held.counted, want)
    let checkMs = RETRY_MS
    try {
      held.granted = await this.#options.request(id, { most: held.most, want })
      held.counted = held.granted
      checkMs = this.#options.idleMs
    } finally {
      this.#checkLater(id, held, checkMs)
    }
  }
}
