/** The command line. */
import { loaded } from '../cli/loading.ts'
import { Command, Option } from 'commander'
import { ContentFault } from '#content'
import { sentence } from '#contract/refusals'
import { DatabaseUnavailable } from '#db'
import { LedgerFault } from '#ledger'
import { Refusal } from '#lib/refusal'
import { backupCommands } from './backup.ts'
import { botCommand } from './bot.ts'
import { catalogCommands } from './catalog.ts'
import { CommandFault, json, print, settings, withServices } from './command.ts'
import { contentCommands } from './content.ts'
import { exitsCommands } from './exits.ts'
import { gatewayCommands } from './gateways.ts'
import { inventoryCommands } from './inventory.ts'
import { invoiceCommands } from './invoices.ts'
import { keyCommands } from './key.ts'
import { ledgerCommands } from './ledger.ts'
import { operatorCommand } from './operator.ts'
import { paymentCommands } from './payments.ts'
import { promoCommands } from './promo.ts'
import { referralCommands } from './referral.ts'
import { reportCommands } from './reports.ts'
import { requestCommands } from './requests.ts'
import { userCommands } from './users.ts'
import { type Role, roles } from './doctor/check.ts'
import { doctor } from './doctor/doctor.ts'
import { KeyFault } from '../keys/keys.ts'
import { completionCommand } from '../cli/completion.ts'
import { addFrame } from '../cli/frame.ts'
import { seedDemo } from '../demo.ts'
import { runApi, runFeed, runGateway, runWorker } from '../parts.ts'
import { SettingFault } from '../settings.ts'
import { up } from '../up.ts'
import { upgradeCommand } from '../upgrade/upgrade.ts'

loaded()
// Keys, journals, letters and backups: what any command writes is for its owner only.
process.umask(0o077)

const turnpike = new Command('turnpike')
  .description('Sells proxy traffic by the gigabyte: shop, account, API, payments and the metered gateway.')
  .showHelpAfterError()
addFrame(turnpike)

turnpike
  .command('up')
  .description('start everything in one go')
  .action(() => up(settings()))
turnpike
  .command('api')
  .description('start a web server')
  .action(() => runApi(settings()))
turnpike
  .command('worker')
  .description('start a worker for background jobs')
  .action(() => runWorker(settings()))
turnpike
  .command('gateway')
  .description('start a gateway')
  .option('--replace', 'take over from the gateway that runs on this DATA_DIR, which then ends its tunnels')
  .action((asked: { replace?: boolean }) => runGateway(settings(), { replaces: asked.replace === true }))
turnpike
  .command('feed')
  .description('serve gateways on machines without the database')
  .action(() => runFeed(settings()))

turnpike
  .command('migrate')
  .description('bring the database to the version of this program')
  .action(() => withServices(async () => print('The database is up to date.')))

turnpike
  .command('seed-demo')
  .description('fill in the demo catalog, places, exits, a customer and an operator')
  .action(() =>
    withServices(async (services) => {
      if (!services.settings.demo) throw new SettingFault('seed-demo needs DEMO=1 and a local PUBLIC_URL.')
      const { customer, operator } = await seedDemo(services)
      print(`Customer  ${customer.username}  ${customer.password}`)
      print(`Operator  ${operator.username}  ${operator.password}`)
    }),
  )

turnpike
  .command('doctor')
  .description('check this machine and say what to do; ends with 0 in order, 1 for a warning, 2 for trouble')
  .addOption(
    new Option('--role <role>', 'what this machine is there for; found out unless it is said').choices(roles),
  )
  .addOption(json())
  .action(async ({ role, json: isJson }: { role?: Role; json?: boolean }) => {
    process.exitCode = await doctor(
      settings(),
      { ...(role === undefined ? {} : { role }), json: isJson === true },
      print,
    )
  })

backupCommands(turnpike)
botCommand(turnpike)
catalogCommands(turnpike)
promoCommands(turnpike)
referralCommands(turnpike)
inventoryCommands(turnpike)
exitsCommands(turnpike)
gatewayCommands(turnpike)
invoiceCommands(turnpike)
keyCommands(turnpike)
ledgerCommands(turnpike)
paymentCommands(turnpike)
userCommands(turnpike)
operatorCommand(turnpike)
reportCommands(turnpike)
requestCommands(turnpike)
contentCommands(turnpike)
upgradeCommand(turnpike)
completionCommand(turnpike)

/** The sentence for the operator when an error is one; anything else is a bug and keeps its stack. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof Refusal) return sentence(error.code, 'en', error.details)
  const isSentence = [
    SettingFault,
    DatabaseUnavailable,
    CommandFault,
    ContentFault,
    LedgerFault,
    KeyFault,
  ].some((kind) => error instanceof kind)
  return isSentence ? (error as Error).message : null
}

try {
  await turnpike.parseAsync()
} catch (error) {
  const said = sentenceOf(error)
  if (said === null) throw error
  process.stderr.write(`${said}\n`)
  process.exitCode = 1
} finally {
  // The bootstrap's channel would keep a finished command alive.
  if (process.connected) process.disconnect()
}
