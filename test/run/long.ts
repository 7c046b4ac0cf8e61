/**
 * What `npm run test:long` runs, which takes hours: long tests at full size, one after the other, since load delays the events
 * that some of them count; the browser tests with all checks of accessibility, a release, the simulation, then the gateway
 * under tunnels and churn.
 */
import { ensurePrograms } from './programs.ts'
import { type Step, playwright, print, runStep, vitest } from './steps.ts'

/** The test files that `npm test` leaves out, and those of which it runs a part; `test/size.ts` has their sizes. */
const longTests = [
  '.long.test.ts',
  'test/fuzz.test.ts',
  'test/simulation/leases.test.ts',
  'test/simulation/simulation.test.ts',
  'test/whole/customer.test.ts',
  'test/whole/kill-all.test.ts',
  'test/whole/live.test.ts',
  'test/whole/outage.test.ts',
]

const steps: Step[] = [
  vitest('long tests', ['run', '--project', 'node', '--maxWorkers', '1', ...longTests]),
  playwright('browser tests', ['test']),
  { name: 'release', file: 'ops/release/try.ts', parameters: [] },
  { name: 'simulation', file: 'test/simulation/simulate.ts', parameters: [] },
  { name: 'soak idle', file: 'bench/gateway/soak.ts', parameters: ['idle'] },
  { name: 'soak churn', file: 'bench/gateway/soak.ts', parameters: ['churn'] },
]

await ensurePrograms()
process.env['TEST_LONG'] = '1'
for (const step of steps) {
  if (await runStep(step, { shown: true })) continue
  print(`\nFailed: ${step.name}.`)
  process.exit(1)
}
