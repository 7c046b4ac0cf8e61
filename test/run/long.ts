/**
 * The steps of `npm run test:long`, which takes hours: long tests at full size, one after the other, since
 * load delays the events that some of them count; the gateway's suite without `process.binding` and on the
 * newest Node.js; the browser tests with all checks of accessibility; a release; the simulation; the costs of
 * calls; then the gateway under tunnels and churn.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ensurePrograms } from './programs.ts'
import { type Step, playwright, print, runStep, vitest } from './steps.ts'

/** The test files that `npm test` leaves out, and those of which it runs a part by `test/size.ts`. */
const longTests = globSync('{src,contract,bench,bootstrap,ops,test}/**/*.test.ts').filter(
  (file) => file.endsWith('.long.test.ts') || /from '[^']*\/size(?:\.ts)?'/.test(readFileSync(file, 'utf8')),
)

/** Hides `process.binding`, which raw sockets need, from a program and its children. */
const hiding = path.resolve(import.meta.dirname, '../without.binding.mjs')

/**
 * Tests of raw sockets and of features that need raw sockets: they cannot pass without `process.binding`.
 */
const rawOnly = ['listeners', 'raw.socket', 'reset', 'socket.factory', 'target.reset', 'writer'].flatMap(
  (name) => ['--exclude', `src/gateway/**/${name}.test.ts`],
)

const gateway = ['run', '--project', 'node', '--maxWorkers', '1', 'src/gateway', 'src/main/gateway']

/** Installs the newest Node.js that npm has, outside this clone's packages; returns its program. */
function newestNode(): string {
  const folder = path.resolve('.cache/newest-node')
  mkdirSync(folder, { recursive: true })
  const name = `node-linux-${process.arch}`
  execFileSync('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-save', `${name}@latest`])
  return path.join(folder, 'node_modules', name, 'bin/node')
}

await ensurePrograms()
process.env['TEST_LONG'] = '1'

const steps: Step[] = [
  vitest('long tests', ['run', '--project', 'node', '--maxWorkers', '1', ...longTests]),
  {
    ...vitest('gateway without raw sockets', [...gateway, ...rawOnly]),
    env: { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${hiding}`.trim() },
  },
  { ...vitest('gateway on the newest Node.js', gateway), node: newestNode() },
  playwright('browser tests', ['test']),
  { name: 'release', file: 'ops/release/try.ts', parameters: [] },
  { name: 'simulation', file: 'test/simulation/simulate.ts', parameters: [] },
  { name: 'cost of calls', file: 'bench/api.ts', parameters: ['--parts', 'calls'] },
  { name: 'soak idle', file: 'bench/gateway/soak.ts', parameters: ['idle'] },
  { name: 'soak churn', file: 'bench/gateway/soak.ts', parameters: ['churn'] },
]

for (const step of steps) {
  if (await runStep(step, { shown: true })) continue
  print(`\nFailed: ${step.name}.`)
  process.exit(1)
}
