/** The web server and the desk of `bench/waits.ts` in one process, as `turnpike up` has them. */
import { shopChecks } from '../src/main/commands/doctor/shop.ts'
import { startApi } from '../src/main/api.ts'
import { startDesk } from '../src/main/desk.ts'
import { Readiness } from '../src/main/health/readiness.ts'
import { processMetrics } from '../src/main/metrics.ts'
import { askedToStop, serve, Stopper } from '../src/main/process/stop.ts'
import { openMigrated } from '../src/main/services.ts'
import { readSettings } from '../src/main/settings/settings.ts'

const asked = askedToStop()
const services = await openMigrated(readSettings(process.env, process.cwd()), 'guest')
const stopper = new Stopper()
stopper.add('the database', () => services.database.close())
await serve({ asked, stopper, log: services.log }, async () => {
  const watched = { registry: processMetrics(), readiness: new Readiness() }
  await startApi(services, stopper, watched)
  await startDesk(services, stopper, { ...watched, shopFaults: shopChecks })
  process.stdout.write('Both listen.\n')
})
