/**
 * The parts of Turnpike as processes of their own, for several machines on one PostgreSQL. Each imports what
 * it runs when it is started.
 */
import { load } from './cli/load.ts'
import { watchClock } from './clock.ts'
import { certificateMetrics } from './health/certificates.ts'
import { watchDatabase } from './health/database.ts'
import { type MachineFaults, watchMachine } from './health/machine.ts'
import type { ShopFaults } from './desk.ts'
import { makeLog } from './process/log.ts'
import { processMetrics, startMetrics } from './metrics.ts'
import { Readiness } from './health/readiness.ts'
import { watchVariables } from './renewal.ts'
import { openMigrated, type Services } from './services.ts'
import { SettingFault, type Settings } from './settings/settings.ts'
import { askedToStop, serve, Stopper } from './process/stop.ts'

/** The dependencies of a part. `start` returns the sentence that it is running. */
interface Part {
  services: Services
  stopper: Stopper
  readiness: Readiness
}

async function part(settings: Settings, start: (part: Part) => Promise<string>) {
  const asked = askedToStop()
  const services = await openMigrated(settings, 'guest')
  const stopper = new Stopper()
  stopper.add('the database', () => services.database.close())
  await serve({ asked, stopper, log: services.log }, async () => {
    process.stdout.write(`${await start({ services, stopper, readiness: new Readiness() })}\n`)
  })
}

/** Monitors the database and the clock until the process ends. */
async function watch(services: Services, stopper: Stopper, watched: Parameters<typeof watchClock>[2]) {
  watchClock(services, stopper, watched)
  await watchDatabase(services.database, watched.registry)
  services.counts.register(watched.registry)
  await watchVariables(services, stopper)
}

export async function runApi(settings: Settings): Promise<void> {
  const { startApi } = await load(() => import('./api.ts'))
  await part(settings, async ({ services, stopper, readiness }) => {
    const watched = { registry: processMetrics(), readiness }
    await watch(services, stopper, watched)
    const origin = await startApi(services, stopper, watched)
    return `The web server listens on ${origin}.`
  })
}

export async function runDesk(settings: Settings, shopFaults: ShopFaults): Promise<void> {
  const { startDesk } = await load(() => import('./desk.ts'))
  await part(settings, async ({ services, stopper, readiness }) => {
    const watched = { registry: await startMetrics(settings, 'desk', stopper, readiness), readiness }
    await watch(services, stopper, watched)
    const origin = await startDesk(services, stopper, { ...watched, shopFaults })
    if (origin === null) throw new SettingFault('DESK_LISTEN is empty: say where the desk listens.')
    return `The desk listens on ${origin}.`
  })
}

export async function runWorker(settings: Settings, machineFaults: MachineFaults): Promise<void> {
  const { startWorker } = await load(() => import('./worker.ts'))
  await part(settings, async ({ services, stopper, readiness }) => {
    const watched = { registry: await startMetrics(settings, 'worker', stopper, readiness), readiness }
    await watch(services, stopper, watched)
    watchMachine(services, stopper, machineFaults)
    await startWorker(services, stopper, watched)
    return 'The worker is running.'
  })
}

export async function runFeed(settings: Settings): Promise<void> {
  const { startFeed } = await load(() => import('./feed.ts'))
  await part(settings, async ({ services, stopper, readiness }) => {
    const registry = await startMetrics(settings, 'feed', stopper, readiness)
    certificateMetrics(settings, ['feed'], registry)
    await watch(services, stopper, { registry, readiness })
    const name = await startFeed(services, stopper, { registry })
    if (name === null) throw new SettingFault('FEED_LISTEN is missing: say where gateways find the feed.')
    return `The feed listens on ${name}.`
  })
}

/**
 * `replaces`: it takes over from a gateway that runs on the same DATA_DIR, which drains once this one
 * listens.
 */
export async function runGateway(
  settings: Settings,
  { replaces, machineFaults }: { replaces: boolean; machineFaults: MachineFaults },
): Promise<void> {
  const { startFarGateways, startGateways } = await load(() => import('./gateway.ts'))
  if (settings.feed.connect !== null) return runFarGateway(settings, startFarGateways, { replaces })
  await part(settings, async ({ services, stopper, readiness }) => {
    const registry = await startMetrics(settings, 'gateway', stopper, readiness, { waits: replaces })
    certificateMetrics(settings, ['gateway'], registry)
    await watch(services, stopper, { registry, readiness })
    watchMachine(services, stopper, machineFaults)
    return startGateways(services, stopper, { registry, readiness, replaces })
  })
}

/** A gateway without the database. Its start may wait for the server; a request to stop ends that wait. */
async function runFarGateway(
  settings: Settings,
  startFarGateways: typeof import('./gateway.ts').startFarGateways,
  { replaces }: { replaces: boolean },
): Promise<void> {
  const asked = askedToStop()
  const base = { settings, log: makeLog(settings.logLevel) }
  const stopper = new Stopper()
  await serve({ asked, stopper, log: base.log }, async () => {
    const readiness = new Readiness()
    const registry = await startMetrics(settings, 'gateway', stopper, readiness, { waits: replaces })
    certificateMetrics(settings, ['gateway'], registry)
    const sentence = await startFarGateways(base, stopper, { registry, readiness, replaces })
    process.stdout.write(`${sentence}\n`)
  })
}

export async function runBot(settings: Settings): Promise<void> {
  const { keepBot } = await load(() => import('./bot.ts'))
  await part(settings, async ({ services, stopper, readiness }) => {
    const registry = await startMetrics(settings, 'bot', stopper, readiness)
    await watch(services, stopper, { registry, readiness })
    if (services.settings.telegram.token === null)
      throw new SettingFault('TELEGRAM_BOT_TOKEN is missing: BotFather gives it. Set it here or at the desk.')
    return (
      (await keepBot(services, stopper)) ?? 'The Telegram bot waits for another token or name from the desk.'
    )
  })
}
