/**
 * The gateway as a process part: worker processes that share the entry ports, each on a feed of its own.
 *
 * A worker is a process, so that traffic uses every core and a crash takes only its own tunnels. Its feed runs over a
 * pipe made with it: when either side dies the other hears it at once. On a machine without the database each worker
 * has a connection of its own to the server's feed instead.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import type { Registry } from 'prom-client'
import { WorkerCoordinator, type GatewayStats } from '#gateway'
import type { Feed } from '#feed'
import { serveFeed } from '#feed/server'
import { tryFolderLock } from '#lib/folder-lock'
import { openFeed, readPem } from './feed.ts'
import { type FromWorker, poolPorts, type ToWorker, type WorkerOptions } from './gateway.messages.ts'
import { gatewayMetrics } from './gateway.metrics.ts'
import { checkTargetRules, ownServers } from './gateway.rules.ts'
import { shopAuthority } from './gateway.shop.ts'
import { type Services } from './services.ts'
import { SettingFault } from './settings.ts'
import { onSecondAsking, type Stopper } from './stop.ts'
import { workerEnvironment } from './worker.environment.ts'

/** Beyond the time that tunnels may take to end: for the last reports to be settled. */
const killAfterMs = 15_000
/**
 * What one handshake leaves behind dies young in a nursery of this size; in a small one it is carried along for hours,
 * and a larger one, as it would become by itself, takes more memory than thousands of tunnels and makes nothing cheaper.
 */
const workerHeap = ['--min-semi-space-size=16', '--max-semi-space-size=16']
const restartMs = { first: 100, most: 5_000 }

/** Starts the workers over the database of this process, and resolves when all of them listen. */
export const startGateways = (services: Services, stopper: Stopper, registry: Registry | null) =>
  startWorkers(services, stopper, { registry, open: () => openFeed(services, stopper) })

/** Starts the workers on a machine without the database: they go to the feed of FEED_URL. */
export const startFarGateways = (base: Base, stopper: Stopper, registry: Registry | null) =>
  startWorkers(base, stopper, { registry, open: null })

type Base = Pick<Services, 'settings' | 'log'>

/** Refuses ports in use with a sentence. `open` is null when the workers find the feed by themselves. */
async function startWorkers(
  base: Base,
  stopper: Stopper,
  { registry, open }: { registry: Registry | null; open: (() => Promise<Feed>) | null },
): Promise<void> {
  const { settings } = base
  checkTargetRules(settings)
  const folder = path.join(settings.dataDir, 'gateway')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = await tryFolderLock('gateway', folder)
  if (release === undefined) {
    throw new SettingFault(
      `A gateway runs on ${settings.dataDir} already: stop it first, or give this one another DATA_DIR.`,
    )
  }
  stopper.add('the gateway lock', async () => release())
  const feed = open === null ? null : await open()
  const name = gatewayName(folder)
  const metrics = registry === null ? null : gatewayMetrics(registry)
  const coordinator = new WorkerCoordinator()
  const workers = Array.from(
    { length: settings.gateway.workers },
    (_, index) =>
      new Worker(
        base,
        feed,
        { ...optionsOf(base, folder, `${name}-${index}`), feed: feed === null ? dialOf(base) : null },
        { coordinator, onStats: metrics?.(index) },
      ),
  )
  stopper.add('the gateways', async () => {
    let graceMs = settings.gateway.drainSeconds * 1000
    const stopAll = () => Promise.all(workers.map((worker) => worker.stop(graceMs)))
    const hurry = () => {
      graceMs = 0
      void stopAll()
    }
    const calm = onSecondAsking(hurry)
    await stopAll().finally(calm)
  })
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

/** How a worker reaches the server's feed on its own. */
function dialOf({ settings: { feed } }: Base): WorkerOptions['feed'] {
  if (feed.connect === null) return null
  const { address, token, caFile } = feed.connect
  return { address, token, ca: caFile === null ? null : readPem(caFile) }
}

function optionsOf({ settings }: Base, folder: string, gateway: string): Omit<WorkerOptions, 'feed'> {
  return {
    gateway,
    journalDir: folder,
    ports: poolPorts(settings.gateway),
    host: settings.gateway.listenHost,
    workers: settings.gateway.workers,
    probeAfterMs:
      settings.gateway.exitProbeSeconds === null ? null : settings.gateway.exitProbeSeconds * 1000,
    allow: settings.gateway.allow,
    deny: settings.gateway.deny,
    ownServers: ownServers(settings),
    shop: settings.gateway.opensShop ? shopAuthority(settings.publicUrl) : null,
    certificates: settings.gateway.certificates,
    drainMs: settings.gateway.drainSeconds * 1000,
    logLevel: settings.logLevel,
  }
}

class Worker {
  readonly #base: Base
  /** Null: the worker finds it by itself. */
  readonly #feed: Feed | null
  readonly #options: WorkerOptions
  readonly #coordinator: WorkerCoordinator
  readonly #onStats: ((stats: GatewayStats | null) => void) | undefined
  #child: ChildProcess | undefined
  #restartMs = restartMs.first
  #timer: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(
    base: Base,
    feed: Feed | null,
    options: WorkerOptions,
    {
      coordinator,
      onStats,
    }: { coordinator: WorkerCoordinator; onStats: ((stats: GatewayStats | null) => void) | undefined },
  ) {
    this.#base = base
    this.#feed = feed
    this.#options = options
    this.#coordinator = coordinator
    this.#onStats = onStats
  }

  /** Starts the process; resolves when it listens, rejects when its first start fails. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = fork(path.join(import.meta.dirname, 'gateway.process.ts'), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', this.#feed === null ? 'ignore' : 'pipe'],
        // Ctrl-C reaches the whole terminal group: the worker waits to be told, so that its last report is settled.
        detached: true,
        execArgv: [...process.execArgv, ...workerHeap],
        env: workerEnvironment(process.env),
      })
      this.#child = child
      const endFeed = this.#feed === null ? null : serveFeed(this.#feed, child.stdio[4] as unknown as Duplex)
      const member = this.#coordinator.join((message) => {
        if (child.connected) child.send({ type: 'bus', message } satisfies ToWorker)
      })
      child.on('message', (message: FromWorker) => {
        if (message.type === 'bus') return member.receive(message.message)
        if (message.type === 'stats') return this.#onStats?.(message.stats)
        if (message.type === 'refused') return reject(new SettingFault(message.sentence))
        this.#restartMs = restartMs.first
        resolve()
      })
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        endFeed?.()
        member.leave()
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
    this.#base.log.error(
      { gateway: this.#options.gateway, code, signal },
      'a gateway worker died; starting it again',
    )
    this.#timer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        this.#base.log.error({ err: error, gateway: this.#options.gateway }, 'a gateway worker did not start')
      })
    }, this.#restartMs)
    this.#restartMs = Math.min(this.#restartMs * 2, restartMs.most)
  }

  /**
   * Lets the worker end its tunnels for so long and settle its reports, and kills it when it does not. Said again, it
   * has less time.
   */
  stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const killer = setTimeout(() => child.kill('SIGKILL'), graceMs + killAfterMs)
      child.once('exit', () => {
        clearTimeout(killer)
        resolve()
      })
      if (child.connected) child.send({ type: 'stop', graceMs } satisfies ToWorker)
      else child.kill('SIGTERM')
    })
  }
}
