/**
 * The gateway as a process part: worker processes that share the entry ports, each on a feed of its own.
 *
 * A worker is a process, so that traffic uses every core and a crash ends only its own tunnels. Its feed runs
 * over a pipe: when either side dies the other is notified at once. On a machine without the database each
 * worker has a connection of its own to the server's feed instead.
 */
import path from 'node:path'
import type { Registry } from 'prom-client'
import { areRawSocketsUsable, listDeadLetters, NameResolver, WorkerCoordinator } from '#gateway'
import type { Feed } from '#feed'
import { gatewayOfToken } from '#feed/keys'
import { openFeed, readPem } from './feed.ts'
import { poolPorts, type WorkerOptions } from './gateway/messages.ts'
import { openEntryPorts } from './gateway/entry.ports.ts'
import { gatewayMetrics } from './gateway/metrics.ts'
import { checkTargetRules, ownServers } from './gateway/rules.ts'
import { shopAuthority } from './gateway/shop.ts'
import { connectFarFeed } from './gateway/feed.connection.ts'
import { Presence } from './gateway/presence.ts'
import { tellReadiness } from './gateway/readiness.ts'
import {
  type GatewaySlot,
  slotFolders,
  type TakeOver,
  takeOtherSlot,
  takeSlot,
  unsettledWorkers,
} from './gateway/slot.ts'
import { GatewayWorkers } from './gateway/workers.ts'
import { workerRights } from './gateway/user.ts'
import { usableFlags } from './gateway/worker.flags.ts'
import { GatewayWorker, type WorkerParts } from './gateway/worker.ts'
import type { Readiness } from './health/readiness.ts'
import { type Log, makeLog } from './process/log.ts'
import { type Services } from './services.ts'
import type { Stopper } from './process/stop.ts'

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
    renewals: services.renewals,
  })

/** Starts the workers on a machine without the database, with the feed of FEED_URL. */
export const startFarGateways = (base: Base, stopper: Stopper, start: Start) =>
  startWorkers(base, stopper, { ...start, open: null, renewals: null })

type Base = Pick<Services, 'settings' | 'log'>

/**
 * Refuses ports in use with a sentence. Returns the sentence that the gateway listens, or why it does not.
 * `open` is null when the workers connect to the feed themselves; then there is no database, and no renewals.
 */
async function startWorkers(
  base: Base,
  stopper: Stopper,
  {
    registry,
    readiness,
    replaces,
    open,
    renewals,
  }: Start & { open: (() => Promise<Feed>) | null; renewals: Services['renewals'] | null },
): Promise<string> {
  const { settings } = base
  checkTargetRules(settings)
  const token = open === null ? settings.feed.connect?.token : undefined
  const gateway = token === undefined ? null : gatewayOfToken(token)
  const slot = await takeSlot(settings.dataDir, { replaces, gateway })
  const { folder, name } = slot
  stopper.add('the gateway lock', async () => slot.release())
  const feed = open === null ? null : await open()
  const metrics = metricsOf(registry, folder, () => workers.missing)
  const coordinator = new WorkerCoordinator()
  const { user, certificates, explain, stop } = workerRights(settings, folder, base.log)
  stopper.add('the copies of certificates', async () => stop())
  const feeds = feed === null ? dialsOf(base) : []
  const rights = { user, certificates }
  const presence = presenceOf(base, stopper, slot, feed ?? openFarFeed(feeds, stopper))
  const flags = await usableFlags(base.log)
  const areEntriesGiven = await givesEntries(base)
  const workers = new GatewayWorkers({
    make: () =>
      Array.from(
        { length: settings.gateway.workers },
        (_, index) =>
          new GatewayWorker({
            log: base.log,
            feed,
            options: { ...optionsOf(base, folder, `${name}-${index}`), ...rights, feeds, areEntriesGiven },
            flags,
            explain,
            coordinator,
            onStats: (stats) => {
              presence.noteStats(index, stats)
              metrics?.(index)(stats)
            },
          }),
      ),
    entryPorts: areEntriesGiven ? () => openEntryPorts(optionsOf(base, folder, name)) : null,
    drainMs: settings.gateway.drainSeconds * 1000,
    log: base.log,
  })
  stopper.add('the gateways', () => workers.stop())
  renewals?.add(() => workers.setOwnServers(ownServers(settings)))
  tellReadiness(readiness, workers, presence)
  // A server on another machine may be unreachable: then the gateway starts in the last requested state.
  if (feed !== null) await presence.ask()
  if (!presence.isDrained) await workers.start()
  presence.follow(workers)
  sayTakeOver(base, slot.listening())
  const workerFor = withoutPorts(base, { feed, feeds, user, flags, explain })
  settleLeftOvers(base, stopper, { folder, workerFor })
  if (presence.isDrained) settleOwn(base, stopper, { folder, workerFor })
  return presence.isDrained
    ? `The gateway is drained: it accepts no connections before turnpike gateways undrain ${name}.`
    : `The gateway listens on port ${settings.gateway.portBase} and up.`
}

/**
 * Whether the entry ports are bound here and given to workers as they are needed. A Node.js without raw
 * sockets cannot bind a port and leave it to others: each worker listens on its own there.
 */
