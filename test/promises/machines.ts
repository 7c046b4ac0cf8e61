/**
 * The machines of an operator: `turnpike api`, `worker` and `gateway` as processes with separate folders, on
 * one database.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient } from '#contract/client'
import { freePort } from '../ports.ts'
import { inherited, workersOf } from '../stack.ts'

const main = path.join(import.meta.dirname, '../../src/main/commands/turnpike.ts')

export interface Machine {
  dataDir: string
  /** The pids of its gateway workers. */
  workers: () => number[]
  /** kill -9, and a wait until the process has ended. */
  kill: () => Promise<void>
  /** Starts again with the same folder and ports; resolves when it works. */
  start: () => Promise<void>
  /** Ctrl-C. */
  stop: () => Promise<void>
}

export interface ApiMachine extends Machine {
  origin: string
  client: (token: string | null) => Client
}

export interface GatewayMachine extends Machine {
  portBase: number
}

export type Env = Record<string, string>

/** The common settings of all machines of a shop. */
export const shopEnv = (databaseUrl: string, env: Env = {}): Env => ({
  DATABASE_URL: databaseUrl,
  SECRET_KEY: 'a key of the test that all machines share, long enough',
  DEMO: '1',
  DEMO_HISTORY: '0',
  LOG_LEVEL: 'fatal',
  GATEWAY_WORKERS: '1',
  GATEWAY_SLOTS: '0',
  GATEWAY_ALLOW: '127.0.0.1',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  ...env,
})

/** A test that fails during their start must not leave them running. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function spawnIn(dataDir: string, env: Env, words: string[]): ChildProcess {
  const child = spawn(process.execPath, [main, ...words], {
    env: { ...inherited(), DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function machine(env: Env, word: string, isReady: RegExp): Promise<Machine> {
  const dataDir = mkdtempSync(path.join(tmpdir(), `turnpike-${word}-`))
  let child: ChildProcess | null = null
  const end = async (signal: NodeJS.Signals) => {
    const running = child
    child = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill(signal)
    await ended
  }
  const self: Machine = {
    dataDir,
    workers: () => (child?.pid === undefined ? [] : workersOf(child.pid)),
    kill: () => end('SIGKILL'),
    start: () =>
      new Promise((resolve, reject) => {
        const starting = spawnIn(dataDir, env, [word])
        child = starting
        let said = ''
        const listen = (chunk: Buffer) => {
          said += chunk.toString()
          if (isReady.test(said)) resolve()
        }
        starting.stdout?.on('data', listen)
        starting.stderr?.on('data', listen)
        starting.once('exit', (code, signal) =>
          reject(new Error(`turnpike ${word} ended (${signal ?? code}):\n${said}`)),
        )
      }),
    stop: async () => {
      await end('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await self.start()
  return self
}

export async function startApiMachine(env: Env): Promise<ApiMachine> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const made = await machine({ ...env, PORT: String(port) }, 'api', /The web server listens/)
  const client = (token: string | null) =>
    createClient({ baseUrl: origin, token: () => token, language: () => 'en', timeoutMs: 20_000 })
  return { ...made, origin, client }
}

export const startWorkerMachine = (env: Env): Promise<Machine> =>
  machine(env, 'worker', /The worker is running/)

/** Serves gateways without a database at FEED_LISTEN. */
export const startFeedMachine = (env: Env): Promise<Machine> => machine(env, 'feed', /The feed listens/)

export async function startGatewayMachine(env: Env, portBase: number): Promise<GatewayMachine> {
  const made = await machine(
    { ...env, GATEWAY_PORT_BASE: String(portBase) },
    'gateway',
    /The gateway (listens|is drained)/,
  )
  return { ...made, portBase }
}
