/** The processes that the bench of starts runs: a shop of its own, its parts, and single commands. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { environmentFor } from '../bootstrap/prepare.mjs'
import { get, run, type Way } from '../test/whole/visitor.ts'
import { commandOf, family, pssBytes } from './gateway/processes.ts'

/** How `npm start` and `npm run turnpike` call the program, and how a release calls it. */
const callers = { clone: 'bootstrap/turnpike.mjs', release: 'src/main/commands/turnpike.ts' } as const
export type Caller = keyof typeof callers

/** The folder of the program that is measured. */
let tree = path.resolve(import.meta.dirname, '..')

export function measureTree(folder: string): void {
  tree = path.resolve(folder)
}

/** Two lines in each shop's log a second would be counted as the shop's work. */
const quiet = { LOG_LEVEL: 'warn' }

function begin(caller: Caller, words: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [path.join(tree, callers[caller]), ...words], {
    // Each tree has compiled sources of its own.
    env: {
      ...environmentFor(process.execPath),
      NODE_COMPILE_CACHE: path.join(tree, '.cache/node'),
      ...quiet,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

export interface Cost {
  wallMs: number
  cpuMs: number
}

/** The CPU of all children of this process that have ended, with theirs, in milliseconds. */
function cpuOfEndedMs(): number {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
  return (Number(user) + Number(system)) * 10
}

/** Runs a command to its end. */
export async function runCommand(
  caller: Caller,
  words: readonly string[],
  env: Record<string, string>,
): Promise<Cost> {
  const before = cpuOfEndedMs()
  const begun = performance.now()
  const code = await ended(begin(caller, words, env))
  // `doctor` of a demo has warnings.
  if (code !== 0 && code !== 1 && code !== 2) throw new Error(`${words.join(' ')} ended with ${code}`)
  return { wallMs: performance.now() - begun, cpuMs: cpuOfEndedMs() - before }
}

function ended(child: ChildProcess): Promise<number | null> {
  child.stderr?.resume()
  return new Promise((resolve) => child.once('exit', resolve))
}

/** Processes that run until they are stopped. */
export class Running {
  readonly #children: { child: ChildProcess; over: Promise<number | null> }[] = []
  #isStopping = false

  start(caller: Caller, words: readonly string[], env: Record<string, string>): void {
    const child = begin(caller, words, env)
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const over = new Promise<number | null>((resolve) => child.once('exit', resolve))
    void over.then((code) => {
      if (!this.#isStopping) throw new Error(`${words.join(' ')} ended with ${code}:\n${said}`)
    })
    this.#children.push({ child, over })
  }

  get pids(): number[] {
    return this.#children.flatMap(({ child }) => (child.pid === undefined ? [] : family(child.pid)))
  }

  workers(): number[] {
    return this.pids.filter((pid) => commandOf(pid).includes('gateway/process.ts'))
  }

  /** The memory by the kind of process, in MiB. */
  memory(): Map<string, number> {
    const memory = new Map<string, number>()
    for (const pid of this.pids) {
      const kind = kindOf(commandOf(pid))
      memory.set(kind, (memory.get(kind) ?? 0) + pssBytes(pid) / 1024 / 1024)
    }
    return memory
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { child } of this.#children) child.kill('SIGTERM')
    await Promise.all(this.#children.map(({ over }) => over))
  }
}

function kindOf(command: string): string {
  if (command.includes('postgres')) return 'PostgreSQL'
  if (command.includes('gateway/process.ts')) return 'gateway workers'
  return /turnpike\.(?:ts|mjs) (\w+)/.exec(command)?.[1] ?? command
}

const lookEveryMs = 5
const patienceMs = 600_000

/** Repeats an attempt until it succeeds; returns the milliseconds that have passed since `begun`. */
export async function until(attempt: () => Promise<boolean>, begun = performance.now()): Promise<number> {
  while (!(await attempt().catch(() => false))) {
    if (performance.now() - begun > patienceMs) throw new Error('what was started does not serve')
    await sleep(lookEveryMs)
  }
  return performance.now() - begun
}

export const serves = (origin: string) => async (): Promise<boolean> => {
  const response = await fetch(origin)
  await response.arrayBuffer()
  return response.ok
}

export const relays = (way: Way) => async (): Promise<boolean> => {
  const { received } = await run('connect', way, get('connect', way, '/bytes/1'))
  return received > 0
}
