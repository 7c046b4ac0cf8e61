/** The other end of `headcount.ts`, in the process that started the workers: adds up what they tell of their counts. */

import { BATCH_MS } from './shared.counter.ts'

type Counts = [key: string, count: number][]

interface Teller {
  say: (counts: Counts) => void
  /** What it has told. */
  told: Map<string, number>
  /** What it has heard of all others together. */
  heard: Map<string, number>
}

/** Counts of one kind. */
export class Census {
  readonly #tellers = new Set<Teller>()
  readonly #totals = new Map<string, number>()
  readonly #due = new Set<string>()

  /** One worker more: it hears at once what the others have. */
  join(say: (counts: Counts) => void): { told: (counts: Counts) => void; leave: () => void } {
    const teller: Teller = { say, told: new Map(), heard: new Map() }
    this.#tellers.add(teller)
    this.#tell(teller, this.#totals.keys())
    return {
      told: (counts) => {
        for (const [key, count] of counts) this.#note(teller, key, count)
      },
      leave: () => {
        this.#tellers.delete(teller)
        for (const key of teller.told.keys()) this.#note(teller, key, 0)
      },
    }
  }

  #note(teller: Teller, key: string, count: number): void {
    const total = (this.#totals.get(key) ?? 0) + count - (teller.told.get(key) ?? 0)
    put(teller.told, key, count)
    put(this.#totals, key, total)
    if (this.#due.size === 0) setTimeout(() => this.#tellAll(), BATCH_MS).unref()
    this.#due.add(key)
  }

  #tellAll(): void {
    for (const teller of this.#tellers) this.#tell(teller, this.#due)
    this.#due.clear()
  }

  #tell(teller: Teller, keys: Iterable<string>): void {
    const { say, told, heard } = teller
    const counts: Counts = []
    for (const key of keys) {
      const others = (this.#totals.get(key) ?? 0) - (told.get(key) ?? 0)
      if (others === (heard.get(key) ?? 0)) continue
      put(heard, key, others)
      counts.push([key, others])
    }
    if (counts.length > 0) say(counts)
  }
}

function put(counts: Map<string, number>, key: string, count: number): void {
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}
