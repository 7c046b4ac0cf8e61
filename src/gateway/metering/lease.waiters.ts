/** Who waits for bytes of one account. */

interface Waiter {
  /** Charged bytes needed at once. */
  need: number
  resolve: (covered: boolean) => void
}

export class Waiters {
  #waiting: Waiter[] = []
  #timer: NodeJS.Timeout | null = null

  get count(): number {
    return this.#waiting.length
  }

  /** What the one who needs most needs. */
  get most(): number {
    return this.#waiting.reduce((most, { need }) => Math.max(most, need), 0)
  }

  /** Resolves with true when so many are there, with false when they never will be. */
  add(need: number): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.push({ need, resolve }))
  }

  /** So many are there now. */
  wake(available: number): void {
    const ready = this.#waiting.filter(({ need }) => need <= available)
    if (ready.length === 0) return
    this.#waiting = this.#waiting.filter(({ need }) => need > available)
    for (const { resolve } of ready) resolve(true)
  }

  /** Has them asked for in a while, should somebody wait still. */
  askIn(ms: number, ask: () => void): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      if (this.count > 0) ask()
    }, ms)
  }

  /** They are asked for already. */
  calm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** No more are to come. */
  giveUp(): void {
    this.calm()
    const waiting = this.#waiting
    this.#waiting = []
    for (const { resolve } of waiting) resolve(false)
  }
}
