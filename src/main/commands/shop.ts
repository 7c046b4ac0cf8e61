/** The commands of the shop as a whole: its processes, its database, its state. */
import { type Command, Option } from 'commander'
import { load } from '../cli/load.ts'
import { CommandFault, json, print, settings, withServices } from './terminal/command.ts'
import { type Role, roles } from './doctor/check.ts'

export function shopCommands(turnpike: Command): void {
  processCommands(turnpike)
  turnpike
    .command('migrate')
    .description('bring the database to the version of this program')
    .action(() => withServices(async () => print('The database is up to date.')))
  turnpike
    .command('seed-demo')
    .description('fill in the demo catalog, places, exits, a customer and an operator')
    .action(seedDemo)
  turnpike
    .command('doctor')
    .description('check this machine and its shop; exit code 0: in order, 1: warnings, 2: errors')
    .addOption(
      new Option('--role <role>', 'what this machine is there for; found out unless it is said').choices(
        roles,
      ),
    )
    .addOption(json())
    .action(doctor)
}

/** Each imports its part when it is started: a gateway's process needs no web server. */
function processCommands(turnpike: Command): void {
  const parts = () => load(() => import('../processes.ts'))
  turnpike
    .command('up')
    .description('start all parts of the shop')
    .action(async () => {
      const { up } = await load(() => import('../up.ts'))
      await up(await settings(), { ofShop: await shopChecks(), ofMachine: await machineFindings() })
    })
  turnpike
    .command('api')
    .description('start a web server')
    .action(async () => (await parts()).runApi(await settings()))
  turnpike
    .command('worker')
    .description('start a worker for background jobs')
    .action(async () => (await parts()).runWorker(await settings(), await machineFindings()))
  turnpike
    .command('desk')
    .description("start the operator's desk")
    .action(async () => (await parts()).runDesk(await settings(), await shopChecks()))
  turnpike
    .command('gateway')
    .description('start a gateway')
    .option('--replace', 'take over from the gateway that runs on this DATA_DIR, which then ends its tunnels')
    .action(async (asked: { replace?: boolean }) =>
      (await parts()).runGateway(await settings(), {
        replaces: asked.replace === true,
        machineFaults: await machineFindings(),
      }),
    )
  turnpike
    .command('feed')
    .description('serve gateways on machines without the database')
    .action(async () => (await parts()).runFeed(await settings()))
}

/** The shop's own faults that the desk shows. */
const shopChecks = async () => (await load(() => import('./doctor/shop.ts'))).shopChecks

/** The faults of this machine that staff are notified of. */
const machineFindings = async () => (await load(() => import('./doctor/findings.ts'))).machineFindings

async function seedDemo(): Promise<void> {
  const { seedDemo: seed } = await load(() => import('../demo/demo.ts'))
  await withServices(async (services) => {
    if (!services.settings.demo) throw new CommandFault('seed-demo needs DEMO=1 and a local PUBLIC_URL.')
    const { customer, operator, past } = await seed(services)
    print(`Customer  ${customer.username}  ${customer.password}`)
    print(`Owner     ${operator.username}  ${operator.password}`)
    if (past === 'kept') print('No month is invented: this shop has postings of its own.')
  })
}

async function doctor({ role, json: isJson }: { role?: Role; json?: boolean }): Promise<void> {
  const { doctor: look } = await load(() => import('./doctor/doctor.ts'))
  const asked = { ...(role === undefined ? {} : { role }), json: isJson === true }
  process.exitCode = await look(await settings(), asked, print)
}
