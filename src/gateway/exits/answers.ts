/**
 * Counts how the exits answered customers' connections, until the next heartbeat takes the counts. The
 * classes are fixed and the counts change in place, so a connection allocates nothing.
 */
import { answerClass, answerClasses, type ExitAnswers } from '#feed/exit.answers'

export class Answers {
  readonly #known = new Map<bigint, ExitAnswers>()

  /** Counts a connection that the exit opened, by the milliseconds since the attempt began. */
  answered(exit: bigint, ms: number): void {
    const { answered } = this.#of(exit)
    const index = answerClass(ms)
    answered[index] = (answered[index] ?? 0) + 1
  }

  /** Counts an attempt that failed because of the exit. */
  failed(exit: bigint): void {
    this.#of(exit).failed++
  }

  /** Returns the counts and starts new ones. */
  take(): ExitAnswers[] {
    const taken = [...this.#known.values()]
    this.#known.clear()
    return taken
  }

  /** Adds counts again that could not be reported. */
  giveBack(taken: readonly ExitAnswers[]): void {
    for (const { exit, failed, answered } of taken) {
      const known = this.#of(exit)
      known.failed += failed
      for (const [index, count] of answered.entries())
        known.answered[index] = (known.answered[index] ?? 0) + count
    }
  }

  #of(exit: bigint): ExitAnswers {
    let known = this.#known.get(exit)
    if (known === undefined)
      this.#known.set(exit, (known = { exit, failed: 0, answered: Array<number>(answerClasses).fill(0) }))
    return known
  }
}
