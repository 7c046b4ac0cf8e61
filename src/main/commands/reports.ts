/** turnpike reports: dead letters, the reports of gateways that the server refused to settle. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import {
  type DeadLetter,
  dismissDeadLetter,
  listDeadLetters,
  listDismissedLetters,
  replayDeadLetters,
  reportId,
} from '#gateway'
import { settle } from '#traffic'
import { slotFolders } from '../gateway/slot.ts'
import { giveBack } from '../gateway/user.ts'
import {
  CommandFault,
  json,
  print,
  printJson,
  printTable,
  settings,
  withServices,
} from './terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'
import { recordDone } from './terminal/recorded.ts'

const bytesOf = ({ report }: DeadLetter) => report.lines.reduce((sum, line) => sum + line.charged_bytes, 0n)

function printDeadLetters(letters: readonly DeadLetter[]): void {
  printTable(
    ['ID', 'PUT ASIDE', 'ACCOUNTS', 'BYTES', 'WHY'],
    letters.map((letter) => [
      reportId(letter.report),
      letter.refused,
      String(letter.report.lines.length),
      String(bytesOf(letter)),
      letter.reason,
    ]),
    'No report was put aside.',
  )
}

export function reportCommands(turnpike: Command): void {
  const reports = turnpike.command('reports').description("gateways' reports that could not be settled")
  reports
    .command('list')
    .option('--dismissed', 'list dismissed reports with their reasons')
    .addOption(json())
    .description('list the reports of this machine that were put aside; their bytes are not charged yet')
    .action(async (asked: { json?: boolean; dismissed?: boolean }) => {
      const folders = slotFolders((await settings()).dataDir)
      if (asked.dismissed === true) return listDismissed(folders, asked)
      const letters = folders.flatMap(listDeadLetters)
      if (asked.json) printJson(letters.map((letter) => ({ id: reportId(letter.report), ...letter })))
      else printDeadLetters(letters)
    })
  asking(reports.command('dismiss'))
    .argument('<id>', 'as the list shows it')
    .requiredOption('--reason <text>', 'why its bytes are charged to nobody')
    .addOption(json())
    .description('dismiss a report: it is kept with the reason and not settled')
    .action(dismiss)
  reports
    .command('replay')
    .addOption(json())
    .description('settle them again; each is charged at most once')
    .action((asked: { json?: boolean }) =>
      withServices(async ({ database, settings: { dataDir } }) => {
        let settled = 0
        const failed: DeadLetter[] = []
        for (const directory of slotFolders(dataDir)) {
          const replayed = await replayDeadLetters({
            directory,
            send: (report) => settle(database.db, [report]),
          })
          settled += replayed.settled
          failed.push(...replayed.failed)
          if (existsSync(directory)) giveBack(directory)
        }
        const subject = { kind: 'report', id: 'all' } as const
        await recordDone(database, {
          action: 'replay_reports',
          subject,
          after: { settled, failed: failed.length },
        })
        if (asked.json) printJson({ settled, failed })
        else {
          print(`Settled: ${settled}. Still put aside: ${failed.length}.`)
          if (failed.length > 0) printDeadLetters(failed)
        }
        if (failed.length > 0) process.exitCode = 1
      }),
    )
}

function listDismissed(folders: string[], asked: { json?: boolean }): void {
  const letters = folders.flatMap(listDismissedLetters)
  if (asked.json) return printJson(letters.map((letter) => ({ id: reportId(letter.report), ...letter })))
  const rows = letters.map((letter) => [
    reportId(letter.report),
    letter.dismissed,
    String(bytesOf(letter)),
    letter.reason,
    letter.because,
  ])
  return printTable(
    ['ID', 'DISMISSED', 'BYTES', 'WHY PUT ASIDE', 'WHY DISMISSED'],
    rows,
    'None was dismissed.',
  )
}

async function dismiss(id: string, asked: ConfirmOptions & { reason: string }): Promise<void> {
  const because = asked.reason.trim()
  if (because === '') throw new CommandFault('--reason must not be empty.')
  const found = slotFolders((await settings()).dataDir)
    .flatMap((directory) => listDeadLetters(directory).map((letter) => ({ directory, letter })))
    .find(({ letter }) => reportId(letter.report) === id)
  if (found === undefined) throw new CommandFault(`No report ${id} was put aside on this machine.`)
  const { directory, letter } = found
  const sentence = `The report ${id}, ${bytesOf(letter)} bytes of ${letter.report.lines.length} accounts, will not be settled: nobody pays for it. It was put aside because: ${letter.reason}`
  if (!(await mayProceed([sentence], asked))) return
  await withServices(async ({ database }) => {
    if (!(await dismissDeadLetter(directory, { id, because, at: database.clock.now() })))
      throw new CommandFault(`The report ${id} is gone: it was settled or dismissed meanwhile.`)
    giveBack(directory)
    const subject = { kind: 'report', id } as const
    const before = { bytes: bytesOf(letter), refused_because: letter.reason }
    await recordDone(database, { action: 'dismiss_report', subject, before, reason: because })
    if (asked.json) printJson({ dismissed: id, reason: because })
    else print(`The report ${id} is dismissed. turnpike reports list --dismissed shows it.`)
  })
}
