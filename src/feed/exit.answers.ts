/**
 * How exits answered: counts by the time that they took, the same in gateways, on the wire and in the
 * database.
 */

/**
 * The upper bounds of the classes, in milliseconds; one more class holds what took longer. A change needs a
 * new table.
 */
export const answerBoundsMs = [
  10, 25, 50, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000,
] as const

export const answerClasses = answerBoundsMs.length + 1

/** The class of a time. */
export function answerClass(ms: number): number {
  let index = 0
  while (index < answerBoundsMs.length && ms > (answerBoundsMs[index] ?? Infinity)) index++
  return index
}

/** How an exit answered since its gateway's last heartbeat. */
export interface ExitAnswers {
  exit: bigint
  /** Attempts that failed because of the exit. */
  failed: number
  /**
   * Connections that the exit opened, by the time from the start of the attempt to the exit's answer, in the
   * classes above.
   */
  answered: number[]
  /** The last of the failures. Missing: there was none, or the gateway is of an earlier release. */
  last?: ExitError
}

/** The failure of an exit, in its own words. */
export interface ExitError {
  /** The gateway's code. */
  code: string
  /** The status that the exit answered with. */
  status: number | null
  /** The exit's explanation, without the target; at most 200 characters. */
  word: string | null
}

/**
 * The time within which a share of the answers arrived, in milliseconds, interpolated within its class. Null:
 * there was no answer. Infinity: the time lies above the last bound.
 */
export function percentileMs(answered: readonly number[], share: number): number | null {
  const total = answered.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = total * share
  for (const [index, count] of answered.entries()) {
    if (count > 0 && left <= count) {
      const upper = answerBoundsMs[index]
      const lower = answerBoundsMs[index - 1] ?? 0
      return upper === undefined ? Infinity : lower + ((upper - lower) * left) / count
    }
    left -= count
  }
  return Infinity
}
