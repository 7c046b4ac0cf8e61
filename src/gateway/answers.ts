/**
 * Answers of the feed that are kept for a while and forgotten at once when they change. A question that is asked by
 * many at the same time is asked once, and an answer that was on its way while it changed is not believed.
 */

const KNOWN_MS = 60_000
const UNKNOWN_MS = 2000
const MOST_ENTRIES = 50_000

interface Entry<Value> {
  value: Value | null
  until: number
}

export interface AnswersOptions<Key, Value> {
  ask: (key: Key) => Promise<Value | null>
  /** Two keys of one name are the same question. */
  nameOf: (key: Key) => string
  /** Monotonic milliseconds. */
  now?: (() => number) | undefined
}

export class Answers<Key, Value> {
  readonly #options: AnswersOptions<Key, Value>
  readonly #now: () => number
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #asked = new Map<string, Promise<Value | null>>()

  constructor(options: AnswersOptions<Key, Value>) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** The answer, or null when there is none. Rejects when the feed does not answer. */
  async find(key: Key): Promise<Value | null> {
    const name = this.#options.nameOf(key)
    const entry = this.#entries.get(name)
    if (entry !== undefined && this.#now() < entry.until) return entry.value
    let asked = this.#asked.get(name)
    if (asked === undefined) {
      asked = this.#ask(name, key)
      this.#asked.set(name, asked)
    }
    return await asked
  }

  forget(key: Key): void {
    const name = this.#options.nameOf(key)
    this.#entries.delete(name)
    this.#asked.delete(name)
  }

  /** Forgets what is chosen by name and value; the value is undefined while the answer is on its way. */
  forgetWhere(chosen: (name: string, value: Value | null | undefined) => boolean): void {
    for (const [name, { value }] of this.#entries) if (chosen(name, value)) this.#entries.delete(name)
    for (const name of this.#asked.keys()) if (chosen(name, undefined)) this.#asked.delete(name)
  }

  forgetAll(): void {
    this.#entries.clear()
    this.#asked.clear()
  }

  async #ask(name: string, key: Key): Promise<Value | null> {
    // Yields first, so that the promise is in #asked before it can settle.
    await Promise.resolve()
    const mine = this.#asked.get(name)
    try {
      const value = await this.#options.ask(key)
      if (this.#asked.get(name) === mine) {
        this.#remember(name, value)
        return value
      }
      // It was changed while the answer was on its way: only a later answer is sure to know.
      return await this.find(key)
    } finally {
      if (this.#asked.get(name) === mine) this.#asked.delete(name)
    }
  }

  #remember(name: string, value: Value | null): void {
    // A map keeps the order of insertion: the first key is the one looked up longest ago.
    this.#entries.delete(name)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= MOST_ENTRIES && oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(name, { value, until: this.#now() + (value === null ? UNKNOWN_MS : KNOWN_MS) })
  }
}
