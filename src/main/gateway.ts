/**
 * The gateway as a process part: worker processes that share the entry ports, each on a feed of its own.
 *
 * A worker is a process, so that traffic uses every core and a crash takes only its own tunnels. Its feed runs over a
 * pipe made with it: when either side dies the other hears it at once.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type { Registry } from 'prom-client'
import { listExits } from '#exits'
import { serveFeed } from '#gateway/feed-server'
import { tryFolderLock } from '#lib/folder-lock'
import { findSubuser, savedSlot, savedTargeting } from '#proxies'
import { createFeed, type TrafficFeed } from '#traffic'
import { whitelistedSubuser } from '#whitelist'
import { type FromWorker, poolPorts, type ToWorker, type WorkerOptions } from './gateway.messages.ts'
import { gatewayMetrics } from './gateway.metrics.ts'
import { type Services } from './services.ts'
import { SettingFault } from './settings.ts'
import type { Stopper } from './stop.ts'

/** Tunnels may end by themselves for this long when the gateway is asked to stop. */
const graceMs = 5_000
const killAfterMs = 15_000
const restartMs = { first: 100, most: 5_000 }

/** Starts the workers and resolves when all of them listen. Refuses ports in use with a sentence. */
export async function startGateways(
  services: Services,
  stopper: Stopper,
  registry: Registry | null,
): Promise<void> {
  const { settings, database } = services
  const folder = path.join(settings.dataDir, 'gateway')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = await tryFolderLock('gateway', folder)
  if (release === undefined) {
    throw new SettingFault(
      `A gateway runs on ${settings.dataDir} already: stop it first, or give this one another DATA_DIR.`,
    )
  }
  stopper.add('the gateway lock', async () => release())
  const feed = await createFeed(database, {
    findSubuser,
    savedTargeting,
    savedSlot,
    whitelistedSubuser,
    listExits: (db) => listExits(db, services.secrets),
  })
  stopper.add('the feed', () => feed.close())
  const name = gatewayName(folder)
  const metrics = registry === null ? null : gatewayMetrics(registry)
  const workers = Array.from(
    { length: settings.gateway.workers },
    (_, index) =>
      new Worker(services, feed, optionsOf(services, folder, `${name}-${index}`), metrics?.(index)),
  )
  stopper.add('the gateways', async () => void (await Promise.all(workers.map((worker) => worker.stop()))))
  // One after the other: a port in use is then said once.
  for (const worker of workers) await worker.start()
}

/** The name this machine's gateway keeps for ever: its journals and leases are found by it. */
function gatewayName(folder: string): string {
  const file = path.join(folder, 'name')
  if (!existsSync(file))
    writeFileSync(file, `gw${randomBytes(5).toString('hex')}`, { flag: 'wx', mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

function optionsOf({ settings }: Services, folder: string, gateway: string): WorkerOptions {
  const { publicUrl } = settings
  const port = publicUrl.port === '' ? (publicUrl.protocol === 'https:' ? '443' : '80') : publicUrl.port
  return {
    gateway,
    journalDir: folder,
    ports: poolPorts(settings.gateway),
    host: settings.gateway.listenHost,
    // A customer may always point a line at the shop itself, to try it.
    allow: [...settings.gateway.allow, `${publicUrl.hostname}:${port}`],
    logLevel: settings.logLevel,
  }
}

class Worker {
  readonly #services: Services
  readonly #feed: TrafficFeed
  readonly #options: WorkerOptions
  readonly #onStats: ((stats: Record<string, number> | null) => void) | undefined
  #child: ChildProcess | undefined
  #restartMs = restartMs.first
  #timer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(
    services: Services,
    feed: TrafficFeed,
    options: WorkerOptions,
    onStats: ((stats: Record<string, number> | null) => void) | undefined,
  ) {
    this.#services = services
    this.#feed = feed
    this.#options = options
    this.#onStats = onStats
  }

  /** Starts the process; resolves when it listens, rejects when its first start fails. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = fork(path.join(import.meta.dirname, 'gateway.process.ts'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
        // Ctrl-C reaches the whole terminal group: the worker waits to be told, so that its last report is settled.
        detached: true,
      })
      this.#child = child
      const endFeed = serveFeed(this.#feed, child.stdio[4] as unknown as Duplex)
      child.on('message', (message: FromWorker) => {
        if (message.type === 'stats') return this.#onStats?.(message.stats)
        if (message.type === 'refused') return reject(new SettingFault(message.sentence))
        this.#restartMs = restartMs.first
        resolve()
      })
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        endFeed()
        this.#onStats?.(null)
        reject(new Error(`a gateway worker ended at its start (${signal ?? code})`))
        this.#ended(child, code, signal)
      })
      child.send({ type: 'start', options: this.#options } satisfies ToWorker)
    })
  }

  /** A worker that dies is started again; its journal tells the next one what to report. */
  #ended(child: ChildProcess, code: number | null, signal: string | null): void {
    if (this.#child !== child) return
    this.#child = undefined
    if (this.#isStopping) return
    this.#services.log.error(
      { gateway: this.#options.gateway, code, signal },
      'a gateway worker died; starting it again',
    )
    this.#timer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        this.#services.log.error(
          { err: error, gateway: this.#options.gateway },
          'a gateway worker did not start',
        )
      })
    }, this.#restartMs)
    this.#restartMs = Math.min(this.#restartMs * 2, restartMs.most)
  }

  /** Lets the worker end its tunnels and settle its reports, and kills it when it does not. */
  stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const killer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      child.once('exit', () => {
        clearTimeout(killer)
        resolve()
      })
      if (child.connected) child.send({ type: 'stop', graceMs } satisfies ToWorker)
      else child.kill('SIGTERM')
    })
  }
}
