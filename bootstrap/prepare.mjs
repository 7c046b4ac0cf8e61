import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'
import { Sentence, findNode, refuseOldNode } from './node.mjs'
import { installStamp, isInstalledByHand, lockHash, readStamp, webHash } from './stale.mjs'

/**
 * Prepares a clone to run: the packages of the lockfile, a Node.js that is new enough, the pages. Plain
 * JavaScript without packages, because it runs before they are installed, and on any installed Node.js ≥ 20.
 */

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Progress goes to stderr, so that a command's own output can be piped. */
export const say = (/** @type {string} */ sentence) => void process.stderr.write(`${sentence}\n`)

/**
 * The environment of all started programs: its `node` is the one found here, which caches compiled sources
 * for the next start.
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentFor(/** @type {string} */ node) {
  return {
    NODE_COMPILE_CACHE: join(root, '.cache', 'node'),
    // As in a release: each thread that allocates would keep what it has freed in an arena of its own.
    MALLOC_ARENA_MAX: '2',
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`,
  }
}

/** @typedef {(pid: number) => void} OnStart */

/**
 * Runs a program to its end and keeps its output. A signal that ends this process ends the program first.
 * @param {string} program
 * @param {string[]} parameters
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 * @param {OnStart} [onStart]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(program, parameters, options, onStart) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    if (child.pid !== undefined) onStart?.(child.pid)
    let output = ''
    const keep = (/** @type {string} */ text) => void (output += text)
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const release = passSignals(child)
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('close', (code) => {
      const signal = release()
      if (signal !== null) process.exit(128 + constants.signals[signal])
      resolve({ code: code ?? 1, output })
    })
  })
}

/** @type {readonly NodeJS.Signals[]} */
const ending = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Passes the signals that end this process on to a child, until the returned function is called.
 * @returns {() => NodeJS.Signals | null} stops passing; returns the received signal, if any
 */
export function passSignals(/** @type {import('node:child_process').ChildProcess} */ child) {
  /** @type {NodeJS.Signals | null} */
  let received = null
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    received = signal
    child.kill(signal)
  }
  for (const signal of ending) process.on(signal, onSignal)
  return () => {
    for (const signal of ending) process.removeListener(signal, onSignal)
    return received
  }
}

const seconds = (/** @type {number} */ startedMs) => `${((Date.now() - startedMs) / 1000).toFixed(0)} s`

/** npm passes its path to the scripts it runs; without it, the npm in PATH is used. */
export function npmCommand() {
  const path = process.env['npm_execpath']
  return path !== undefined && /npm-cli\.[cm]?js$/.test(path) && existsSync(path)
    ? { program: process.execPath, first: [path] }
    : { program: 'npm', first: [] }
}

async function install(/** @type {string} */ directory, /** @type {OnStart} */ onStart) {
  const started = Date.now()
  say('Installing the packages of the lockfile; the first time this takes about a minute …')
  const { program, first } = npmCommand()
  // No package needs its install script, and many machines forbid install scripts.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  const parameters = [...first, 'ci', '--include=dev', '--include=optional', ...quiet]
  const { code, output } = await run(program, parameters, { cwd: directory }, onStart).catch((error) => {
    throw new Sentence(`npm is needed to install the packages, and it cannot be started: ${error.message}.`)
  })
  if (code !== 0)
    throw new Sentence(`${output.trim()}\nThe packages could not be installed (npm ci, exit code ${code}).`)
  writeFileSync(installStamp(directory), `${lockHash(directory)}\n`)
  say(`Packages installed in ${seconds(started)}.`)
}

/**
 * Builds into separate folders and renames them, so that a server never serves an incomplete build.
 * @param {string} directory
 * @param {string} node
 * @param {string} hash
 * @param {OnStart} onStart
 */
async function build(directory, node, hash, onStart) {
  const started = Date.now()
  say('Building the pages …')
  const places = ['web', 'desk'].map((name) => {
    const built = join(directory, 'dist', name)
    return { built, fresh: `${built}.${process.pid}`, old: `${built}.${process.pid}.old` }
  })
  const parameters = [join(directory, 'web/build/build.ts'), ...places.map(({ fresh }) => fresh)]
  try {
    const { code, output } = await run(
      node,
      parameters,
      { cwd: directory, env: environmentFor(node) },
      onStart,
    )
    if (code !== 0)
      throw new Sentence(
        `${output.trim()}\nThe pages could not be built (web/build/build.ts, exit code ${code}).`,
      )
    for (const { built, fresh, old } of places) {
      writeFileSync(join(fresh, '.built-from'), `${hash}\n`)
      if (existsSync(built)) renameSync(built, old)
      renameSync(fresh, built)
    }
  } finally {
    for (const { fresh, old } of places) {
      rmSync(fresh, { recursive: true, force: true })
      rmSync(old, { recursive: true, force: true })
    }
  }
  say(`Pages built in ${seconds(started)}.`)
}

const isInstalled = (/** @type {string} */ directory) =>
  readStamp(installStamp(directory)) === lockHash(directory)

const inTurn = (/** @type {string} */ directory, /** @type {(onStart: OnStart) => Promise<void>} */ work) =>
  withLock(
    join(directory, '.cache', 'bootstrap.lock'),
    (pid) => say(`Waiting for process ${pid}, which is preparing the same folder …`),
    work,
  )

async function installWhenStale(/** @type {string} */ directory) {
  if (isInstalled(directory)) return
  refuseOldNode()
  await inTurn(directory, async (onStart) => {
    if (isInstalled(directory)) return
    if (isInstalledByHand(directory)) writeFileSync(installStamp(directory), `${lockHash(directory)}\n`)
    else await install(directory, onStart)
  })
}

/**
 * Builds the pages when they are missing or older than their sources.
 * @param {string} node the Node.js to build with
 * @param {{ directory?: string, always?: boolean }} [options]
 */
export async function buildWebWhenStale(node, { directory = root, always = false } = {}) {
  if (!existsSync(join(directory, 'web', 'index.html'))) return
  const isBuiltFrom = (/** @type {string} */ hash) =>
    ['web', 'desk'].every((name) => readStamp(join(directory, 'dist', name, '.built-from')) === hash)
  if (!always && isBuiltFrom(webHash(directory))) return
  await inTurn(directory, async (onStart) => {
    const hash = webHash(directory)
    if (always || !isBuiltFrom(hash)) await build(directory, node, hash, onStart)
  })
}

/**
 * Makes the clone ready.
 * @param {{ directory?: string, web?: boolean }} [options] `web`: the command serves pages
 * @returns {Promise<string>} the path of the Node.js to run Turnpike with
 */
export async function prepare({ directory = root, web = false } = {}) {
  await installWhenStale(directory)
  mkdirSync(join(directory, '.cache'), { recursive: true })
  const node = findNode(directory)
  if (web) await buildWebWhenStale(node, { directory })
  return node
}

/**
 * Ends this process with the sentence of a `Sentence`; any other error is a bug and is printed with its
 * stack.
 */
export function fail(/** @type {unknown} */ error) {
  if (!(error instanceof Sentence)) throw error
  say(error.message)
  process.exit(1)
}
