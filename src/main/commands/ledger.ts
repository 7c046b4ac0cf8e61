/** turnpike ledger: verifies the ledger, and archives old months to files. */
import path from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { archiveMonth, type Finding, verifyArchive } from '#ledger'
import { verifyBooks } from '../books.ts'
import { json, print, printJson, withServices } from './terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'
import { recordDone } from './terminal/recorded.ts'

interface CommandOptions {
  json?: boolean
}

export function ledgerCommands(turnpike: Command): void {
  const ledger = turnpike.command('ledger').description('the ledger')
  ledger
    .command('verify')
    .option('--full', 'read closed months too, and compare them with their digests')
    .option('--archive <file>', 'an archived month instead')
    .addOption(json())
    .description('recompute all balances and report differences')
    .action((asked: CommandOptions & { full?: boolean; archive?: string }) =>
      withServices(async ({ database: { db } }) => {
        const { archive } = asked
        if (archive === undefined) {
          say(asked, await verifyBooks(db, { full: asked.full === true }), 'The ledger is in order.')
        } else {
          const findings = await verifyArchive(db, path.resolve(archive))
          say(asked, findings, 'The archive holds the month as it was closed, and the month is in order.')
        }
      }),
    )
  asking(ledger.command('archive'))
    .argument('<month>', 'a month that is over, such as 2027-01', monthArgument)
    .requiredOption('--to <folder>', 'where the file is written')
    .addOption(json())
    .description('move the entries of a closed month from the database to a file')
    .action((month: string, asked: ConfirmOptions & { to: string }) =>
      withServices(async ({ database }) => {
        const sentence = `The entries of ${month} will be written into a file in ${path.resolve(asked.to)}, and then exist nowhere else: they are taken out of the database.`
        if (!(await mayProceed([sentence], asked))) return
        const made = await archiveMonth(database, { month, folder: path.resolve(asked.to) })
        const subject = { kind: 'ledger', id: month } as const
        await recordDone(database, { action: 'archive_month', subject, after: made })
        if (asked.json === true) printJson(made)
        else
          print(
            `${made.file}: ${(made.bytes / 1e6).toFixed(1)} MB. Keep it: the database holds only what ${month} came to for each account.`,
          )
      }),
    )
}

function say(asked: CommandOptions, findings: readonly Finding[], inOrder: string): void {
  if (asked.json === true) print(JSON.stringify({ findings }))
  else if (findings.length === 0) print(inOrder)
  else for (const { check, subject, detail } of findings) print(`${check}: ${subject}: ${detail}`)
  if (findings.length > 0) process.exitCode = 1
}

function monthArgument(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('It is a month such as 2027-01.')
  return text
}
