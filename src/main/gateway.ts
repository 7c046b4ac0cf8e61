/**
 * The gateway as a process part: worker processes that share the entry ports, each on a feed of its own.
 *
 * A worker is a process, so that traffic uses every core and a crash ends only its own tunnels. Its feed runs over a
 * pipe: when either side dies the other is notified at once. On a machine without the database each worker
 * has a connection of its own to the server's feed instead.
 */
import path from 'node:path'
import type { Registry } from 'prom-client'
import { listDeadLetters, WorkerCoordinator } from '#gateway'
import type { Feed } from '#feed'
import { openFeed, readPem } from './feed.ts'
import { poolPorts, type WorkerOptions } from './gateway.messages.ts'
import { gatewayMetrics } from './gateway.metrics.ts'
import { checkTargetRules, ownServers } from './gateway.rules.ts'
import { shopAuthority } from './gateway.shop.ts'
import { slotFolders, type TakeOver, takeOtherSlot, takeSlot, unsettledWorkers } from './gateway/slot.ts'
import { workerRights } from './gateway.user.ts'
import { GatewayWorker } from './gateway.worker.ts'
import type { Readiness } from './health/readiness.ts'
import { type Services } from './services.ts'
import { onSecondAsking, type Stopper } from './stop.ts'

/** Where the state of the workers is reported. */
interface Watched {
  /** Null: the process has no metrics. */
  registry: Registry | null
  readiness: Readiness
}

interface Start extends Watched {
  /** Whether it takes over from a gateway that runs on the same DATA_DIR. */
  replaces: boolean
}

/** Starts the workers over the database of this process, and resolves when all of them listen. */
export const startGateways = (services: Services, stopper: Stopper, start: Start) =>
  startWorkers(services, stopper, {
    ...start,
    open: () => openFeed(services, stopper, { isOfThisMachine: true, registry: start.registry }),
  })

/** Starts the workers on a machine without the database, with the feed of FEED_URL. */
export const startFarGateways = (base: Base, stopper: Stopper, start: Start) =>
  startWorkers(base, stopper, { ...start, open: null })

type Base = Pick<Services, 'settings' | 'log'>

/** Stops the workers when the process is asked to end, at once when it is asked again. Returns whether that has begun. */
function stopTogether(stopper: Stopper, workers: readonly GatewayWorker[], drainMs: number): () => boolean {
  let isStopping = false
  stopper.add('the gateways', async () => {
    isStopping = true
    let graceMs = drainMs
    const stopAll = () => Promise.all(workers.map((worker) => worker.stop(graceMs)))
    const hurry = () => {
      graceMs = 0
      void stopAll()
    }
    const calm = onSecondAsking(hurry)
    await stopAll().finally(calm)
  })
  return () => isStopping
}

/** Refuses ports in use with a sentence. `open` is null when the workers connect to the feed themselves. */
async function startWorkers(
  base: Base,
  stopper: Stopper,
  { registry, readiness, replaces, open }: Start & { open: (() => Promise<Feed>) | null },
): Promise<void> {
  const { settings } = base
  checkTargetRules(settings)
  const slot = await takeSlot(settings.dataDir, { replaces })
  const { folder, name } = slot
  stopper.add('the gateway lock', async () => slot.release())
  const feed = open === null ? null : await open()
  const missing = () => workers.filter(({ isMissing }) => isMissing).length
  const metrics =
    registry === null
      ? null
      : gatewayMetrics(registry, {
          missing,
          putAside: () => slotFolders(path.dirname(folder)).flatMap(listDeadLetters).length,
        })
  const coordinator = new WorkerCoordinator()
  const { user, certificates, explain, stop } = workerRights(settings, folder, base.log)
  stopper.add('the copies of certificates', async () => stop())
  const feeds = feed === null ? dialsOf(base) : []
  const rights = { user, certificates }
  const workers: GatewayWorker[] = Array.from(
    { length: settings.gateway.workers },
    (_, index) =>
      new GatewayWorker({
        log: base.log,
        feed,
        options: { ...optionsOf(base, folder, `${name}-${index}`), ...rights, feeds },
        explain,
        coordinator,
        onStats: metrics?.(index),
      }),
  )
  const isStopping = stopTogether(stopper, workers, settings.gateway.drainSeconds * 1000)
  readiness.add(() => (isStopping() ? 'The gateway drains: it takes no new connections.' : null))
  readiness.add(() =>
    missing() === 0 ? null : `Gateway workers that do not run: ${missing()} of ${workers.length}.`,
  )
  // One after the other, so that a port in use is reported once.
  for (const worker of workers) await worker.start()
  sayTakeOver(base, slot.listening())
  settleLeftOvers(base, stopper, {
    folder,
    workerFor: (directory, gateway) =>
      new GatewayWorker({
        log: base.log,
        feed,
        options: {
          ...optionsOf(base, directory, gateway),
          user,
          certificates: [],
          feeds,
          ports: [],
          workers: 1,
        },
        explain,
        coordinator: new WorkerCoordinator(),
        onStats: undefined,
      }),
  })
}

function sayTakeOver({ log }: Base, outcome: TakeOver): void {
  if (outcome === 'told') log.info('this gateway listens; the one before ends its tunnels')
  if (outcome === 'unknown')
    log.warn('this gateway listens; the one before is of a release that cannot be told: stop it now')
}

const lookEveryMs = 2_000

/**
 * Sends the reports that the gateway of the other slot left, once it has ended: it may have been killed while it drained, and
 * that slot is not started again before the next upgrade. A worker without ports sends them, under the name of the former worker.
 */
function settleLeftOvers(
  { log }: Base,
  stopper: Stopper,
  parts: { folder: string; workerFor: (directory: string, gateway: string) => GatewayWorker },
): void {
  let work: Promise<void> | undefined
  const look = async () => {
    const other = await takeOtherSlot(parts.folder)
    if (other === undefined) return
    clearInterval(timer)
    try {
      for (const gateway of unsettledWorkers(other.folder)) {
        const worker = parts.workerFor(other.folder, gateway)
        stopper.add(`the reports of ${gateway}`, () => worker.stop(0))
        await worker.start()
        await worker.stop(0)
        log.info({ gateway }, 'the reports that an earlier gateway had left are settled')
      }
    } finally {
      other.release()
    }
  }
  const timer = setInterval(() => {
    work ??= look()
      .catch((error: unknown) =>
        log.error({ err: error }, 'the reports of the gateway before are not settled'),
      )
      .finally(() => (work = undefined))
  }, lookEveryMs).unref()
  stopper.add('the look at the gateway before', async () => {
    clearInterval(timer)
    await work
  })
}

/** The servers that a worker connects to itself, the preferred first. */
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
    connectionLog: settings.connectionLog.keeps,
    allow: settings.gateway.allow,
    deny: settings.gateway.deny,
    ownServers: ownServers(settings),
    shop: settings.gateway.opensShop ? shopAuthority(settings.publicUrl) : null,
    drainMs: settings.gateway.drainSeconds * 1000,
    logLevel: settings.logLevel,
  }
}
