/**
 * Answers of the feed that are kept for a while and forgotten at once when they change. A question that is asked by
 * many at the same time is asked once, and an answer that was on its way while it changed is not believed.
 */

const KNOWN_MS = 60_000
const UNKNOWN_MS = 2000
const MOST_ENTRIES = 50_000
/** Who is known waits for a server that may be away only this long, and then not again for a moment. */
const PATIENCE_MS = 1000
const RELIED_ON_MS = 2000
/** As many are worth writing down for a restart. */
const MOST_KEPT = 2000

interface Entry<Value> {
  value: Value | null
  until: number
  /** It had grown old, and the feed gave no newer one. */
  relied: boolean
}

export interface AnswersOptions<Key, Value> {
  ask: (key: Key) => Promise<Value | null>
  /** Two keys of one name are the same question. */
  nameOf: (key: Key) => string
  /** Monotonic milliseconds. */
  now?: (() => number) | undefined
  /** An answer that has grown old is better than none: it counts while the feed gives no newer one. */
  keepsGoing?: boolean
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

  /**
   * The answer, or null when there is none. Rejects when the feed does not answer, and nothing is known from before;
   * with `sure`, whatever is known. With `anew` it is asked even when it is known.
   */
  async find(key: Key, how: 'sure' | 'anew' | 'known' = 'known'): Promise<Value | null> {
    const name = this.#options.nameOf(key)
    const entry = this.#entries.get(name)
    const isSure = how !== 'anew' && (entry?.relied !== true || how === 'known')
    if (entry !== undefined && isSure && this.#now() < entry.until) return entry.value
    let asked = this.#asked.get(name)
    if (asked === undefined) {
      asked = this.#ask(name, key)
      this.#asked.set(name, asked)
    }
    if (this.#options.keepsGoing !== true || how !== 'known' || entry === undefined || entry.value === null)
      return await asked
    return await this.#orKnown(name, entry, asked)
  }

  /** Values by name, those asked for last at the end. */
  kept(): [string, Value][] {
    const known = [...this.#entries].flatMap(([name, { value }]): [string, Value][] =>
      value === null ? [] : [[name, value]],
    )
    return known.slice(-MOST_KEPT)
  }

  /** Takes what was known before a restart; it counts while the feed does not answer. */
  restore(kept: readonly [string, Value][]): void {
    const until = this.#now() + RELIED_ON_MS
    for (const [name, value] of kept) this.#entries.set(name, { value, until, relied: true })
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

  /** Every answer may have changed. */
  forgetAll(): void {
    this.#asked.clear()
    if (this.#options.keepsGoing === true) for (const entry of this.#entries.values()) entry.until = -Infinity
    else this.#entries.clear()
  }

  /** What the feed answers, or what is known when it does not. */
  async #orKnown(name: string, entry: Entry<Value>, asked: Promise<Value | null>): Promise<Value | null> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('the feed takes long')), PATIENCE_MS)
    })
    try {
      return await Promise.race([asked, tooLate])
    } catch (fault) {
      // Forgotten meanwhile: it is known to be no longer true.
      if (this.#entries.get(name) !== entry) throw fault
      entry.until = this.#now() + RELIED_ON_MS
      entry.relied = true
      return entry.value
    } finally {
      clearTimeout(timer)
    }
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
    const until = this.#now() + (value === null ? UNKNOWN_MS : KNOWN_MS)
    this.#entries.set(name, { value, until, relied: false })
  }
}