async function givesEntries({ settings, log }: Base): Promise<boolean> {
  if (!settings.gateway.acceptsAsNeeded) return false
  if (await areRawSocketsUsable()) return true
  log.warn('this Node.js has no raw sockets: GATEWAY_STANDBY is ignored, all gateway workers accept')
  return false
}

/** Null: no metrics are served. */
function metricsOf(registry: Registry | null, folder: string, missing: () => number) {
  if (registry === null) return null
  const putAside = () => slotFolders(path.dirname(folder)).flatMap(listDeadLetters).length
  return gatewayMetrics(registry, { missing, putAside })
}

/** Its final state is reported after the workers have ended. */
function presenceOf({ settings, log }: Base, stopper: Stopper, slot: GatewaySlot, feed: Feed): Presence {
  const { portBase, workers } = settings.gateway
  const { name, folder, isSuccessor: takesOver } = slot
  const presence = new Presence({ feed, name, folder, portBase, workers, takesOver, log })
  stopper.add('the word of the gateway', () => presence.stop())
  return presence
}

/**
 * Opens the feed of the gateway as a whole. The workers have connections of their own, and report an
 * unreachable server.
 */
function openFarFeed(feeds: WorkerOptions['feeds'], stopper: Stopper): Feed {
  const names = new NameResolver()
  const feed = connectFarFeed(feeds, names, makeLog('silent'))
  stopper.add('the feed of the gateway', async () => {
    feed.close()
    names.close()
  })
  return feed
}

function sayTakeOver({ log }: Base, outcome: TakeOver): void {
  if (outcome === 'told') log.info('this gateway listens; the one before ends its tunnels')
  if (outcome === 'unknown')
    log.warn('this gateway listens; the one before cannot be told to drain: stop it now')
}

/**
 * Reports what is in the journals of a folder, by workers without ports that have the names of those that
 * left it.
 */
async function settleJournals(
  log: Log,
  stopper: Stopper,
  folder: string,
  workerFor: WorkerFor,
): Promise<void> {
  for (const gateway of unsettledWorkers(folder)) {
    const worker = workerFor(folder, gateway)
    stopper.add(`the reports of ${gateway}`, () => worker.stop(0))
    await worker.start()
    await worker.stop(0)
    log.info({ gateway }, 'the reports that an earlier gateway had left are settled')
  }
}

/**
 * Sends the reports that a drained gateway left, which nothing else sends until the gateway serves again.
 * Without the database this waits for the server.
 */
function settleOwn(
  { log }: Base,
  stopper: Stopper,
  { folder, workerFor }: { folder: string; workerFor: WorkerFor },
): void {
  settleJournals(log, stopper, folder, workerFor).catch((error: unknown) =>
    log.error({ err: error }, 'the reports that this gateway had left are not settled'),
  )
}

type WorkerFor = (directory: string, gateway: string) => GatewayWorker

type SettlerParts = Pick<WorkerParts, 'feed' | 'flags' | 'explain'> & Pick<WorkerOptions, 'feeds' | 'user'>

/** Makes workers that accept nothing and settle what is in the journals of a folder. */
function withoutPorts(base: Base, { feeds, user, ...parts }: SettlerParts): WorkerFor {
  const own = { user, certificates: [], feeds, ports: [], areEntriesGiven: false, workers: 1 }
  return (directory, gateway) =>
    new GatewayWorker({
      ...parts,
      log: base.log,
      options: { ...optionsOf(base, directory, gateway), ...own },
      coordinator: new WorkerCoordinator(),
      onStats: undefined,
    })
}

const lookEveryMs = 2_000

/**
 * Sends the reports that the gateway of the other slot left, once it has ended: it may have been killed while
 * it drained, and that slot is not started again before the next upgrade. A worker without ports sends them,
 * under the name of the former worker.
 */
function settleLeftOvers(
  { log }: Base,
  stopper: Stopper,
  parts: { folder: string; workerFor: WorkerFor },
): void {
  let work: Promise<void> | undefined
  const look = async () => {
    const other = await takeOtherSlot(parts.folder)
    if (other === undefined) return
    clearInterval(timer)
    try {
      await settleJournals(log, stopper, other.folder, parts.workerFor)
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
): Omit<WorkerOptions, 'feeds' | 'user' | 'certificates' | 'areEntriesGiven'> {
  return {
    gateway,
    journalDir: folder,
    ports: poolPorts(settings.gateway),
    host: settings.gateway.listenHost,
    workers: settings.gateway.workers,
    probeAfterMs:
      settings.gateway.exitProbeSeconds === null ? null : settings.gateway.exitProbeSeconds * 1000,
    forgivenBytesPerHour: settings.gateway.forgivenMbPerHour * 1_000_000,
    connectionLog: settings.connectionLog,
    allow: settings.gateway.allow,
    deny: settings.gateway.deny,
    ownServers: ownServers(settings),
    shop: settings.gateway.opensShop ? shopAuthority(settings.publicUrl) : null,
    drainMs: settings.gateway.drainSeconds * 1000,
    logLevel: settings.logLevel,
  }
}
