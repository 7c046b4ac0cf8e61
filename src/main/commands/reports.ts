/** turnpike reports: what gateways reported and the server would not settle. */
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { type DeadLetter, listDeadLetters, replayDeadLetters } from '#gateway'
import { settle } from '#traffic'
import { slotFolders } from '../gateway/slot.ts'
import { giveBack } from '../gateway.user.ts'
import { json, print, printJson, printTable, settings, withServices } from './command.ts'

const bytesOf = ({ report }: DeadLetter) => report.lines.reduce((sum, line) => sum + line.charged_bytes, 0n)

function printDeadLetters(letters: readonly DeadLetter[]): void {
  printTable(
    ['PUT ASIDE', 'GATEWAY', 'BOOT', 'NUMBER', 'ACCOUNTS', 'BYTES', 'WHY'],
    letters.map((letter) => [
      letter.refused,
      letter.report.gateway,
      letter.report.boot,
      String(letter.report.sequence),
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
    .addOption(json())
    .description(
      'show the reports of this machine that were put aside: their bytes are charged to nobody yet',
    )
    .action((asked: { json?: boolean }) => {
      const letters = slotFolders(settings().dataDir).flatMap(listDeadLetters)
      if (asked.json) printJson(letters)
      else printDeadLetters(letters)
    })
  reports
    .command('replay')
    .addOption(json())
    .description('settle them once more; each is charged at most once, however often it is tried')
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
        if (asked.json) printJson({ settled, failed })
        else {
          print(`Settled: ${settled}. Still put aside: ${failed.length}.`)
          if (failed.length > 0) printDeadLetters(failed)
        }
        if (failed.length > 0) process.exitCode = 1
      }),
    )
}
