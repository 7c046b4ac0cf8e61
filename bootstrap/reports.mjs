/** The paths of the test runners' reports, and their totals. */

export const reports = { vitest: '.cache/vitest.json', playwright: '.cache/playwright.json' }

/**
 * @typedef {{
 *   numPassedTests: number, numFailedTests: number,
 *   testResults: { status: string, assertionResults: { status: string }[] }[],
 * }} VitestReport
 * @typedef {{
 *   stats: { expected: number, unexpected: number, flaky: number },
 *   errors?: unknown[],
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
