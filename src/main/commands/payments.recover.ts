/** turnpike payments recover: sales that the database lost when it was restored from an older backup. */
import { type Command, Option } from 'commander'
import { usdText, usdToWire } from '#lib/money'
import { findLostSales, type LostSale, type LostSales, recoverSale } from '#purchase'
import { purchaseDeps } from '../services.ts'
import { beginningArgument, json, print, printJson, printTable, withServices } from './terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'
import { recordDone } from './terminal/recorded.ts'

interface RecoverOptions extends ConfirmOptions {
  since: Date
  method?: string
}

export function recoverCommand(payments: Command): void {
  asking(payments.command('recover'))
    .addOption(
      new Option('--since <time>', 'when the backup was made; a day: from its beginning, in UTC')
        .argParser(beginningArgument)
        .makeOptionMandatory(),
    )
    .option('--method <name>', 'of this payment method only')
    .addOption(json())
    .description('after a restore: find sales since the backup at the processors, and credit them')
    .action(recover)
}

function recover(asked: RecoverOptions): Promise<void> {
  return withServices(async (services) => {
    const { database } = services
    const deps = purchaseDeps(services)
    const found = await findLostSales(database, deps, asked)
    const wanted = found.sales.filter(({ action }) => action !== 'left')
    if (asked.json !== true) show(found)
    // A processor that did not answer may have more sales: the result is incomplete.
    if (found.unlisted.some(({ fault }) => fault !== null)) process.exitCode = 1
    const outcomes = new Map<LostSale, string>()
    if (wanted.length > 0 && (await mayProceed([sentenceFor(wanted)], asked)))
      for (const sale of wanted) {
        const verdict = await recoverSale(database, deps, sale, database.clock.now())
        outcomes.set(sale, verdict)
        const subject = {
          kind: 'invoice',
          id: sale.payment.invoiceNumber ?? sale.payment.externalId,
        } as const
        const after = { method: sale.method, payment: sale.payment.externalId, verdict }
        await recordDone(database, { action: 'recover_sale', subject, after })
      }
    if (asked.json === true) return printJson(asJson(found, outcomes))
    for (const [{ payment, method }, verdict] of outcomes)
      print(`Invoice ${payment.invoiceNumber} of “${method}”: ${verdict}.`)
  })
}

const sentenceFor = (sales: readonly LostSale[]) => {
  const { length } = sales.filter(({ action }) => action === 'recreate')
  return `${sales.length} payments will be credited; for ${length} of them the invoice is made again.`
}

const amountOf = ({ payment: { price, receivedMicros } }: LostSale) =>
  `${usdText(receivedMicros, 2)} ${price.currency}`

function show({ sales, settled, foreign, unlisted }: LostSales): void {
  const rows = sales.map((sale) => {
    const { method, payment, order, action, reason } = sale
    const { gb, pool, account } = order?.record ?? {}
    return [
      payment.createdAt.toISOString().slice(0, 16),
      method,
      payment.externalId,
      payment.invoiceNumber ?? '–',
      amountOf(sale),
      gb === undefined ? '–' : `${gb} GB ${pool}`,
      account === undefined ? '–' : `#${account.id} ${account.username ?? ''}`.trim(),
      account?.email ?? '–',
      action === 'left' ? `left to you: ${reason}` : action,
    ]
  })
  const headings = ['MADE', 'METHOD', 'PAYMENT', 'INVOICE', 'RECEIVED', 'ORDER', 'ACCOUNT', 'E-MAIL', 'WHAT']
  printTable(headings, rows, 'No payment is missing.')
  print(`In the books already: ${settled}. Of other programs on the same accounts: ${foreign}.`)
  for (const { method, fault } of unlisted) {
    if (fault === null) print(`“${method}” has no list of payments: what it brought cannot be found again.`)
    else print(`“${method}” did not answer, and may have more: ${fault}`)
  }
}

const asJson = ({ sales, ...rest }: LostSales, outcomes: ReadonlyMap<LostSale, string>) => ({
  ...rest,
  sales: sales.map((sale) => {
    const { method, payment, order, action, reason } = sale
    const { record } = order ?? {}
    return {
      method,
      payment: payment.externalId,
      invoice: payment.invoiceNumber,
      made_at: payment.createdAt,
      currency: payment.price.currency,
      received: usdToWire(payment.receivedMicros),
      refunded: usdToWire(payment.refundedMicros),
      action,
      reason,
      verdict: outcomes.get(sale) ?? null,
      order:
        record === undefined
          ? null
          : {
              is_genuine: order?.isGenuine,
              account: String(record.account.id),
              username: record.account.username,
              email: record.account.email,
              pool: record.pool,
              gb: record.gb,
              cost: usdToWire(record.costMicros),
              promocode: record.promocode,
            },
    }
  }),
})
