/**
 * The limits of exits on their connections, kept by all workers of this machine together: a worker that has used up its
 * share asks for more, and gives back what lies idle. Exits without a limit cost nothing here.
 */

import type { FeedExit } from './feed.ts'
import type { FamilyWord, WorkerWord } from './siblings.ts'

/** What has just become idle is mostly used again. */
const GIVE_BACK_MS = 100
/** The process that shares them out may be busy; who hears nothing for this long takes it for a no. */
const PATIENCE_MS = 1000

interface Held {
  /** The exit's limit, as it was last known. */
  most: number
  granted: number
  /** Connections that are about to be counted. */
  entering: number
  timer: NodeJS.Timeout | null
  /** Questions about one exit are asked one after the other: the last answer is the truth. */
  asking: Promise<void>
}

export interface SharesOptions {
  say: (word: WorkerWord) => void
  /** How many connections of this exit are open here. */
  connections: (exit: bigint) => number
}

export class Shares {
  readonly #options: SharesOptions
  readonly #held = new Map<bigint, Held>()
  readonly #asked = new Map<number, (seats: number) => void>()
  #lastAsk = 0

  constructor(options: SharesOptions) {
    this.#options = options
  }

  /**
   * Keeps a place for one more connection; null when the limit leaves none. Whoever has it calls the function that comes
   * back in the moment in which the connection is counted, or will not be.
   */
  async take({ id }: Pick<FeedExit, 'id'>, most: number): Promise<(() => void) | null> {
    const held = this.#of(id, most)
    held.entering++
    const counted = () => {
      held.entering--
      this.left(id)
    }
    if (this.#needed(id, held) > held.granted) await this.#tell(id, held)
    if (this.#needed(id, held) <= held.granted) return counted
    counted()
    return null
  }

  /** A connection has ended: its place goes back soon, or serves the next one until then. */
  left(id: bigint): void {
    const held = this.#held.get(id)
    if (held === undefined) return
    held.timer ??= setTimeout(() => {
      held.timer = null
      this.#giveBack(id, held)
    }, GIVE_BACK_MS).unref()
  }

  /** What the other workers say. */
  hear(word: FamilyWord): void {
    if (word.kind === 'granted') {
      this.#asked.get(word.ask)?.(word.seats)
      this.#asked.delete(word.ask)
    } else if (word.kind === 'recalled') {
      const id = BigInt(word.exit)
      const held = this.#held.get(id)
      if (held !== undefined) void this.#tell(id, held, 'always')
    }
  }

  #of(id: bigint, most: number): Held {
    let held = this.#held.get(id)
    if (held === undefined) {
      held = { most, granted: 0, entering: 0, timer: null, asking: Promise.resolve() }
      this.#held.set(id, held)
    }
    held.most = most
    return held
  }

  #needed(id: bigint, held: Held): number {
    return this.#options.connections(id) + held.entering
  }

  #giveBack(id: bigint, held: Held): void {
    if (this.#needed(id, held) < held.granted) void this.#tell(id, held)
    else if (held.granted === 0 && held.entering === 0) this.#held.delete(id)
  }

  #tell(id: bigint, held: Held, how: 'always' | 'changed' = 'changed'): Promise<void> {
    held.asking = held.asking.then(() => this.#ask(id, held, how))
    return held.asking
  }

  /** Says what is needed now, and hears how much of it there is. */
  async #ask(id: bigint, held: Held, how: 'always' | 'changed'): Promise<void> {
    const want = this.#needed(id, held)
    // Somebody who asked before has been given enough for all.
    if (want === held.granted && how === 'changed') return
    // What is given back is not used while that is on its way.
    held.granted = Math.min(held.granted, want)
    const ask = ++this.#lastAsk
    const answered = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no answer')), PATIENCE_MS)
      this.#asked.set(ask, (seats) => {
        clearTimeout(timer)
        resolve(seats)
      })
    })
    this.#options.say({ kind: 'seats', ask, exit: id.toString(), most: held.most, want })
    try {
      held.granted = await answered
    } catch {
      // Who shares them out may count more for us than we use, and never fewer.
      this.#asked.delete(ask)
    }
    this.left(id)
  }
}
