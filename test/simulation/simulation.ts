/** Runs seeds, several concurrently: while one waits, another uses the processor. */
import { type Outcome, runSeed } from './run.ts'
import { startServer } from './server.ts'

export interface Simulated {
  seeds: number
  failed: number
  counts: Map<string, number>
  /** The events, in a few lines. */
  text: string
}

export async function simulate({
  from,
  seeds,
  enough = 10,
  atOnce = 5,
  say,
}: {
  from: number
  seeds: number
  /** Stops after this number of failures: a bug that every seed shows need not be reported each time. */
  enough?: number
  /** The number of concurrent seeds. A seed mostly waits: for processors that do not answer, for restarts. */
  atOnce?: number
  say: (line: string) => void
}): Promise<Simulated> {
  const started = performance.now()
  const server = await startServer()
  const failures: Outcome[] = []
  const counts = new Map<string, number>()
  let next = from
  let done = 0
  const lane = async () => {
    while (next < from + seeds && failures.length < enough) {
      const outcome = await runSeed(server, next++)
      done++
      for (const [what, count] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + count)
      if (outcome.violations.length > 0) {
        failures.push(outcome)
        say(`seed ${outcome.seed}: ${outcome.violations.length} violations`)
        for (const violation of outcome.violations.slice(0, 5)) say(`  ${violation}`)
        say(`  again: SIMULATION_SEED=${outcome.seed} npm run simulate`)
      }
      if (done % 500 === 0) say(`${done} seeds, ${failures.length} failed`)
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, lane))
  } finally {
    await server.close()
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const lifeMs = ((performance.now() - started) / done).toFixed(0)
  const happened = [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `  ${what}: ${count}`)
  const text = [
    `${done} seeds in ${seconds} s, ${lifeMs} ms for each, ${failures.length} failed`,
    ...happened,
  ].join('\n')
  return { seeds: done, failed: failures.length, counts, text }
}
