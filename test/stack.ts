/**
 * The complete product for tests: `turnpike up` as a separate process tree, with its own data directory and
 * ports.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '#contract/client'
import type { Output } from '#contract/contract'
import type { Pool } from '#contract/wire'
import { freePort, freePortBase, stackSlots } from './ports.ts'
import { copyStarted } from './stack.template.ts'

export interface Stack {
  origin: string
  portBase: number
  dataDir: string
  /** The output of `turnpike up` since it was started. */
  said: () => string
  /** The demo's customer, signed in. */
  signIn: () => Promise<StackCustomer>
  /** Pids of the whole tree: server, gateway workers, PostgreSQL. */
  pids: () => number[]
  workers: () => number[]
  /** kill -9 of all processes together. */
  killAll: () => Promise<void>
  /** Starts again on the same data directory. */
  restart: () => Promise<void>
  /** Asks it to stop; returns its exit code. */
  stop: () => Promise<number | null>
  /** Ctrl-C and wait; then the data directory is removed. */
  close: () => Promise<void>
}

export interface StackCustomer {
  call: ReturnType<typeof createClient>
  /** The proxy user and password of a pool. */
  proxy: (pool: Pool) => Promise<{ login: string; password: string }>
  /** Bytes charged today in a pool, and the requests, according to the statistics. */
  usage: (pool: Pool) => Promise<Output<'legacy_get_statistic'>>
}

const main = path.join(import.meta.dirname, '../src/main/commands/turnpike.ts')

/** A stack with one of these makes its own data folder. */
const decidesFirstStart = ['DATA_DIR', 'DATABASE_URL', 'DEMO']

async function startOnce(dataDir: string): Promise<void> {
  const stack = await startStack({ DATA_DIR: dataDir, GATEWAY_WORKERS: '1' })
  await stack.stop()
}

export async function startStack(
  env: Record<string, string> = {},
  /** The Node.js that runs it. */
  node: string = process.execPath,
): Promise<Stack> {
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(path.join(tmpdir(), 'turnpike-stack-'))
  if (!decidesFirstStart.some((name) => name in env)) await copyStarted(dataDir, startOnce)
  const portBase = await freePortBase()
  const port = await freePort()
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    DESK_LISTEN: `127.0.0.1:${await freePort()}`,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    GATEWAY_PORT_BASE: String(portBase),
    GATEWAY_WORKERS: '2',
    // Both workers accept from the start: tests must hold for connections on either of them.
    GATEWAY_STANDBY: '0',
    GATEWAY_SLOTS: String(stackSlots),
    GATEWAY_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DEMO_HISTORY: '0',
    ...env,
  }
  let { child, said } = await launch(settings, node)
  const origin = `http://127.0.0.1:${port}`
  const stack: Stack = {
    origin,
    portBase,
    dataDir,
    said: () => said(),
    signIn: () => signIn(origin, dataDir),
    pids: () => (child.pid === undefined ? [] : [child.pid, ...descendants(child.pid)]),
    workers: () => (child.pid === undefined ? [] : workersOf(child.pid)),
    killAll: async () => {
      const pids = stack.pids()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      for (const pid of pids) kill(pid, 'SIGKILL')
      await ended
      await until(() => pids.every((pid) => !isRunning(pid)), 10_000, 'the killed processes to end')
    },
    restart: async () => {
      ;({ child, said } = await launch(settings, node))
    },
    stop: async () => {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      return ended
    },
    close: async () => {
      if (child.exitCode === null && child.signalCode === null) await stack.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return stack
}

/** The environment of programs under test. */
export function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** The output of a command of the command line. Fails with its messages when its exit status is not 0. */
export async function turnpike(env: Record<string, string>, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], {
    env: { ...inherited(), LOG_LEVEL: 'warn', ...env },
  })
  return stdout
}

/** Starts `turnpike up` and waits for the line that announces that it is ready. */
function launch(
  settings: Record<string, string>,
  node: string,
): Promise<{ child: ChildProcess; said: () => string }> {
  const child = spawn(node, [main, 'up'], {
    env: { ...inherited(), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let isReady = false
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      said += chunk.toString()
      // The output is not searched after that: it has a line for each tunnel, and the search would take CPU
      // time from a bench's load generator.
      if (isReady || !said.includes('Turnpike is ready')) return
      isReady = true
      resolve({ child, said: () => said })
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code, signal) => reject(new Error(`turnpike up ended (${signal ?? code}):\n${said}`)))
  })
}

async function signIn(baseUrl: string, dataDir: string): Promise<StackCustomer> {
  const people = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8')) as {
    customer: { username: string; password: string }
  }
  const options = { baseUrl, language: () => 'en' as const, timeoutMs: 20_000 }
  const token = await createClient({ ...options, token: () => null })('signin', people.customer)
  const call = createClient({ ...options, token: () => token })
  return {
    call,
    proxy: (pool) => lineOf(call, pool),
    usage: (pool) => call('legacy_get_statistic', { period: 'week', pool }),
  }
}

/** The proxy user and password of a customer in a pool. */
export async function lineOf(
  call: StackCustomer['call'],
  pool: Pool,
): Promise<{ login: string; password: string }> {
  const lines = await call('get_proxy', {
    anonymous: 'true',
    type: 'rotating',
    protocol: 'http',
    format: 'login:password:hostname:port',
    quantity: 1,
    sessionttl: 0,
    pool,
  })
  const [login = '', password = ''] = lines.split(':')
  return { login, password }
}

/** Waits until a condition holds; fails with its description when the deadline passes. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs: number,
  what: string,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out after ${withinMs} ms waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process ended after it was listed and before it was killed.
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

/** The fields of /proc/<pid>/stat after the command's name, or null when there is no such process. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function isRunning(pid: number): boolean {
  const state = statOf(pid)?.[0]
  return state !== undefined && state !== 'Z'
}

/** The gateway workers among the descendants of a process. */
export const workersOf = (root: number): number[] =>
  descendants(root).filter((pid) => commandOf(pid).includes('gateway/process.ts'))

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function descendants(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.[1] : undefined
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const found: number[] = []
  const search = (pid: number) => {
    for (const [child, parent] of parents) {
      if (parent !== pid) continue
      found.push(child)
      search(child)
    }
  }
  search(root)
  return found
}
