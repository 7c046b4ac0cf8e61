/** turnpike exits cost: sets the cost of an exit from a given day. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { costRoundings, sellerCounts } from '#contract/desk/choices'
import { isForeignCurrency } from '#contract/rates/rates'
import { setExitCost } from '#desk'
import { binaryGb, costHistory, type CostTerms, decimalGb, type ExitCost, termsOn } from '#exits'
import { usdFromText, usdText } from '#lib/money'
import { ratesOfDays } from '#rates'
import { systemAuthor } from '#staff'
import type { Services } from '../../services.ts'
import { CommandFault, json, print, printJson, printTable, withServices } from '../terminal/command.ts'

interface CostOptions {
  currency?: string
  counts?: Required<CostTerms>['counts']
  failed?: 'billed' | 'free'
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
    throw new InvalidArgumentError('It is an amount such as 1.2, at most a million.')
  return micros
}

function currencyArgument(text: string): string {
  const code = text.toUpperCase()
  if (code !== 'USD' && !isForeignCurrency(code))
    throw new InvalidArgumentError('It is the code of a currency such as EUR.')
  return code
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
    .addOption(new Option('--per-gb <amount>', 'for a GB of what the seller counts').argParser(moneyArgument))
    .addOption(
      new Option('--month <amount>', 'for each calendar month, whatever is relayed').argParser(moneyArgument),
    )
    .addOption(
      new Option('--from <day>', 'from this UTC day on; today unless told otherwise').argParser(dayArgument),
    )
    .addOption(
      new Option('--currency <code>', 'of both amounts; USD unless told otherwise').argParser(
        currencyArgument,
      ),
    )
    .addOption(new Option('--counts <direction>', 'what the seller counts').choices(sellerCounts))
    .addOption(
      new Option('--failed <how>', 'how attempts that reach no target are counted').choices([
        'billed',
        'free',
      ]),
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
    const headings = [
      'FROM',
      'CURRENCY',
      'PER GB',
      'A MONTH',
      'COUNTS',
      'GB',
      'ROUNDED UP TO',
      'SET',
      'TODAY',
    ]
    const rows = history.map((row) => [
      row.fromDay,
      row.currency,
      usdText(row.perGbMicros, 2),
      usdText(row.monthMicros, 2),
      row.countsFailed ? row.counts : `${row.counts}, failed free`,
      row.gbBytes === binaryGb ? '2^30' : '10^9',
      row.rounding,
      row.setAt.toISOString(),
      row === inForce ? 'yes' : '',
    ])
    if (isChange) print(`The cost of the exit ${exit.name} is set from ${from} on.`)
    const rateOn = await ratesOfDays(
      db,
      history.map(({ currency }) => currency),
    )
    const unknown = [...new Set(history.map(({ currency }) => currency))].filter(
      (currency) => rateOn(currency, today) === null,
    )
    for (const currency of unknown)
      print(
        `There is no rate of ${currency}: the margin of what passes is not known. Set it: turnpike rates.`,
      )
    printTable(headings, rows, `What the exit ${exit.name} costs is not known.`)
  })

/** Amounts that are not given keep their values of that day. */
function termsOf(options: CostOptions, known: CostTerms | null): Omit<CostTerms, 'fromDay'> {
  const { perGb = known?.perGbMicros, month = known?.monthMicros, gb } = options
  if (perGb === undefined && month === undefined)
    throw new CommandFault('The cost is missing: add --per-gb or --month.')
  return {
    perGbMicros: perGb ?? 0n,
    monthMicros: month ?? 0n,
    currency: options.currency ?? known?.currency ?? 'USD',
    counts: options.counts ?? known?.counts ?? 'both',
    countsFailed: options.failed === undefined ? (known?.countsFailed ?? true) : options.failed === 'billed',
    gbBytes: gb === undefined ? (known?.gbBytes ?? decimalGb) : gb === '2^30' ? binaryGb : decimalGb,
    rounding: options.rounding ?? known?.rounding ?? 'none',
  }
}

const asJson = (row: ExitCost, inForce: ExitCost | null) => ({
  from: row.fromDay,
  currency: row.currency,
  counts: row.counts,
  counts_failed: row.countsFailed,
  per_gb_micros: row.perGbMicros,
  month_micros: row.monthMicros,
  gb_bytes: row.gbBytes,
  rounding: row.rounding,
  set_at: row.setAt,
  in_force: row === inForce,
})
