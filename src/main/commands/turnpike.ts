/** The command line. */
import { sentence } from '#contract/refusals'
import { Refusal } from '#lib/refusal'
import { load } from '../cli/load.ts'
import { program } from './program.ts'
import { systemSentence } from './terminal/system.fault.ts'

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
