/** turnpike exits cost: what an exit costs, from which day on. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { costRoundings } from '#contract/desk/choices'
import { setExitCost } from '#desk'
import { binaryGb, costHistory, type CostTerms, decimalGb, type ExitCost, termsOn } from '#exits'
import { usdFromText, usdText } from '#lib/money'
import { systemAuthor } from '#staff'
import type { Services } from '../../services.ts'
import { CommandFault, json, print, printJson, printTable, withServices } from '../terminal/command.ts'

interface CostOptions {
  perGb?: bigint
  month?: bigint
  from?: string
  gb?: '10^9' | '2^30'
  rounding?: CostTerms['rounding']
  json?: boolean
}

function moneyArgument(text: string): bigint {
  const micros = usdFromText(text)
  if (micros === null || micros < 0n || micros > 1_000_000n * 1_000_000n)
    throw new InvalidArgumentError('It is an amount in USD such as 1.2, at most a million.')
  return micros
}

function dayArgument(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
  if (!isDay || new Date(text).toISOString().slice(0, 10) !== text)
    throw new InvalidArgumentError('It is a day such as 2027-01-31.')
  return text
}

type FindExit = (db: Services['database']['db'], name: string) => Promise<{ id: bigint; name: string }>

export function costCommand(exits: Command, findExit: FindExit): void {
  exits
    .command('cost')
    .argument('<exit>', 'its name or number')
    .addOption(new Option('--per-gb <usd>', 'for a GB, both directions together').argParser(moneyArgument))
    .addOption(
      new Option('--month <usd>', 'for each calendar month, whatever is relayed').argParser(moneyArgument),
    )
    .addOption(
      new Option('--from <day>', 'from this UTC day on; today unless told otherwise').argParser(dayArgument),
    )
    .addOption(new Option('--gb <bytes>', 'the seller’s GB').choices(['10^9', '2^30']))
    .addOption(
      new Option('--rounding <to>', 'to what the bytes of a day are rounded up').choices(costRoundings),
    )
    .addOption(json())
    .description('what an exit costs, with its history; or what it costs from a day on')
    .action((name: string, options: CostOptions) => cost(findExit, name, options))
}

const cost = (findExit: FindExit, name: string, options: CostOptions) =>
  withServices(async ({ database: { db, clock } }) => {
    const exit = await findExit(db, name)
    const now = clock.now()
    const today = now.toISOString().slice(0, 10)
    const { json: asData, from = today, ...given } = options
    const isChange = Object.keys(given).length > 0
    if (!isChange && options.from !== undefined)
      throw new CommandFault('What does it cost from then on? Say --per-gb or --month.')
    if (isChange) {
      const terms = { ...termsOf(options, termsOn(await costHistory(db, exit.id), from)), fromDay: from }
      await setExitCost(db, systemAuthor(), { exitId: exit.id, terms }, now)
    }
    const history = (await costHistory(db, exit.id)).toReversed()
    const inForce = termsOn(history.toReversed(), today)
    if (asData === true) return printJson({ exit, costs: history.map((row) => asJson(row, inForce)) })
    const headings = ['FROM', 'PER GB', 'A MONTH', 'GB', 'ROUNDED UP TO', 'SET', 'TODAY']
    const rows = history.map((row) => [
      row.fromDay,
      usdText(row.perGbMicros, 2),
      usdText(row.monthMicros, 2),
      row.gbBytes === binaryGb ? '2^30' : '10^9',
      row.rounding,
      row.setAt.toISOString(),
      row === inForce ? 'yes' : '',
    ])
    if (isChange) print(`The cost of the exit ${exit.name} is set from ${from} on.`)
    printTable(headings, rows, `What the exit ${exit.name} costs is not known.`)
  })

/** What is not said stays as it is on that day. */
function termsOf(options: CostOptions, known: CostTerms | null): Omit<CostTerms, 'fromDay'> {
  const { perGb = known?.perGbMicros, month = known?.monthMicros, gb } = options
  if (perGb === undefined && month === undefined)
    throw new CommandFault('What does it cost? Say --per-gb or --month.')
  return {
    perGbMicros: perGb ?? 0n,
    monthMicros: month ?? 0n,
    gbBytes: gb === undefined ? (known?.gbBytes ?? decimalGb) : gb === '2^30' ? binaryGb : decimalGb,
    rounding: options.rounding ?? known?.rounding ?? 'none',
  }
}

const asJson = (row: ExitCost, inForce: ExitCost | null) => ({
  from: row.fromDay,
  per_gb_micros: row.perGbMicros,
  month_micros: row.monthMicros,
  gb_bytes: row.gbBytes,
  rounding: row.rounding,
  set_at: row.setAt,
  in_force: row === inForce,
})
