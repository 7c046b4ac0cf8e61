/**
 * The steps of `npm test`: the checks that start nothing of Turnpike, then the tests and the browser tests
 * concurrently. `--without-browser` leaves the browser tests out.
 *
 * A test file that fails is run once more at the end, alone. If it passes then, the run passes, and its last
 * lines name what failed before as `flaky: <file> <title>`, with the message: such a test is corrected before
 * anything else. The last line counts all tests.
 */
import path from 'node:path'
import { folderInMemory } from './memory.ts'
import { ensurePrograms } from './programs.ts'
import {
  type Failure,
  countPassed,
  describeFailure,
  listFailures,
  readReport,
  removeReports,
} from './reports.ts'
import { knip, oxfmt, oxlint, playwright, print, runStep, runTwoAtATime, vitest } from './steps.ts'

/** More failing files than this are not flaky: they are not run again. */
const mostFilesAgain = 5

const withBrowser = !process.argv.includes('--without-browser')

const stillSteps = [
  oxlint('lint and types', ['--deny-warnings']),
  oxfmt('format', ['--check']),
  knip('nothing unused', []),
  { name: 'structure', file: 'structure.ts', parameters: [] },
  { name: 'schema matches the migrations', file: 'src/db/codegen.ts', parameters: ['--verify'] },
]

/** Runs the file of some failures alone; resolves to whether it passes now. */
function passesAlone({ runner, file }: Failure): Promise<boolean> {
  const relative = path.relative('.', file ?? '')
  return runner === 'vitest'
    ? runStep(vitest(`again: ${relative}`, ['run', '--maxWorkers=1', '--reporter=dot', relative]))
    : runStep(playwright(`again: ${file}`, ['test', '--workers=1', '--reporter=line', String(file)]))
}

/** Divides failures into those of files that pass when run again, and the others. */
async function tryAgain(failures: readonly Failure[]): Promise<{ flaky: Failure[]; failed: Failure[] }> {
  const files = new Map(failures.map((failure) => [failure.file, failure]))
  if (files.has(null) || files.size > mostFilesAgain) return { flaky: [], failed: [...failures] }
  const passing = new Set<string | null>()
  for (const [file, failure] of files) if (await passesAlone(failure)) passing.add(file)
  return {
    flaky: failures.filter(({ file }) => passing.has(file)),
    failed: failures.filter(({ file }) => !passing.has(file)),
  }
}

async function runTests(): Promise<boolean> {
  removeReports()
  const browser = withBrowser ? runStep(playwright('browser tests', ['test'])) : true
  const units = await runStep(vitest('tests', ['run']), { shown: true })
  const areAllPassed = (await browser) && units
  const passed = countPassed(readReport)
  const failures = listFailures(readReport)
  const { flaky, failed } = await tryAgain(failures)
  for (const failure of failed) for (const line of describeFailure('✗', failure)) print(line)
  for (const failure of flaky) for (const line of describeFailure('flaky:', failure)) print(line)
  // A runner that fails without reporting a failed test has not run at all: it counts as one failure.
  const failedCount = failed.length === 0 && !areAllPassed && flaky.length === 0 ? 1 : failed.length
  print(`\n${passed + flaky.length} passed, ${failedCount} failed`)
  return failedCount === 0
}

async function run(): Promise<boolean> {
  const memory = folderInMemory()
  if (memory !== null) process.env['TMPDIR'] ??= memory
  // The programs are installed meanwhile.
  const programs = ensurePrograms()
  programs.catch(() => undefined)
  const failed = await runTwoAtATime(stillSteps)
  if (failed.length > 0) {
    print(`\nFailed: ${failed.join(', ')}.\n\n0 passed, ${failed.length} failed`)
    return false
  }
  await programs
  return runTests()
}

process.exitCode = (await run()) ? 0 : 1
