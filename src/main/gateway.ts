/**
 * The gateway as a process part: worker processes that share the entry ports, each on a feed of its own.
 *
 * A worker is a process, so that traffic uses every core and a crash takes only its own tunnels. Its feed runs over a
 * pipe made with it: when either side dies the other hears it at once. On a machine without the database each worker
 * has a connection of its own to the server's feed instead.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Registry } from 'prom-client'
import { WorkerCoordinator } from '#gateway'
import type { Feed } from '#feed'
import { tryFolderLock } from '#lib/folder-lock'
import { openFeed, readPem } from './feed.ts'
import { poolPorts, type WorkerOptions } from './gateway.messages.ts'
import { gatewayMetrics } from './gateway.metrics.ts'
import { checkTargetRules, ownServers } from './gateway.rules.ts'
import { shopAuthority } from './gateway.shop.ts'
import { workerRights } from './gateway.user.ts'
import { GatewayWorker } from './gateway.worker.ts'
import type { Readiness } from './health/readiness.ts'
import { type Services } from './services.ts'
import { SettingFault } from './settings.ts'
import { onSecondAsking, type Stopper } from './stop.ts'

/** Where it is told how the workers are. */
interface Watched {
  /** Null: nobody asks for metrics. */
  registry: Registry | null
  readiness: Readiness
}

/** Starts the workers over the database of this process, and resolves when all of them listen. */
export const startGateways = (services: Services, stopper: Stopper, watched: Watched) =>
  startWorkers(services, stopper, {
    ...watched,
    open: () => openFeed(services, stopper, { isOfThisMachine: true, registry: watched.registry }),
  })

/** Starts the workers on a machine without the database: they go to the feed of FEED_URL. */
export const startFarGateways = (base: Base, stopper: Stopper, watched: Watched) =>
  startWorkers(base, stopper, { ...watched, open: null })

type Base = Pick<Services, 'settings' | 'log'>

/** Refuses ports in use with a sentence. `open` is null when the workers find the feed by themselves. */
async function startWorkers(
  base: Base,
  stopper: Stopper,
  { registry, readiness, open }: Watched & { open: (() => Promise<Feed>) | null },
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
  const missing = () => workers.filter(({ isMissing }) => isMissing).length
  const metrics = registry === null ? null : gatewayMetrics(registry, missing)
  const coordinator = new WorkerCoordinator()
  const { user, certificates, explain, stop } = workerRights(settings, folder, base.log)
  stopper.add('the copies of certificates', async () => stop())
  const workers: GatewayWorker[] = Array.from(
    { length: settings.gateway.workers },
    (_, index) =>
      new GatewayWorker({
        log: base.log,
        feed,
        options: {
          ...optionsOf(base, folder, `${name}-${index}`),
          user,
          certificates,
          feeds: feed === null ? dialsOf(base) : [],
        },
        explain,
        coordinator,
        onStats: metrics?.(index),
      }),
  )
  readiness.add(() =>
    missing() === 0 ? null : `Gateway workers that do not run: ${missing()} of ${workers.length}.`,
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

/** How a worker reaches the servers' feeds on its own, the preferred first. */
function dialsOf({ settings: { feed } }: Base): WorkerOptions['feeds'] {
  if (feed.connect === null) return []
  const { addresses, token, caFile } = feed.connect
  const ca = caFile === null ? null : readPem(caFile)
  return addresses.map((address) => ({ address, token, ca }))
}

function optionsOf(
  { settings }: Base,
  folder: string,
  gateway: string,
): Omit<WorkerOptions, 'feeds' | 'user' | 'certificates'> {
  return {
    gateway,
    journalDir: folder,
    ports: poolPorts(settings.gateway),
    host: settings.gateway.listenHost,
    workers: settings.gateway.workers,
    probeAfterMs:
      settings.gateway.exitProbeSeconds === null ? null : settings.gateway.exitProbeSeconds * 1000,
    forgivenBytesPerHour: settings.gateway.forgivenMbPerHour * 1_000_000,
    allow: settings.gateway.allow,
    deny: settings.gateway.deny,
    ownServers: ownServers(settings),
    shop: settings.gateway.opensShop ? shopAuthority(settings.publicUrl) : null,
    drainMs: settings.gateway.drainSeconds * 1000,
    logLevel: settings.logLevel,
  }
}
