#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { ensureChromium } from './chromium.mjs'
import { folderInMemory } from './memory.mjs'
import { Sentence } from './node.mjs'
import { ensureCluster, ensurePeers } from './peers.mjs'
import {
  buildWebWhenStale,
  environmentFor,
  fail,
  npmCommand,
  passSignals,
  prepare,
  root,
  run,
  say,
} from './prepare.mjs'
import { ensurePostgres } from './postgres.mjs'
import { countTests, listFailures, reports } from './reports.mjs'

/**
 * What the scripts of package.json run: `test`, `check`, `test:long`, `structure`, `simulate`, `build`, `format`, `codegen`, `bench:api`, `bench:desk`, `bench:ledger`, `bench:live`, `bench:outage`, `bench:scale`, `bench:web`, `shots`. Each makes
 * the clone ready first and uses the Node.js that Turnpike runs on, so that `npm test` is enough on a fresh clone.
 */

/** A step of a check: a program of node_modules (or a file of ours) and its parameters. */
/** @typedef {{ name: string, file: string, parameters: string[] }} Step */

const bins = {
  oxfmt: 'node_modules/oxfmt/bin/oxfmt',
  oxlint: 'node_modules/oxlint/bin/oxlint',
  tsc: 'node_modules/typescript/bin/tsc',
  knip: 'node_modules/knip/bin/knip.js',
  vitest: 'node_modules/vitest/vitest.mjs',
  playwright: 'node_modules/@playwright/test/cli.js',
}

const types = (/** @type {string} */ name, /** @type {string} */ project) => ({
  name,
  file: bins.tsc,
  parameters: ['-p', project],
})

/** Import circles, arrows upward between folders, sizes of folders. @type {Step} */
const structure = { name: 'structure', file: 'structure.ts', parameters: [] }

/** These only read: two at a time, each printed when it has ended. @type {Step[]} */
const still = [
  { name: 'lint', file: bins.oxlint, parameters: ['--deny-warnings'] },
  { name: 'format', file: bins.oxfmt, parameters: ['--check'] },
  types('types of the server', 'tsconfig.node.json'),
  types('types of the web', 'web/tsconfig.json'),
  types('types of the browser tests', 'tsconfig.browser.json'),
  { name: 'nothing unused', file: bins.knip, parameters: [] },
  structure,
  { name: 'schema matches the migrations', file: 'src/db/codegen.ts', parameters: ['--verify'] },
]

/** @type {Step} */
const unitTests = { name: 'tests', file: bins.vitest, parameters: ['run'] }
/** @type {Step} */
const browserTests = { name: 'browser tests', file: bins.playwright, parameters: ['test'] }

