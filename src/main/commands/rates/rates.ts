/** turnpike rates: exchange rates, and the currencies in which prices are shown. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { enterRate, enterRates, setDisplayCurrency } from '#desk'
import { sentenceOf } from '#contract/desk/faults'
import { isForeignCurrency, parseRate, printRate } from '#contract/rates/rates'
import { usdToWire } from '#lib/money'
import { dayIn } from '#lib/zone'
import {
  compareRates,
  displayCurrencies,
  listRates,
  type Rate,
  rateState,
  readRateLimits,
  readRates,
} from '#rates'
import { systemAuthor } from '#staff'
import {
  CommandFault,
  json,
  print,
  printJson,
  printTable,
  settings,
  withServices,
} from '../terminal/command.ts'

const currencyArgument = (text: string): string => {
  if (!/^[A-Z]{3}$/.test(text) || !isForeignCurrency(text))
    throw new InvalidArgumentError('It is a code of ISO 4217 other than USD, for example RUB or EUR.')
  return text
}

const rateArgument = (text: string): bigint => {
  const micros = parseRate(text)
  if (micros === null)
    throw new InvalidArgumentError('It is an amount such as 92.50, with at most 6 decimals.')
  return micros
}

export function rateCommands(turnpike: Command): void {
  const rates = turnpike
    .command('rates')
    .description('exchange rates, and the currencies in which customers see prices')
  rates.command('list', { isDefault: true }).description('the rates in force').addOption(json()).action(list)
  rates
    .command('set')
    .argument('<currency>', 'its code, e.g. RUB', currencyArgument)
    .argument('<rate>', 'how much of it one USD is, e.g. 92.50', rateArgument)
    .description('set the rate of invoices created from now on')
    .action(set)
  rates
    .command('import')
    .argument('<csv>', 'a file in UTF-8 with a header: currency, date, rate')
    .addOption(new Option('--dry-run', 'name each bad line and what would change, and enter nothing'))
    .addOption(json())
    .description('enter the rates of a file, all or none')
    .action(importFile)
  for (const [name, shown] of [
    ['show', true],
    ['hide', false],
  ] as const)
    rates
      .command(name)
      .argument('<currency>', 'its code, e.g. EUR', currencyArgument)
      .description(
        shown ? 'let customers see prices in a currency' : 'let customers see prices in a currency no longer',
      )
      .action((currency: string) => display(currency, shown))
}

function list(options: { json?: boolean }): Promise<void> {
  return withServices(async ({ database: { db, clock } }) => {
    const found = await listRates(db)
    if (options.json) return printJson(found.map(rateAsJson))
    const [limits, shown] = await Promise.all([readRateLimits(db), displayCurrencies(db)])
    const age = { fresh: 'in use', old: 'in use, old', closed: 'too old, not used' }
    const rows = found.map((rate) => [
      rate.currency,
      printRate(rate.perUsdMicros),
      rate.setAt.toISOString().slice(0, 16),
      age[rateState(rate, limits, clock.now())],
      shown.includes(rate.currency) ? 'yes' : 'no',
    ])
    return printTable(['CURRENCY', 'FOR 1 USD', 'OF', 'STATE', 'SHOWN'], rows, 'No rate is set.')
  })
}

function set(currency: string, perUsdMicros: bigint): Promise<void> {
  return withServices(async ({ database: { db, clock } }) => {
    const now = clock.now()
    const order = { currency, perUsdMicros, day: null, reason: null }
    await enterRate(db, systemAuthor(), order, { today: now.toISOString().slice(0, 10), now })
    print(`From now on 1 USD is ${printRate(perUsdMicros)} ${currency}; open invoices keep their rate.`)
  })
}

interface ImportOptions {
  dryRun?: boolean
  json?: boolean
}

/** A bad line fails the command, in a dry run too, so that a script notices. */
function importFile(file: string, { dryRun, json: isJson }: ImportOptions): Promise<void> {
  return withServices(async ({ database: { db, clock } }) => {
    const now = clock.now()
    const { rows, faults, faulty } = await readRates(file, dayIn((await settings()).desk.zone, now))
    if (faulty > 0) {
      const sentences = faults.map((fault) => sentenceOf(fault, 'en'))
      const others = faulty - faults.length
      if (others > 0) sentences.push(`And ${others} more.`)
      throw new CommandFault(`${sentences.join('\n')}\nNothing was entered.`)
    }
    const done = dryRun
      ? await compareRates(db, rows)
      : await enterRates(db, systemAuthor(), { rows, reason: null }, now)
    const { added, known, changes } = done
    if (isJson) {
      const shown = changes.map(({ currency, before, after, day }) => ({
        currency,
        before: before === null ? null : printRate(before),
        after: printRate(after),
        day,
      }))
      return printJson({ entered: dryRun ? 0 : added, new: added, known, changes: shown })
    }
    for (const { currency, before, after, day } of changes)
      print(
        `${currency}: ${before === null ? 'no rate' : printRate(before)} → ${printRate(after)}, of ${day}`,
      )
    return print(
      dryRun
        ? `${added} rates would be entered, ${known} are known already.`
        : `${added} rates entered, ${known} were known already.`,
    )
  })
}

function display(currency: string, shown: boolean): Promise<void> {
  return withServices(async ({ database: { db, clock } }) => {
    const order = { currency, shown, reason: null }
    const isChanged = await setDisplayCurrency(db, systemAuthor(), order, clock.now())
    const state = shown ? 'are shown' : 'are not shown'
    print(
      isChanged ? `Prices ${state} in ${currency} from now on.` : `Prices ${state} in ${currency} already.`,
    )
  })
}

const rateAsJson = (rate: Rate) => ({
  currency: rate.currency,
  per_usd: usdToWire(rate.perUsdMicros),
  set_at: rate.setAt,
})
