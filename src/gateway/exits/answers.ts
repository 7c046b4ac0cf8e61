/**
 * How the exits answered the connections of customers, until the next heartbeat takes it. Fixed classes and counts that change in
 * place: a connection allocates nothing.
 */
import { answerClass, answerClasses, type ExitAnswers } from '#feed/exit.answers'

export class Answers {
  readonly #known = new Map<bigint, ExitAnswers>()

  /** The exit opened a connection so long after the attempt began. */
  answered(exit: bigint, ms: number): void {
    const { answered } = this.#of(exit)
    const index = answerClass(ms)
    answered[index] = (answered[index] ?? 0) + 1
  }

  /** An attempt failed for a reason of the exit's. */
  failed(exit: bigint): void {
    this.#of(exit).failed++
  }

  /** What has been counted, which counts no more. */
  take(): ExitAnswers[] {
    const taken = [...this.#known.values()]
    this.#known.clear()
    return taken
  }

  /** What could not be told counts again. */
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
