/**
 * Permits for connections under a limit that is kept elsewhere, for several holders: this side holds some,
 * requests more when all are in use, and returns idle ones after a short time.
 */

/** After a failed return the next attempt is made after this time. */
const RETRY_MS = 1000

interface Held {
  /** The limit, as last known. */
  most: number
  /** Permits that may be used. */
  granted: number
  /**
   * Permits that the granting side may count as this side's: more than granted after an unanswered request.
   */
  counted: number
  /** Connections that are about to be opened. */
  entering: number
  timer: NodeJS.Timeout | null
  /** Requests for one limit are made one after the other, so that the last answer is valid. */
  requesting: Promise<unknown>
}

export interface PermitPoolOptions {
  /** The number of connections open on this side. */
  open: (id: bigint) => number
  /** Reports the number of permits needed; resolves with the number granted. */
  request: (id: bigint, need: { most: number; want: number }) => Promise<number>
  /** The time for which an idle permit is kept, because it is mostly used again. */
  idleMs: number
  /** A return failed, and is tried again. */
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

  /** The number of connections that are open or about to be. */
  needed(id: bigint): number {
    return this.#options.open(id) + (this.#held.get(id)?.entering ?? 0)
  }

  /**
   * Announces one more connection, which `covers` then judges. The caller calls the returned function when
   * the connection is open, or when it is certain that it will not be.
   */
  enter(id: bigint, most: number): () => void {
    const held = this.#of(id, most)
    held.entering++
    return () => {
      held.entering--
      this.left(id)
    }
  }

  /** Whether all connections that are open or about to be have a permit; requests more if not. */
  async covers(id: bigint): Promise<boolean> {
    const held = this.#held.get(id)
    if (held === undefined) return false
    if (this.needed(id) > held.granted) await this.#update(id, held, 'changed')
    return this.needed(id) <= held.granted
  }

  /** Reports the number of permits needed, changed or not; resolves with the number granted. */
  async report(id: bigint, most: number): Promise<number> {
    const held = this.#of(id, most)
    await this.#update(id, held, 'always')
    return held.granted
  }

  /** Another holder needs permits of this limit: idle ones are returned immediately. */
  recalled(id: bigint): void {
    const held = this.#held.get(id)
    if (held !== undefined) this.#update(id, held, 'always').catch(this.#options.onFault)
  }

  /** A connection was closed: its permit is returned soon, unless it is used again before. */
  left(id: bigint): void {
    // Called for every closed connection; most have no limit.
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

  /** All connections are closed: all permits are returned immediately. */
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
    // Permits that are being returned are not used in the meantime.
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
