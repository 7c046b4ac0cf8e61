/** A reporter of Vitest that keeps the errors outside tests: its JSON report leaves them out, although the run fails. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'
import { reports } from '../bootstrap/reports.mjs'

export class ErrorsOutsideTests implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly { message: string; stack?: string }[]): void {
    mkdirSync('.cache', { recursive: true })
    writeFileSync(reports.outside, JSON.stringify(errors.map(({ message, stack }) => ({ message, stack }))))
  }
}
