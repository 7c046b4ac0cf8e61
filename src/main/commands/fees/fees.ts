/** turnpike fees: the fees of processors that do not report them. */
import { Argument, type Command, Option } from 'commander'
import { processorMethods } from '#contract/invoices'
import { usdFromText, usdText, usdToWire } from '#lib/money'
import { type FeeTerms, listFeeTerms, setFeeTerms } from '#purchase'
import {
  beginningArgument,
  CommandFault,
  json,
  percentArgument,
  percentText,
  print,
  printJson,
  printTable,
  withServices,
} from '../terminal/command.ts'
import { recorded } from '../terminal/recorded.ts'

export function feeCommands(turnpike: Command): void {
  const fees = turnpike.command('fees').description('fees of processors that do not report them')
  fees
    .command('list', { isDefault: true })
    .description('all terms that were set, the newest of each method first')
    .addOption(json())
    .action((options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const found = await listFeeTerms(database.db)
        if (options.json) return printJson(found.map(termsAsJson))
        const rows = found.map((terms) => [
          terms.method,
          terms.validFrom.toISOString().slice(0, 16),
          percentText(terms.percentPpm),
          usdText(terms.fixedMicros, 2),
          terms.setBy,
        ])
        return printTable(['METHOD', 'FROM', 'PERCENT', 'FIXED, USD', 'SET BY'], rows, 'No terms are set.')
      }),
    )
  fees
    .command('set')
    .addArgument(new Argument('<method>', 'the payment method').choices(processorMethods))
    .addArgument(
      new Argument('<percent>', 'of each payment, e.g. 2.9').argParser(percentArgument({ min: 0, max: 100 })),
    )
    .addArgument(new Argument('[fixed]', 'and so many USD of each payment, e.g. 0.30').default('0'))
    .addOption(
      new Option('--from <moment>', 'of payments from then on; otherwise from now on').argParser(
        beginningArgument,
      ),
    )
    .description('set what a processor keeps; payments that were counted keep their fee')
    .action((method: string, percentPpm: number, fixed: string, options: { from?: Date }) =>
      withServices(async ({ database, methods }) => {
        const fixedMicros = usdFromText(fixed)
        if (fixedMicros === null || fixedMicros < 0n)
          throw new CommandFault(`“${fixed}” is no amount in USD such as 0.30.`)
        if (methods.find(method)?.reportsFees === true)
          throw new CommandFault(`${method} reports its fees itself: terms would count nothing.`)
        const now = database.clock.now()
        const validFrom = options.from ?? now
        const terms = { method, validFrom, percentPpm, fixedMicros, setAt: now, setBy: 'turnpike' }
        await recorded(
          database,
          (tx) => setFeeTerms(tx, terms),
          () => ({
            action: 'set_fee_terms',
            subject: { kind: 'rate', id: method },
            after: { valid_from: validFrom, percent_ppm: percentPpm, fixed_micros: fixedMicros },
          }),
        )
        print(
          `From ${validFrom.toISOString().slice(0, 16)} on ${method} keeps ${percentText(percentPpm)} and ${usdText(fixedMicros, 2)} USD of each payment.`,
        )
      }),
    )
}

const termsAsJson = (terms: FeeTerms) => ({
  method: terms.method,
  valid_from: terms.validFrom,
  percent: terms.percentPpm / 10_000,
  fixed_usd: usdToWire(terms.fixedMicros),
  set_at: terms.setAt,
  set_by: terms.setBy,
})
