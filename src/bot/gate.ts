/** Limits concurrency, and serialises the work of each chat in the order of arrival. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []
  readonly #lastOfChat = new Map<number, Promise<unknown>>()

  constructor(width: number) {
    this.#free = width
  }

  async pass<T>(chatId: number, work: () => Promise<T>): Promise<T> {
    const before = this.#lastOfChat.get(chatId)
    const mine = this.#after(before, work)
    this.#lastOfChat.set(chatId, mine)
    try {
      return await mine
    } finally {
      if (this.#lastOfChat.get(chatId) === mine) this.#lastOfChat.delete(chatId)
    }
  }

  async #after<T>(before: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
    // Its failure is handled by its caller.
    await Promise.allSettled([before])
    if (this.#free > 0) this.#free--
    else await new Promise<void>((enter) => this.#waiting.push(enter))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
