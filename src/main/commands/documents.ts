/** turnpike documents: the numbers of invoices and credit notes. */
import { Argument, type Command } from 'commander'
import { loseDocumentNumbers } from '#desk'
import { numberedSeries, type Series, seriesState } from '#documents'
import { parseId } from '#lib/bigint'
import { countDue } from '#purchase'
import { systemAuthor } from '#staff'
import { CommandFault, json, print, printJson, printTable, withServices } from './terminal/command.ts'

export function documentCommands(turnpike: Command): void {
  const documents = turnpike
    .command('documents')
    .description('the numbers of invoices and credit notes in PDF')
  documents
    .command('list', { isDefault: true })
    .addOption(json())
    .description('the last number of each series, the numbers that were lost, and how many documents wait')
    .action((options: { json?: boolean }) =>
      withServices(async ({ database: { db, clock } }) => {
        const series = await seriesState(db)
        const waiting = await countDue(db, clock.now())
        if (options.json)
          return printJson({
            waiting: Number(waiting),
            series: series.map(({ last, lost, ...one }) => ({
              ...one,
              last: Number(last),
              lost: Number(lost),
            })),
          })
        const rows = series.map(({ series: name, last, lost }) => [name, String(last), String(lost)])
        printTable(['SERIES', 'LAST NUMBER', 'LOST'], rows, 'There are no series.')
        if (waiting > 0n) print(`${waiting} wait for their document.`)
      }),
    )
  documents
    .command('lost')
    .addArgument(new Argument('<series>').choices(numberedSeries))
    .argument('<number>', 'the last number that customers have')
    .requiredOption('--reason <text>', 'why; kept with the numbers and in the audit trail')
    .description(
      'after a restore from an older backup: numbers that were given out since, and must not be given out again',
    )
    .action((series: Series, number: string, { reason }: { reason: string }) =>
      withServices(async ({ database: { db, clock } }) => {
        const last = parseId(number)
        if (last === null)
          throw new CommandFault(`A number of a document is a whole number, not “${number}”.`)
        const lost = await loseDocumentNumbers(db, systemAuthor(), { series, last, reason }, clock.now())
        print(`${series} ${lost.first} to ${lost.last} are noted as lost; the next one is ${last + 1n}.`)
      }),
    )
}
