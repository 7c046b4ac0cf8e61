/** The parts of Turnpike as processes of their own, for several machines on one PostgreSQL. */
import { startApi } from './api.ts'
import { startBot } from './bot.ts'
import { watchClock } from './clock.ts'
import { certificateMetrics } from './health/certificates.ts'
import { watchDatabase } from './health/database.ts'
import { startFeed } from './feed.ts'
import { startFarGateways, startGateways } from './gateway.ts'
import { makeLog } from './log.ts'
import { processMetrics, startMetrics } from './metrics.ts'
import { Readiness } from './health/readiness.ts'
import { openMigrated, type Services } from './services.ts'
import { SettingFault, type Settings } from './settings.ts'
import { askedToStop, serve, Stopper } from './stop.ts'
import { startWorker } from './worker.ts'

/** What a part is started with. `start` answers the sentence that it is running. */
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

/** Looks at what a process with the database depends on, until it ends. */
async function watch(services: Services, stopper: Stopper, watched: Parameters<typeof watchClock>[2]) {
  watchClock(services, stopper, watched)
  await watchDatabase(services.database, watched.registry)
  services.counts.register(watched.registry)
}

export const runApi = (settings: Settings) =>
  part(settings, async ({ services, stopper, readiness }) => {
    const watched = { registry: processMetrics(), readiness }
    await watch(services, stopper, watched)
    const origin = await startApi(services, stopper, watched)
    return `The web server listens on ${origin}.`
  })

export const runWorker = (settings: Settings) =>
  part(settings, async ({ services, stopper, readiness }) => {
    const watched = { registry: await startMetrics(settings, 'worker', stopper, readiness), readiness }
    await watch(services, stopper, watched)
    await startWorker(services, stopper, watched)
    return 'The worker is running.'
  })

export const runFeed = (settings: Settings) =>
  part(settings, async ({ services, stopper, readiness }) => {
    const registry = await startMetrics(settings, 'feed', stopper, readiness)
    certificateMetrics(settings, ['feed'], registry)
    await watch(services, stopper, { registry, readiness })
    const name = await startFeed(services, stopper, { registry })
    if (name === null) throw new SettingFault('FEED_LISTEN is missing: say where gateways find the feed.')
    return `The feed listens on ${name}.`
  })

/** `replaces`: it takes over from a gateway that runs on the same DATA_DIR, which ends its tunnels once this one listens. */
export const runGateway = (settings: Settings, { replaces }: { replaces: boolean }) =>
  settings.feed.connect === null
    ? part(settings, async ({ services, stopper, readiness }) => {
        const registry = await startMetrics(settings, 'gateway', stopper, readiness, { waits: replaces })
        certificateMetrics(settings, ['gateway'], registry)
        await watch(services, stopper, { registry, readiness })
        return startGateways(services, stopper, { registry, readiness, replaces })
      })
    : runFarGateway(settings, { replaces })

/** A gateway without the database. It may have to wait for the server; a request to stop does not wait for that. */
async function runFarGateway(settings: Settings, { replaces }: { replaces: boolean }): Promise<void> {
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

export const runBot = (settings: Settings) =>
  part(settings, async ({ services, stopper, readiness }) => {
    const registry = await startMetrics(settings, 'bot', stopper, readiness)
    await watch(services, stopper, { registry, readiness })
    return startBot(services, stopper)
  })
