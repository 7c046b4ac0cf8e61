/**
 * A reporter of Vitest that keeps the errors outside tests: its JSON report leaves them out, although the run
 * fails.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter } from 'vitest/node'
import { reports } from './run/reports.ts'

export class ErrorsOutsideTests implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly SerializedError[]): void {
    mkdirSync('.cache', { recursive: true })
    const kept = errors.map(({ message, stack, VITEST_TEST_PATH: file }) => ({ message, stack, file }))
    writeFileSync(reports.outside, JSON.stringify(kept))
  }
}
