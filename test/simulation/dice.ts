/**
 * The source of every decision of a simulation: numbers determined by a seed. Each actor has a separate
 * generator, so that an additional draw of one actor does not affect the others.
 */
export class Dice {
  readonly #seed: string
  #state: number

  constructor(seed: string) {
    this.#seed = seed
    // FNV-1a, so that similar seeds do not give similar numbers.
    let hash = 0x811c9dc5
    for (const letter of seed) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
    this.#state = hash >>> 0
    for (let warm = 0; warm < 8; warm++) this.next()
  }

  /** The generator of another actor in the same simulation. */
  of(actor: string): Dice {
    return new Dice(`${this.#seed}/${actor}`)
  }

  /** From 0 up to 1, by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** True in this percentage of draws. */
  percent(chance: number): boolean {
    return this.next() * 100 < chance
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.whole(0, from.length - 1)]
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }

  /** One of the keys, with its number as weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][]
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      left -= weight
      if (left < 0) return key
    }
    throw new Error('nothing to pick from')
  }
}

/** 80 bits, like an operation's id. */
export const idOf = (dice: Dice) => Array.from({ length: 20 }, () => dice.whole(0, 15).toString(16)).join('')
