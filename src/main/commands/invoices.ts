/** turnpike invoices: lists, shows and refunds invoices. */
import { Argument, type Command, Option } from 'commander'
import { findAccount } from '#accounts'
import { invoiceStates } from '#contract/desk/choices'
import { trafficText } from '#contract/traffic'
import { usdText, usdToWire } from '#lib/money'
import {
  invoiceNamed,
  type Invoice,
  type InvoiceState,
  listInvoices,
  type MadeRefund,
  refundsOf,
} from '#purchase'
import { refundAsJson, refundCommands, refundText } from './invoices/refunds.ts'
import { returnedCommand } from './invoices/returned.ts'
import {
  CommandFault,
  json,
  percentText,
  print,
  printJson,
  printTable,
  wholeArgument,
  withServices,
} from './terminal/command.ts'

const states: readonly InvoiceState[] = invoiceStates

interface ListOptions {
  user?: string
  state?: InvoiceState
  limit: number
  json?: boolean
}

export function invoiceCommands(turnpike: Command): void {
  const invoices = turnpike.command('invoices').description('orders and their outcome')
  invoices
    .command('list', { isDefault: true })
    .option('--user <name>', 'of this customer only')
    .addOption(new Option('--state <state>', 'in this state only').choices(states))
    .option('--limit <n>', 'this many at most', wholeArgument({ min: 1, max: 100_000 }), 50)
    .addOption(json())
    .description('invoices, the newest first')
    .action(list)
  invoices
    .command('show')
    .addArgument(new Argument('<number>', 'the number of the invoice, such as 2026-000123, or its id'))
    .addOption(json())
    .description('show an invoice')
    .action((number: string, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const invoice = await invoiceNamed(database.db, number)
        if (invoice === null) throw new CommandFault(`There is no invoice ${number}.`)
        const refunds = await refundsOf(database.db, invoice.id)
        if (options.json) printJson({ ...asJson(invoice), refunds: refunds.map(refundAsJson) })
        else for (const [name, value] of factsOf(invoice, refunds)) print(`${name.padEnd(18)}${value}`)
      }),
    )
  refundCommands(invoices)
  returnedCommand(invoices)
}

function list(options: ListOptions): Promise<void> {
  return withServices(async ({ database: { db } }) => {
    const account = options.user === undefined ? undefined : await findAccount(db, options.user)
    if (account === null) throw new CommandFault(`There is no account “${options.user}”.`)
    const found = await listInvoices(db, {
      limit: options.limit,
      ...(account === undefined ? {} : { accountId: account.id }),
      ...(options.state === undefined ? {} : { state: options.state }),
    })
    if (options.json) return printJson(found.map(asJson))
    const headings = ['NUMBER', 'MADE', 'POOL', 'GB', 'USD', 'METHOD', 'STATE']
    const rows = found.map((invoice) => [
      invoice.number,
      invoice.createdAt.toISOString().slice(0, 16),
      invoice.pool,
      String(invoice.gb),
      usdText(invoice.costMicros, 2),
      invoice.method,
      invoice.state,
    ])
    return printTable(headings, rows, 'There are no such invoices.')
  })
}

function factsOf(invoice: Invoice, refunds: readonly MadeRefund[]): [string, string][] {
  const time = (moment: Date | null) => moment?.toISOString() ?? '–'
  const promo =
    invoice.promocode === null
      ? '–'
      : `${invoice.promocode}, ${percentText(invoice.promoDiscountPpm)} off${invoice.promoLostAt === null ? '' : `; lost ${time(invoice.promoLostAt)}: its use was gone when the payment came`}`
  return [
    ['number', invoice.shortNumber],
    ['id', invoice.number],
    ['state', invoice.state],
    ['account', String(invoice.accountId)],
    ['bought', `${invoice.gb} GB ${invoice.pool}`],
    ['price', `${usdText(invoice.perGbMicros, 2)} USD per GB`],
    ['volume discount', percentText(invoice.volumeDiscountPpm)],
    ['promo code', promo],
    ['cost', `${usdText(invoice.costMicros, 2)} USD`],
    ['due', `${usdText(invoice.dueMicros, 2)} USD`],
    [
      'received',
      `${usdText(invoice.receivedMicros, 2)} USD by ${invoice.method}${invoice.isAutomatic ? ', automatic top-up' : ''}`,
    ],
    ['credited', trafficText(invoice.creditedBytes)],
    ['collected in', collected(invoice)],
    ['at the processor', `${invoice.externalId ?? '–'}, ${invoice.processorVerdict ?? 'not asked yet'}`],
    ['disputed', time(invoice.disputedAt)],
    ['made', time(invoice.createdAt)],
    ['open until', time(invoice.expiresAt)],
    ['settled', time(invoice.settledAt)],
    ['refunded', time(invoice.refundedAt)],
    ['given back', `${usdText(invoice.refundedMicros, 2)} USD`],
    ['taken back', trafficText(invoice.takenBackBytes)],
    ...refunds.map((made): [string, string] => [
      'refund',
      `${made.name}: ${refundText(made, invoice.method)}`,
    ]),
  ]
}

function collected({ price, rate }: Invoice): string {
  const sum = `${usdText(price.micros, 2)} ${price.currency}`
  return rate === null
    ? sum
    : `${sum} at ${usdText(rate.perUsdMicros, 2)} of ${rate.setAt.toISOString().slice(0, 10)}`
}

const asJson = (invoice: Invoice) => ({
  number: invoice.number,
  short_number: invoice.shortNumber,
  state: invoice.state,
  account_id: invoice.accountId,
  pool: invoice.pool,
  gb: invoice.gb,
  method: invoice.method,
  per_gb_usd: usdToWire(invoice.perGbMicros),
  volume_discount: invoice.volumeDiscountPpm / 1e6,
  promo_discount: invoice.promoDiscountPpm / 1e6,
  promocode: invoice.promocode,
  promo_lost_at: invoice.promoLostAt,
  cost_usd: usdToWire(invoice.costMicros),
  due_usd: usdToWire(invoice.dueMicros),
  received_usd: usdToWire(invoice.receivedMicros),
  credited_bytes: invoice.creditedBytes,
  price: { currency: invoice.price.currency, amount: usdToWire(invoice.price.micros) },
  rate:
    invoice.rate === null
      ? null
      : { per_usd: usdToWire(invoice.rate.perUsdMicros), set_at: invoice.rate.setAt },
  external_id: invoice.externalId,
  processor_verdict: invoice.processorVerdict,
  disputed_at: invoice.disputedAt,
  created_at: invoice.createdAt,
  expires_at: invoice.expiresAt,
  settled_at: invoice.settledAt,
  refunded_at: invoice.refundedAt,
  refunded_usd: usdToWire(invoice.refundedMicros),
  taken_back_bytes: invoice.takenBackBytes,
})
