/**
 * How many workers accept connections. The first one alone, as long as it has time left: work that is spread over more
 * processes than it needs costs more, because each wakes up for less at a time. Another one when those that accept are busy
 * and the machine has processors that are not.
 */
import { cpus } from 'node:os'

/** Below this share of its time a worker can take more. */
const BUSY = 0.9
/** Processors that do nothing, in parts of one: with less, another worker takes its time from those that run, this one included. */
const LEAST_IDLE_CORES = 0.5
/** So many looks in a row, three seconds, have to agree: neither a burst lasts as long nor the start of a worker, which compiles its code. */
const LOOKS_TO_ADD = 12
/** Fewer are enough when they would be busy for no more than half of their time. */
const CALM = 0.5
const LOOKS_TO_REMOVE = 40

export class Standby {
  #count = 1
  #toAdd = 0
  #toRemove = 0

  /**
   * The number of workers that are to accept, at least one. `busy`: the shares of those that run, in the order in which they
   * are used; `idleCores`: of the machine, since the last look.
   */
  look(busy: readonly number[], idleCores: number): number {
    const count = Math.max(1, Math.min(this.#count, busy.length))
    const used = busy.slice(0, count)
    const isFull = used.length > 0 && used.every((share) => share >= BUSY)
    const sum = used.reduce((total, share) => total + share, 0)
    this.#toAdd = isFull && idleCores >= LEAST_IDLE_CORES ? this.#toAdd + 1 : 0
    this.#toRemove = count > 1 && sum < CALM * (count - 1) ? this.#toRemove + 1 : 0
    if (this.#toAdd >= LOOKS_TO_ADD && count < busy.length) {
      this.#toAdd = 0
      this.#count = count + 1
    } else if (this.#toRemove >= LOOKS_TO_REMOVE) {
      this.#toRemove = 0
      this.#count = count - 1
    }
    return Math.max(1, Math.min(this.#count, busy.length))
  }
}

/** Returns, at each call, how many processors did nothing since the call before, on average. */
export function idleCoresMeter(): () => number {
  const idleMs = () => cpus().reduce((sum, { times }) => sum + times.idle, 0)
  let last = { idle: idleMs(), at: performance.now() }
  return () => {
    const now = { idle: idleMs(), at: performance.now() }
    const cores = (now.idle - last.idle) / Math.max(1, now.at - last.at)
    last = now
    return cores
  }
}
