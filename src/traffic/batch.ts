import { setImmediate } from 'node:timers/promises'

interface Waiting<T> {
  item: T
  isUrgent: boolean
  resolve: () => void
  reject: (fault: unknown) => void
}

export interface BatcherOptions<T> {
  work: (items: T[]) => Promise<void>
  /**
   * The items to reject when a batch fails, before the others are tried again; none: the whole batch is
   * rejected.
   */
  culprits: (fault: unknown) => readonly T[]
  /** Whether a single unknown item may be the cause: then the batch is halved until that item is alone. */
  mayBeOne: (fault: unknown) => boolean
  /** The largest number of items in a batch; when as many wait, it begins at once. */
  most: number
  /** The least time between the beginnings of two batches, unless an urgent item is waiting. */
  everyMs: number
  isUrgent: (item: T) => boolean
}

/**
 * Collects items that arrive while a batch is being processed, or soon after, into the next batch, in the
 * order of arrival.
 */
export class Batcher<T> {
  readonly #options: BatcherOptions<T>
  #waiting: Waiting<T>[] = []
  #isRunning = false
  #begunAt = -Infinity
  /** Set while a batch is delayed: checks whether it may begin. */
  #lookAgain: (() => void) | null = null
  #whenIdle: (() => void)[] = []

  constructor(options: BatcherOptions<T>) {
    this.#options = options
  }

  /** Resolves when the item is processed, rejects with the error that prevented it. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, isUrgent: this.#options.isUrgent(item), resolve, reject })
      if (this.#isRunning) this.#lookAgain?.()
      else void this.#run()
    })
  }

  /** Resolves when no item is waiting or being processed; until then batches begin without delay. */
  idle(): Promise<void> {
    if (!this.#isRunning) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve)
      this.#lookAgain?.()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await this.#untilDue()
      // Items of the same turn of the event loop belong in one batch.
      await setImmediate()
      this.#begunAt = performance.now()
      await this.#doTogether(this.#waiting.splice(0, this.#options.most))
    }
    this.#isRunning = false
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #untilDue(): Promise<void> {
    const leftMs = this.#begunAt + this.#options.everyMs - performance.now()
    if (leftMs <= 0 || this.#mayNotWait()) return Promise.resolve()
    return new Promise((resolve) => {
      const due = () => {
        clearTimeout(timer)
        this.#lookAgain = null
        resolve()
      }
      const timer = setTimeout(due, leftMs)
      this.#lookAgain = () => {
        if (this.#mayNotWait()) due()
      }
    })
  }

  #mayNotWait(): boolean {
    return (
      this.#waiting.length >= this.#options.most ||
      this.#whenIdle.length > 0 ||
      this.#waiting.some((one) => one.isUrgent)
    )
  }

  async #doTogether(batch: Waiting<T>[]): Promise<void> {
    try {
      await this.#options.work(batch.map((one) => one.item))
      for (const one of batch) one.resolve()
    } catch (fault) {
      const culprits = new Set(this.#options.culprits(fault))
      const guilty = batch.filter((one) => culprits.has(one.item))
      if (guilty.length > 0) {
        for (const one of guilty) one.reject(fault)
        const innocent = batch.filter((one) => !culprits.has(one.item))
        if (innocent.length > 0) await this.#doTogether(innocent)
      } else if (batch.length > 1 && this.#options.mayBeOne(fault)) {
        const half = Math.ceil(batch.length / 2)
        await this.#doTogether(batch.slice(0, half))
        await this.#doTogether(batch.slice(half))
      } else {
        for (const one of batch) one.reject(fault)
      }
    }
  }
}
