/** The table of the commands, the program that they make, and how it runs. */
import { Command } from 'commander'
import { sentence } from '#contract/refusals'
import { Refusal } from '#lib/refusal'
import { completionCommand } from '../cli/completion.ts'
import { addFrame } from '../cli/frame.ts'
import { load } from '../cli/load.ts'
import { systemSentence } from './terminal/system.fault.ts'

/** Adds commands to the program. */
type Add = (turnpike: Command) => void

/**
 * The commands in the order of the help, by the file that has them. A command imports its own file only: all
 * of them together take longer to load than most commands to run.
 */
const files: [names: string[], add: () => Promise<Add>][] = [
  [
    ['up', 'api', 'worker', 'desk', 'gateway', 'feed', 'migrate', 'seed-demo', 'doctor'],
    async () => (await import('./shop.ts')).shopCommands,
  ],
  [['backup', 'restore'], async () => (await import('./database/backup.ts')).backupCommands],
  [['database'], async () => (await import('./database/move.ts')).databaseCommands],
  [['bot'], async () => (await import('./bot.ts')).botCommand],
  [['prices', 'tiers'], async () => (await import('./catalog.ts')).catalogCommands],
  [['promo'], async () => (await import('./promo.ts')).promoCommands],
  [['referral', 'campaigns'], async () => (await import('./referral.ts')).referralCommands],
  [['gateways'], async () => (await import('./gateways.ts')).gatewayCommands],
  [['inventory'], async () => (await import('./inventory.ts')).inventoryCommands],
  [['exits'], async () => (await import('./exits/exits.ts')).exitsCommands],
  [['sellers'], async () => (await import('./exits/sellers.ts')).sellersCommands],
  [['invoices'], async () => (await import('./invoices.ts')).invoiceCommands],
  [['documents'], async () => (await import('./documents.ts')).documentCommands],
  [['key'], async () => (await import('./key.ts')).keyCommands],
  [['verify-bill'], async () => (await import('./bill/bill.ts')).billCommand],
  [['ledger'], async () => (await import('./ledger.ts')).ledgerCommands],
  [['payments', 'rates', 'fees'], async () => (await import('./payments.ts')).paymentCommands],
  [['customers'], async () => (await import('./customers.ts')).customerCommands],
  [['settings'], async () => (await import('./settings.ts')).settingsCommands],
  [['setup'], async () => (await import('./setup.ts')).setupCommand],
  [['staff'], async () => (await import('./staff.ts')).staffCommands],
  [['reports'], async () => (await import('./reports.ts')).reportCommands],
  [['requests'], async () => (await import('./requests.ts')).requestCommands],
  [['content'], async () => (await import('./content.ts')).contentCommands],
  [['upgrade', 'rollback'], async () => (await import('../upgrade/upgrade.ts')).upgradeCommand],
]

/** Whether only the version is requested, which needs no command. */
const asksVersion = (words: string[]): boolean => words.every((word) => ['-V', '--version'].includes(word))

/** The first word that is no option, nor the value of one. */
function commandIn(words: string[]): string | undefined {
  return words.find((word, index) => !word.startsWith('-') && words[index - 1] !== '--settings')
}

/**
 * The program with the command that is called; with all of them for the help, the completion, and an unknown
 * command.
 */
export async function program(words: string[]): Promise<Command> {
  const turnpike = new Command('turnpike')
    .description('Sells proxy traffic by the gigabyte: shop, account, API, payments and the metered gateway.')
    .showHelpAfterError()
  addFrame(turnpike)
  const command = commandIn(words)
  const called = files.filter(([names]) => command !== undefined && names.includes(command))
  if (words.length > 0 && asksVersion(words)) return turnpike
  for (const [, add] of called.length > 0 ? called : files) (await load(add))(turnpike)
  if (called.length === 0) completionCommand(turnpike)
  return turnpike
}

/** The message of an error meant for the operator. Any other error is a bug and keeps its stack. */
async function sentenceOf(error: unknown): Promise<string | null> {
  if (error instanceof Refusal) return sentence(error.code, 'en', error.details)
  const ofSystem = systemSentence(error)
  if (ofSystem !== null) return ofSystem
  const [settings, command, db, content, ledger, keys] = await load(() =>
    Promise.all([
      import('../settings/settings.ts'),
      import('./terminal/command.ts'),
      import('#db'),
      import('#content'),
      import('#ledger'),
      import('../keys/keys.ts'),
    ]),
  )
  const isSentence = [
    settings.SettingFault,
    command.CommandFault,
    db.DatabaseUnavailable,
    content.ContentFault,
    ledger.LedgerFault,
    keys.KeyFault,
  ].some((kind) => error instanceof kind)
  return isSentence ? (error as Error).message : null
}

/** Runs the command of this process's arguments to its end. */
export async function runCommandLine(): Promise<void> {
  // The reader of the output may close it early, as `| head` does.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit()
    })

  // Keys, journals, letters and backups: only the owner may read what any command writes.
  process.umask(0o077)

  try {
    await (await program(process.argv.slice(2))).parseAsync()
  } catch (error) {
    const said = await sentenceOf(error)
    if (said === null) throw error
    process.stderr.write(`${said}\n`)
    process.exitCode = 1
  } finally {
    // The IPC channel to the bootstrap would keep a finished command alive.
    if (process.connected) process.disconnect()
  }
}
