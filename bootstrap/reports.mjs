/** The paths of the test runners' reports, their totals and their failures. */

export const reports = {
  vitest: '.cache/vitest.json',
  playwright: '.cache/playwright.json',
  outside: '.cache/vitest.errors.json',
}

/**
 * @typedef {{
 *   numPassedTests: number, numFailedTests: number,
 *   testResults: {
 *     name?: string, status: string, message?: string,
 *     assertionResults: { status: string, fullName?: string, failureMessages?: string[] }[],
 *   }[],
 * }} VitestReport
 * @typedef {{ message?: string }} PlaywrightError
 * @typedef {{
 *   title: string, file: string, ok: boolean,
 *   tests: { results: { errors?: PlaywrightError[] }[] }[],
 * }} PlaywrightSpec
 * @typedef {{ specs?: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite
 * @typedef {{
 *   stats: { expected: number, unexpected: number, flaky: number },
 *   errors?: PlaywrightError[],
 *   suites?: PlaywrightSuite[],
 * }} PlaywrightReport
 */

/**
 * Sums the reports. A file that failed without a failed test (it could not be loaded, or a hook failed) counts as one
 * failure.
 * @param {(report: string) => any} read gives the parsed report, or null when it was not written
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(read) {
  const vitest = /** @type {VitestReport | null} */ (read(reports.vitest))
  const playwright = /** @type {PlaywrightReport | null} */ (read(reports.playwright))
  const brokenFiles = (vitest?.testResults ?? []).filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  const stats = playwright?.stats ?? { expected: 0, unexpected: 0, flaky: 0 }
  return {
    passed: (vitest?.numPassedTests ?? 0) + stats.expected + stats.flaky,
    failed:
      (vitest?.numFailedTests ?? 0) + brokenFiles + stats.unexpected + (playwright?.errors?.length ?? 0),
  }
}

const escapes = new RegExp(String.raw`\u001B\[[\d;]*m`, 'g')

/** The beginning of a failure's message: what was expected, without the stack. */
function beginning(/** @type {string | undefined} */ message) {
  const lines = (message ?? '').replaceAll(escapes, '').split('\n')
  const told = lines.filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return told.slice(0, 8).map((line) => `    ${line.slice(0, 300)}`)
}

/** @param {PlaywrightSuite} suite @returns {PlaywrightSpec[]} */
const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]

/**
 * The failures of both reports: the file and name of each test and the beginning of its message. They are printed last,
 * where a log that is cut still shows them.
 * @param {(report: string) => any} read as for {@link countTests}
 * @returns {string[]} lines
 */
export function listFailures(read) {
  const vitest = /** @type {VitestReport | null} */ (read(reports.vitest))
  const playwright = /** @type {PlaywrightReport | null} */ (read(reports.playwright))
  const files = (vitest?.testResults ?? [])
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name = '', message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      if (failed.length === 0) return [`✗ ${name}`, ...beginning(message)]
      return failed.flatMap((test) => [
        `✗ ${name} › ${test.fullName}`,
        ...beginning(test.failureMessages?.[0]),
      ])
    })
  const specs = (playwright?.suites ?? [])
    .flatMap(specsOf)
    .filter(({ ok }) => !ok)
    .flatMap(({ file, title, tests }) => [
      `✗ ${file} › ${title}`,
      ...beginning(tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors ?? []))[0]?.message),
    ])
  const outside = /** @type {{ message?: string, stack?: string, file?: string }[]} */ (
    read(reports.outside) ?? []
  )
  const errors = outside.flatMap(({ message, stack, file }) => [
    file === undefined ? '✗ an error outside the tests' : `✗ an error outside the tests of ${file}`,
    ...beginning(message),
    ...(stack ?? '').split('\n').slice(1, 8),
  ])
  const broken = (playwright?.errors ?? []).flatMap(({ message }) => [
    '✗ browser tests',
    ...beginning(message),
  ])
  return [...files, ...errors, ...specs, ...broken]
}