const took = (/** @type {number} */ startedMs) => `${((Date.now() - startedMs) / 1000).toFixed(1)} s`
const print = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`)

class StepFailed extends Error {
  constructor(/** @type {string[]} */ ...names) {
    super(names.join(', '))
    this.count = names.length
  }
}

/** Runs a step whose output is printed only when it fails; returns whether it passed. */
async function runStill(/** @type {string} */ node, /** @type {Step} */ step) {
  const started = Date.now()
  const { code, output } = await run(node, [step.file, ...step.parameters], {
    cwd: root,
    env: environmentFor(node),
  })
  print(`${code === 0 ? '✓' : '✗'} ${step.name} (${took(started)})`)
  if (code !== 0) print(output.trimEnd())
  return code === 0
}

/** @param {string} node @param {Step} step */
async function runOne(node, step) {
  if (!(await runStill(node, step))) throw new StepFailed(step.name)
}

/** Runs a step with its output shown. */
function runLive(/** @type {string} */ node, /** @type {Step} */ step) {
  const started = Date.now()
  print(`… ${step.name}`)
  return new Promise((resolve, reject) => {
    const child = spawn(node, [step.file, ...step.parameters], {
      cwd: root,
      env: environmentFor(node),
      stdio: 'inherit',
    })
    const release = passSignals(child)
    child.once('error', reject)
    child.once('exit', (code) => {
      const signal = release()
      if (signal !== null) process.exit(128 + constants.signals[signal])
      print(`${code === 0 ? '✓' : '✗'} ${step.name} (${took(started)})`)
      if (code === 0) resolve(undefined)
      else reject(new StepFailed(step.name))
    })
  })
}

/** Two at a time; after a failure no further one begins. */
async function runTwoAtATime(/** @type {string} */ node, /** @type {Step[]} */ steps) {
  const waiting = [...steps]
  /** @type {string[]} */
  const failed = []
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined && failed.length === 0; step = waiting.shift())
      if (!(await runStill(node, step))) failed.push(step.name)
  }
  await Promise.all([worker(), worker()])
  if (failed.length > 0) throw new StepFailed(...failed)
}

/** Everything that runs nothing of Turnpike, and what tests need. */
async function checkStill(/** @type {string} */ node) {
  const memory = folderInMemory()
  if (memory !== null) process.env['TMPDIR'] ??= memory
  const browserTestsExist = existsSync(join(root, 'test/browser'))
  // The programs are downloaded meanwhile.
  const programs = (async () => {
    await ensurePeers()
    await ensureChromium()
    await ensurePostgres()
  })()
  programs.catch(() => undefined)
  await runTwoAtATime(
    node,
    still.filter((step) => browserTestsExist || step.parameters[1] !== 'tsconfig.browser.json'),
  )
  await programs
}

async function check(/** @type {string} */ node) {
  await checkStill(node)
  await runLive(node, unitTests)
}

/** The browser's tests beside the others: many of both wait for processes, pages and clocks. */
async function test(/** @type {string} */ node) {
  await checkStill(node)
  await buildWebWhenStale(node)
  const browser = runStill(node, browserTests)
  const units = await runLive(node, unitTests).then(
    () => true,
    () => false,
  )
  const failed = [...(units ? [] : [unitTests.name]), ...((await browser) ? [] : [browserTests.name])]
  if (failed.length > 0) throw new StepFailed(...failed)
}

/** Runs a step that needs the built pages and Chromium. */
async function look(/** @type {string} */ node, /** @type {Step} */ step) {
  await ensureChromium()
  await buildWebWhenStale(node)
  await runLive(node, step)
}

/** Thousands of seeds, or the one that is asked for. @type {Step} */
const simulation = { name: 'simulation', file: 'test/simulation/simulate.ts', parameters: [] }

/** The test files that `check` leaves out, and those of which it runs a part; `test/size.ts` has their sizes. */
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

/**
 * What takes hours: long tests at full size, one after the other, since load delays the events that some of them count; the
 * gateway's suite without `process.binding` and on the newest Node.js; the browser tests with all checks of
 * accessibility, a release, the simulation, then the gateway under tunnels and churn.
 */
async function testLong(/** @type {string} */ node) {
  await ensurePeers()
  await ensurePostgres()
  process.env['TEST_LONG'] = '1'
  const parameters = ['run', '--project', 'node', '--maxWorkers', '1', ...longTests]
  await runLive(node, { name: 'long tests', file: bins.vitest, parameters })
  await testGateway(node)
  await look(node, browserTests)
  await runLive(node, { name: 'release', file: 'ops/release/try.ts', parameters: [] })
  await runLive(node, simulation)
  for (const what of ['idle', 'churn'])
    await runLive(node, { name: `soak ${what}`, file: 'bench/gateway/soak.ts', parameters: [what] })
}

/** Hides `process.binding`, which raw sockets need, from a program and its children. */
const hidden = join(root, 'test', 'without.binding.mjs')

/** Tests of raw sockets themselves, and of what only they can do: they cannot pass without `process.binding`. */
const rawOnly = ['listeners', 'raw.socket', 'reset', 'socket.factory', 'target.reset', 'writer'].flatMap(
  (name) => ['--exclude', `src/gateway/**/${name}.test.ts`],
)

/** The gateway's suite over ordinary sockets, as on a Node.js without `process.binding`; then on the newest Node.js. */
async function testGateway(/** @type {string} */ node) {
  const parameters = ['run', '--project', 'node', '--maxWorkers', '1', 'src/gateway', 'src/main/gateway']
  const { NODE_OPTIONS: options = '' } = process.env
  process.env['NODE_OPTIONS'] = `${options} --import ${hidden}`.trim()
  try {
    const step = { name: 'gateway without raw sockets', file: bins.vitest }
    await runLive(node, { ...step, parameters: [...parameters, ...rawOnly] })
  } finally {
    process.env['NODE_OPTIONS'] = options
  }
  const newest = await newestNode()
  await runLive(newest, { name: 'gateway on the newest Node.js', file: bins.vitest, parameters })
}

/** Installs the newest Node.js that npm has, outside this clone's packages; returns its program. */
async function newestNode() {
  const folder = join(root, '.cache', 'newest-node')
  mkdirSync(folder, { recursive: true })
  const name = `node-linux-${process.arch}`
  const { program, first } = npmCommand()
  const quiet = [
    '--ignore-scripts',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--loglevel=error',
  ]
  const parameters = [...first, 'install', '--prefix', folder, ...quiet, `${name}@latest`]
  const { code, output } = await run(program, parameters, { cwd: folder })
  if (code !== 0) throw new Sentence(`${output.trim()}\nThe newest Node.js (${name}) could not be installed.`)
  return join(folder, 'node_modules', name, 'bin', 'node')
}

/** Kills the primaries of a cluster of PostgreSQL under a shop. */
async function testCluster(/** @type {string} */ node, /** @type {string[]} */ parameters) {
  await ensureCluster()
  await runLive(node, { name: 'failover', file: 'test/ha/ha.ts', parameters })
}

/** Upgrades a shop and its gateway from an earlier release to this tree under load. */
async function testUpgrade(/** @type {string} */ node) {
  await ensurePostgres()
  await runLive(node, { name: 'upgrade', file: 'test/upgrade/upgrade.ts', parameters: [] })
}

/** @param {string} node @param {string[]} parameters */
async function release(node, parameters) {
  await buildWebWhenStale(node)
  await runLive(node, { name: 'release', file: 'ops/release/release.ts', parameters })
}

/** Runs tests and closes with one line that counts them; a step that is no test counts as one when it fails. */
async function counted(/** @type {() => Promise<void>} */ work) {
  for (const report of Object.values(reports)) rmSync(join(root, report), { force: true })
  let failedSteps = 0
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StepFailed || error instanceof Sentence)) throw error
    say(error instanceof StepFailed ? `\nFailed: ${error.message}.` : error.message)
    failedSteps = error instanceof StepFailed ? error.count : 1
  }
  const read = (/** @type {string} */ report) => {
    const path = join(root, report)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  }
  const { passed, failed } = countTests(read)
  for (const line of listFailures(read)) print(line)
  print(`\n${passed} passed, ${Math.max(failed, failedSteps)} failed`)
  process.exitCode = failedSteps > 0 ? 1 : 0
}

/** @type {Record<string, (node: string, parameters: string[]) => Promise<unknown>>} */
const commands = {
  check: (node) => counted(() => check(node)),
  test: (node) => counted(() => test(node)),
  'test:long': testLong,
  build: (node) => buildWebWhenStale(node, { always: true }),
  release,
  format: (node, parameters) => runOne(node, { name: 'format', file: bins.oxfmt, parameters }),
  structure: (node) => runLive(node, structure),
  simulate: (node) => runLive(node, simulation),
  'test:ha': testCluster,
  'test:upgrade': testUpgrade,
  codegen: (node, parameters) => runOne(node, { name: 'codegen', file: 'src/db/codegen.ts', parameters }),
  'bench:api': (node, parameters) => runLive(node, { name: 'bench', file: 'bench/api.ts', parameters }),
  'bench:desk': (node, parameters) => runLive(node, { name: 'bench', file: 'bench/desk.ts', parameters }),
  'bench:gateway': (node, parameters) =>
    runLive(node, { name: 'bench', file: 'bench/gateway/run.ts', parameters }),
  'bench:ledger': (node, parameters) => runLive(node, { name: 'bench', file: 'bench/ledger.ts', parameters }),
  'bench:live': (node, parameters) => runLive(node, { name: 'bench', file: 'bench/live.ts', parameters }),
  'bench:outage': (node, parameters) => runLive(node, { name: 'bench', file: 'bench/outage.ts', parameters }),
  'bench:scale': (node, parameters) => runLive(node, { name: 'bench', file: 'bench/scale.ts', parameters }),
  'bench:web': (node, parameters) => look(node, { name: 'bench', file: 'bench/web.ts', parameters }),
  shots: (node, parameters) => look(node, { name: 'pictures', file: 'test/shots/take.ts', parameters }),
}

const [name = '', ...parameters] = process.argv.slice(2)
const command = commands[name]
if (command === undefined)
  fail(new Sentence(`Usage: node bootstrap/npm.mjs ${Object.keys(commands).join(' | ')}`))
else
  prepare()
    .then((node) => command(node, parameters))
    .catch((error) => fail(error instanceof StepFailed ? new Sentence(`Failed: ${error.message}.`) : error))
