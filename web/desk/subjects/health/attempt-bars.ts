/** Bars of the attempts of an hour, as parts of the busiest minute. */
import type { DeskOutput } from '#contract/desk/contract'

export type Attempts = DeskOutput<'exit_health'>[number]['minutes']

const minuteMs = 60_000
const shown = 60
/** A minute with failures is visible beside a busy one. */
const leastPart = 0.08

/** `index`: 0 is 59 minutes ago, 59 the present minute. */
export function attemptBars(
  minutes: Attempts,
  nowMs: number,
): { index: number; answered: number; failed: number }[] {
  const most = Math.max(1, ...minutes.map(({ answered, failed }) => Number(answered) + Number(failed)))
  const last = Math.floor(nowMs / minuteMs)
  return minutes.flatMap(({ at, answered, failed }) => {
    const index = shown - 1 - (last - Math.floor(Date.parse(at) / minuteMs))
    if (index < 0 || index >= shown) return []
    const failedPart = failed === '0' ? 0 : Math.max(leastPart, Number(failed) / most)
    return [{ index, answered: Math.min(Number(answered) / most, 1 - failedPart), failed: failedPart }]
  })
}
