/**
 * How many workers accept connections. The first worker accepts alone as long as it has time and files left:
 * work that is spread over more processes than it needs costs more, because each process wakes up for less at
 * a time. Another worker accepts when those that accept are busy and the machine has idle processors, or at
 * once when they have opened half of the files that they may open.
 */
import { cpus } from 'node:os'
import type { WorkerUse } from './messages.ts'

/** Below this share of its time a worker can take more. */
const BUSY = 0.9
/**
 * The idle processors that another worker needs, in parts of one: with fewer, it would take its time from the
 * workers that run, and from this process.
 */
const LEAST_IDLE_CORES = 0.5
/**
 * The number of consecutive checks (three seconds) that have to agree. A burst is shorter, and so is the
 * start of a worker, which compiles its code.
 */
const LOOKS_TO_ADD = 12
/** Fewer workers are enough when they would be busy for no more than half of their time. */
const CALM = 0.5
const LOOKS_TO_REMOVE = 40
/**
 * The share of the files that a worker may open at which another one accepts. The remaining files last until
 * connections are shared evenly.
 */
const MANY_FILES = 0.5
/** Fewer workers are enough when they would have no more than this share open. */
const FEW_FILES = 0.25

export class Standby {
  #count = 1
  #toAdd = 0
  #toRemove = 0

  /**
   * The number of workers that are to accept, at least one. `workers`: the use of the running workers, in the
   * order in which they are chosen; `idleCores`: the machine's idle processors since the last call.
   */
  look(workers: readonly WorkerUse[], idleCores: number): number {
    const count = Math.max(1, Math.min(this.#count, workers.length))
    const used = workers.slice(0, count)
    const holdsForAll = (test: (use: WorkerUse) => boolean) => used.length > 0 && used.every(test)
    const areBusy = holdsForAll(({ busy }) => busy >= BUSY)
    const haveManyFiles = holdsForAll(({ files }) => files >= MANY_FILES)
    const [busy, files] = [sumOf(used, 'busy'), sumOf(used, 'files')]
    const isCalm = busy < CALM * (count - 1) && files < FEW_FILES * (count - 1)
    this.#toAdd = areBusy && idleCores >= LEAST_IDLE_CORES ? this.#toAdd + 1 : 0
    this.#toRemove = count > 1 && isCalm ? this.#toRemove + 1 : 0
    if ((this.#toAdd >= LOOKS_TO_ADD || haveManyFiles) && count < workers.length) {
      this.#toAdd = 0
      this.#count = count + 1
    } else if (this.#toRemove >= LOOKS_TO_REMOVE) {
      this.#toRemove = 0
      this.#count = count - 1
    }
    return Math.max(1, Math.min(this.#count, workers.length))
  }
}

const sumOf = (workers: readonly WorkerUse[], what: keyof WorkerUse) =>
  workers.reduce((sum, use) => sum + use[what], 0)

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
