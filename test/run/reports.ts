/** The reports of the test runners: their files, the number of passed tests, the failures. */
import { existsSync, readFileSync, rmSync } from 'node:fs'

export const reports = {
  vitest: '.cache/vitest.json',
  playwright: '.cache/playwright.json',
  /** Errors outside tests, which Vitest's own report leaves out. */
  outside: '.cache/vitest.errors.json',
} as const

type Report = keyof typeof reports
/** Gives the parsed report, or null when it was not written. */
export type Read = (report: Report) => unknown

export function readReport(report: Report): unknown {
  const file = reports[report]
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

export function removeReports(): void {
  for (const file of Object.values(reports)) rmSync(file, { force: true })
}

export interface Failure {
  runner: 'vitest' | 'playwright'
  /** The file of the test; null: the failure names none. */
  file: string | null
  /** The name of the test; null: the file could not be loaded, or a hook of it failed. */
  title: string | null
  /** The beginning of the message: what was expected, without the stack. */
  message: readonly string[]
}

interface VitestReport {
  numPassedTests: number
  testResults: {
    name?: string
    status: string
    message?: string
    assertionResults: { status: string; fullName?: string; failureMessages?: string[] }[]
  }[]
}
interface Spec {
  title: string
  file: string
  ok: boolean
  tests: { results: { errors?: { message?: string }[] }[] }[]
}
interface Suite {
  specs?: Spec[]
  suites?: Suite[]
}
interface PlaywrightReport extends Suite {
  stats: { expected: number; flaky: number }
  errors?: { message?: string }[]
}
type OutsideReport = { message?: string; stack?: string; file?: string }[]

/** The number of tests that passed in both runners. */
export function countPassed(read: Read): number {
  const vitest = read('vitest') as VitestReport | null
  const stats = (read('playwright') as PlaywrightReport | null)?.stats
  return (vitest?.numPassedTests ?? 0) + (stats?.expected ?? 0) + (stats?.flaky ?? 0)
}

/** All failures of both runners, those of Vitest first. */
export function listFailures(read: Read): Failure[] {
  return [...ofVitest(read), ...outsideTests(read), ...ofPlaywright(read)]
}

function ofVitest(read: Read): Failure[] {
  const results = (read('vitest') as VitestReport | null)?.testResults ?? []
  return results
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name: file = null, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      const failure = (title: string | null, told: string | undefined): Failure => ({
        runner: 'vitest',
        file,
        title,
        message: beginning(told),
      })
      if (failed.length === 0) return [failure(null, message)]
      return failed.map((test) => failure(test.fullName ?? '', test.failureMessages?.[0]))
    })
}

function outsideTests(read: Read): Failure[] {
  return ((read('outside') as OutsideReport | null) ?? []).map(({ message, stack, file }) => ({
    runner: 'vitest',
    file: file ?? null,
    title: 'an error outside the tests',
    message: [...beginning(message), ...(stack ?? '').split('\n').slice(1, 8)],
  }))
}

function ofPlaywright(read: Read): Failure[] {
  const report = read('playwright') as PlaywrightReport | null
  const specs = (report === null ? [] : specsOf(report)).filter(({ ok }) => !ok)
  const failed = specs.map(({ file, title, tests }): Failure => {
    const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors ?? []))
    return { runner: 'playwright', file, title, message: beginning(errors[0]?.message) }
  })
  const broken = (report?.errors ?? []).map(({ message }): Failure => ({
    runner: 'playwright',
    file: null,
    title: 'browser tests',
    message: beginning(message),
  }))
  return [...failed, ...broken]
}

const specsOf = (suite: Suite): Spec[] => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]

const escapes = new RegExp(String.raw`\u001B\[[\d;]*m`, 'g')

function beginning(message: string | undefined): string[] {
  const lines = (message ?? '').replaceAll(escapes, '').split('\n')
  const told = lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return told.slice(0, 8).map((line) => `    ${line.slice(0, 300)}`)
}

/** A failure in lines: the file and name of the test, and the beginning of its message. */
export function describeFailure(mark: string, { file, title, message }: Failure): string[] {
  return [[mark, file, title].filter((part) => part !== null).join(' '), ...message]
}
