/** The parts of Turnpike as processes of their own, for several machines on one PostgreSQL. */
import { startApi } from './api.ts'
import { startBot } from './bot.ts'
import { jobsMetric, watchDatabase } from './database.watch.ts'
import { startFeed } from './feed.ts'
import { startFarGateways, startGateways } from './gateway.ts'
import { makeLog } from './log.ts'
import { startMetrics } from './metrics.ts'
import { openMigrated, type Services } from './services.ts'
import { SettingFault, type Settings } from './settings.ts'
import { askedToStop, Stopper } from './stop.ts'
import { startWorker } from './worker.ts'

async function part(settings: Settings, start: (services: Services, stopper: Stopper) => Promise<string>) {
  const asked = askedToStop()
  const services = await openMigrated(settings, 'guest')
  const stopper = new Stopper()
  stopper.add('the database', () => services.database.close())
  try {
    process.stdout.write(`${await start(services, stopper)}\n`)
    services.log.info({ reason: await asked }, 'stopping')
  } finally {
    await stopper.stop(services.log)
  }
}

export const runApi = (settings: Settings) =>
  part(settings, async (services, stopper) => {
    const { origin, registry } = await startApi(services, stopper)
    await watchDatabase(services.database, registry)
    return `The web server listens on ${origin}.`
  })

export const runWorker = (settings: Settings) =>
  part(settings, async (services, stopper) => {
    const registry = await startMetrics(settings, stopper)
    await watchDatabase(services.database, registry)
    jobsMetric(await startWorker(services, stopper), registry)
    return 'The worker is running.'
  })

export const runFeed = (settings: Settings) =>
  part(settings, async (services, stopper) => {
    await watchDatabase(services.database, await startMetrics(settings, stopper))
    const name = await startFeed(services, stopper)
    if (name === null) throw new SettingFault('FEED_LISTEN is missing: say where gateways find the feed.')
    return `The feed listens on ${name}.`
  })

const listens = ({ gateway }: Settings) => `The gateway listens on port ${gateway.portBase} and up.`

export const runGateway = (settings: Settings) =>
  settings.feed.connect === null
    ? part(settings, async (services, stopper) => {
        const registry = await startMetrics(settings, stopper)
        await watchDatabase(services.database, registry)
        await startGateways(services, stopper, registry)
        return listens(settings)
      })
    : runFarGateway(settings)

/** A gateway without the database. It may have to wait for the server: whoever asks it to stop does not. */
async function runFarGateway(settings: Settings): Promise<void> {
  const asked = askedToStop()
  const base = { settings, log: makeLog(settings.logLevel) }
  const stopper = new Stopper()
  try {
    const registry = await startMetrics(settings, stopper)
    const started = startFarGateways(base, stopper, registry).then(() => {
      process.stdout.write(`${listens(settings)}\n`)
    })
    await Promise.race([started, asked])
    base.log.info({ reason: await asked }, 'stopping')
  } finally {
    await stopper.stop(base.log)
  }
}

export const runBot = (settings: Settings) =>
  part(settings, async (services, stopper) => {
    await watchDatabase(services.database, null)
    return startBot(services, stopper)
  })
