/**
 * The limits of exits on their connections, kept by all workers of this machine together: a worker that has used up its
 * share asks for more, and gives back what lies idle. Exits without a limit cost nothing here.
 */

import { Allotment } from './permit.pool.ts'
import type { FeedExit } from '#feed'
import type { FamilyWord, WorkerWord } from './coordinator.ts'

const GIVE_BACK_MS = 100
/** The process that shares them out may be busy; who hears nothing for this long takes it for a no. */
const PATIENCE_MS = 1000

export interface SharesOptions {
  say: (word: WorkerWord) => void
  /** How many connections of this exit are open here. */
  connections: (exit: bigint) => number
}

export class Shares {
  readonly #say: SharesOptions['say']
  readonly #held: Allotment
  readonly #asked = new Map<number, (seats: number) => void>()
  #lastAsk = 0

  constructor({ say, connections }: SharesOptions) {
    this.#say = say
    this.#held = new Allotment({
      open: connections,
      ask: (exit, needs) => this.#ask(exit, needs),
      idleMs: GIVE_BACK_MS,
      // Who shares them out counts more for us than we use until we say so again, and never fewer.
      onFault: () => undefined,
    })
  }

  /**
   * Keeps a place for one more connection; null when the limit leaves none. Whoever has it calls the function that comes
   * back in the moment in which the connection is counted, or will not be.
   */
  async take({ id }: Pick<FeedExit, 'id'>, most: number): Promise<(() => void) | null> {
    const counted = this.#held.enter(id, most)
    if (await this.#held.covers(id).catch(() => false)) return counted
    counted()
    return null
  }

  /** A connection has ended. */
  left(id: bigint): void {
    this.#held.left(id)
  }

  /** What the other workers say. */
  hear(word: FamilyWord): void {
    if (word.kind === 'granted') {
      this.#asked.get(word.ask)?.(word.seats)
      this.#asked.delete(word.ask)
    } else if (word.kind === 'recalled') {
      this.#held.recalled(BigInt(word.exit))
    }
  }

  #ask(exit: bigint, needs: { most: number; want: number }): Promise<number> {
    const ask = ++this.#lastAsk
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#asked.delete(ask)
        reject(new Error('nobody answered'))
      }, PATIENCE_MS)
      this.#asked.set(ask, (seats) => {
        clearTimeout(timer)
        resolve(seats)
      })
      this.#say({ kind: 'seats', ask, exit: exit.toString(), ...needs })
    })
  }
}
