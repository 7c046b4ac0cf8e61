/** The parts of Turnpike as processes of their own, for several machines on one PostgreSQL. */
import { startApi } from './api.ts'
import { startBot } from './bot.ts'
import { startGateways } from './gateway.ts'
import { openMigrated, type Services } from './services.ts'
import type { Settings } from './settings.ts'
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
    const { origin } = await startApi(services, stopper)
    return `The web server listens on ${origin}.`
  })

export const runWorker = (settings: Settings) =>
  part(settings, async (services, stopper) => {
    await startWorker(services, stopper)
    return 'The worker is running.'
  })

export const runGateway = (settings: Settings) =>
  part(settings, async (services, stopper) => {
    await startGateways(services, stopper, null)
    return `The gateway listens on port ${settings.gateway.portBase} and up.`
  })

export const runBot = (settings: Settings) => part(settings, startBot)
