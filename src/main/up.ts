/** `turnpike up`: all parts, on the embedded database unless DATABASE_URL is set. */
import path from 'node:path'
import { pools } from '#contract/wire'
import { entryPort } from '#proxies/calls'
import { startApi } from './api.ts'
import { keepBot } from './bot.ts'
import { commandName } from './cli/version.ts'
import { watchClock } from './clock.ts'
import { certificateMetrics } from './health/certificates.ts'
import { watchDatabase } from './health/database.ts'
import { demoCodes, demoLine, seedDemo } from './demo/demo.ts'
import { type ShopFaults, startDesk } from './desk.ts'
import { startFeed } from './feed.ts'
import { startGateways } from './gateway.ts'
import { type MachineFaults, watchMachine } from './health/machine.ts'
import { processMetrics } from './metrics.ts'
import { Readiness } from './health/readiness.ts'
import { watchVariables } from './renewal.ts'
import { openMigrated, type Services } from './services.ts'
import { sourceInUse } from './settings/settings.source.ts'
import { SettingFault, type Settings } from './settings/settings.ts'
import { askedToStop, serve, Stopper } from './process/stop.ts'
import { startWorker } from './worker.ts'

export async function up(
  settings: Settings,
  faults: { ofShop: ShopFaults; ofMachine: MachineFaults },
): Promise<void> {
  const started = performance.now()
  if (settings.feed.connect !== null)
    throw new SettingFault(
      'FEED_URL is for `turnpike gateway`: this command has the database itself. Unset it.',
    )
  // Registered first: a Ctrl-C during the start must not be lost, nor leave some parts running.
  const asked = askedToStop()
  const say = (sentence: string) => void process.stdout.write(`${sentence}\n`)
  const services = await openMigrated(settings, 'owner', say)
  say('Starting gateway, desk, shop and worker.')
  const stopper = new Stopper()
  stopper.add('the database', () => services.database.close())
  await serve({ asked, stopper, log: services.log }, async () => {
    const { people, bot } = await start(services, stopper, faults)
    process.stdout.write(await banner(services, people, performance.now() - started))
    if (bot !== null) process.stdout.write(`${bot}\n\n`)
  })
}

/**
 * Starts the gateway first and the web server last, so that a port in use is reported before the shop accepts
 * orders.
 */
async function start(services: Services, stopper: Stopper, faults: Parameters<typeof up>[1]) {
  const { settings } = services
  const people = settings.demo ? await seedDemo(services) : null
  if (people?.past === 'kept')
    services.log.warn('the demo has no invented month: this shop has postings of its own')
  const watched = { registry: processMetrics(), readiness: new Readiness() }
  watchClock(services, stopper, watched)
  await watchDatabase(services.database, watched.registry)
  services.counts.register(watched.registry)
  await watchVariables(services, stopper)
  certificateMetrics(settings, ['gateway', 'feed'], watched.registry)
  await startGateways(services, stopper, { ...watched, replaces: false })
  await startFeed(services, stopper, watched)
  await startDesk(services, stopper, { ...watched, shopFaults: faults.ofShop })
  await startApi(services, stopper, watched)
  watchMachine(services, stopper, faults.ofMachine)
  await startWorker(services, stopper, watched)
  const bot = await keepBot(services, stopper)
  return { people, bot }
}

/** How the commands are called for this shop from another terminal. */
function commandsFor({ databaseUrl, dataDir }: Settings): string {
  const { file } = sourceInUse()
  const own =
    databaseUrl !== null ? 'DATABASE_URL=… ' : dataDir === path.resolve('data') ? '' : `DATA_DIR=${dataDir} `
  return `${file === null ? own : ''}${commandName} doctor   (all of them: --help)`
}

async function banner(
  services: Services,
  people: Awaited<ReturnType<typeof seedDemo>> | null,
  tookMs: number,
) {
  const { publicUrl, gateway, desk, dataDir, databaseUrl } = services.settings
  const shop = publicUrl.href.replace(/\/$/, '')
  const ports = pools.map((pool) => entryPort(gateway.portBase, pool)).join(', ')
  const lines = [
    '',
    `Turnpike is ready (${(tookMs / 1000).toFixed(1)} s).`,
    '',
    `  Shop         ${shop}`,
    ...(desk.listen === null ? [] : [`  Desk         ${desk.url.href.replace(/\/$/, '')}`]),
    `  Gateway      ${gateway.host}, ports ${ports}`,
    `               (${pools.join(', ')})`,
    `  Data         ${databaseUrl === null ? dataDir : 'the PostgreSQL of DATABASE_URL'}`,
    `  Commands     ${commandsFor(services.settings)}`,
  ]
  if (people === null) return `${lines.join('\n')}\n\n`
  const { customer, operator } = people
  const access = await demoLine(services, customer.username, 'residential')
  lines.push(
    '',
    '  This is a demo: play money, made-up places, and an exit that is this machine.',
    `  Customer     ${customer.username}  ${customer.password}`,
    `  Operator     ${operator.username}  ${operator.password}`,
    `  Promo codes  ${demoCodes.discount.code} (15 % off), ${demoCodes.traffic.code} (500 MB of mobile)`,
  )
  if (access !== null) {
    const proxy = `http://${access.login}-cc-de:${access.password}@${gateway.host}:${gateway.portBase}`
    lines.push('', '  Send a megabyte through the gateway and watch the balance:', '')
    lines.push(`    curl -o /dev/null -x ${proxy} "${shop}/api/echo?bytes=1000000"`)
  }
  return `${lines.join('\n')}\n\n`
}
