/** Tunnels and requests that wait for bytes of one account. */

interface Waiter {
  /** Charged bytes needed at once. */
  need: number
  resolve: (covered: boolean) => void
}

export class LeaseWaiters {
  #waiting: Waiter[] = []
  #timer: NodeJS.Timeout | null = null

  get count(): number {
    return this.#waiting.length
  }

  /** The largest need of all waiters. */
  get most(): number {
    return this.#waiting.reduce((most, { need }) => Math.max(most, need), 0)
  }

  /** Resolves with true when so many bytes are available, with false when they never will be. */
  add(need: number): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.push({ need, resolve }))
  }

  wake(available: number): void {
    const ready = this.#waiting.filter(({ need }) => need <= available)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter(({ need }) => need > available)
    for (const { resolve } of ready) resolve(true)
  }

  /** Calls `ask` later if something still waits then; one call is scheduled at a time. */
  askIn(ms: number, ask: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.count > 0) ask()
    }, ms)
  }

  cancelAsk(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** No more bytes will be available. */
  giveUp(): void {
    this.cancelAsk()
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve } of waiting) resolve(false)
  }
}
