/** turnpike invoices: lists, shows and refunds invoices. */
import { Argument, type Command, Option } from 'commander'
import { findAccount } from '#accounts'
import { trafficText } from '#contract/traffic'
import { refund } from '#desk'
import { usdText, usdToWire } from '#lib/money'
import {
  findInvoice,
  findRefund,
  type Invoice,
  type InvoiceState,
  listInvoices,
  type SentRefund,
} from '#purchase'
import { systemAuthor } from '#staff'
import { purchaseDeps } from '../services.ts'
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
import { asking, type ConfirmOptions, mayProceed } from './terminal/confirm.ts'

const states: InvoiceState[] = ['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded']

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
    .addArgument(new Argument('<number>', 'the number of the invoice'))
    .addOption(json())
    .description('show an invoice')
    .action((number: string, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const invoice = await findInvoice(database.db, number)
        if (invoice === null) throw new CommandFault(`There is no invoice ${number}.`)
        const sent = await findRefund(database.db, invoice.id)
        if (options.json) printJson({ ...asJson(invoice), processor_refund: refundAsJson(sent) })
        else for (const [name, value] of factsOf(invoice, sent)) print(`${name.padEnd(18)}${value}`)
      }),
    )
  asking(invoices.command('refund'))
    .addArgument(new Argument('<number>', 'the number of the invoice'))
    .option('--reason <text>', 'why; it is recorded')
    .option('--unused', 'give back all but what the used traffic cost, not all the money')
    .addOption(json())
    .description("take back what is left of an invoice's traffic and note the money as given back")
    .action(giveBack)
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

function giveBack(
  number: string,
  options: ConfirmOptions & { unused?: boolean; reason?: string },
): Promise<void> {
  return withServices(async (services) => {
    const { database } = services
    const what = options.unused === true ? ('unused' as const) : ('all' as const)
    const known = await findInvoice(database.db, number)
    if (known === null) throw new CommandFault(`There is no invoice ${number}.`)
    if (!(await mayProceed(refundSentences(known, what), options))) return
    const order = { number, what, reason: options.reason ?? null }
    const deps = purchaseDeps(services)
    const { done, invoice, sent } = await refund(database, deps, systemAuthor(), order, database.clock.now())
    if (options.json) {
      return printJson({
        number,
        refunded_usd: usdToWire(done.refundedMicros),
        taken_back_bytes: done.takenBackBytes,
        credited_bytes: done.creditedBytes,
        processor_refund: refundAsJson(sent),
      })
    }
    print(`Taken back: ${trafficText(done.takenBackBytes)} of ${trafficText(done.creditedBytes)}.`)
    const usd = `${usdText(done.refundedMicros, 2)} USD`
    if (invoice.method === 'referral') return print(`${usd} are back on the customer's referral balance.`)
    if (sent !== null) return print(refundText(sent, invoice.method))
    return print(`The books say that ${usd} go back to the customer: send them at “${invoice.method}”.`)
  })
}

const refundSentences = (invoice: Invoice, what: 'unused' | 'all') => [
  `Invoice ${invoice.number} of account #${invoice.accountId} is ${invoice.state}: ${usdText(invoice.receivedMicros, 2)} USD came by “${invoice.method}” for ${trafficText(invoice.creditedBytes)} of ${invoice.pool}.`,
  what === 'all'
    ? 'What is left of its traffic will be taken back, and all of the money goes back to the customer.'
    : 'What is left of its traffic will be taken back, and the money goes back but for what the used part cost.',
]

function refundText({ price, state, reference, claimUrl, fault }: SentRefund, method: string): string {
  const sum = `${usdText(price.micros, 2)} ${price.currency}`
  switch (state) {
    case 'due':
      return `${sum} are to go back by “${method}”, which will be told again: ${fault ?? 'it has not been told yet'}.`
    case 'failed':
      return `“${method}” does not send ${sum} back: ${fault ?? 'it says no'}. Send them by hand.`
    case 'sent':
      return claimUrl === null
        ? `“${method}” sends ${sum} back (${reference}).`
        : `${sum} wait for the customer at ${claimUrl}: send them this address.`
  }
}

const refundAsJson = (sent: SentRefund | null) =>
  sent === null
    ? null
    : {
        state: sent.state,
        currency: sent.price.currency,
        amount: usdToWire(sent.price.micros),
        reference: sent.reference,
        claim_url: sent.claimUrl,
        fault: sent.fault,
      }

function factsOf(invoice: Invoice, sent: SentRefund | null): [string, string][] {
  const time = (moment: Date | null) => moment?.toISOString() ?? '–'
  const promo =
    invoice.promocode === null
      ? '–'
      : `${invoice.promocode}, ${percentText(invoice.promoDiscountPpm)} off${invoice.promoLostAt === null ? '' : `; lost ${time(invoice.promoLostAt)}: its use was gone when the payment came`}`
  return [
    ['number', invoice.number],
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
    ...(sent === null ? [] : [['sent back', refundText(sent, invoice.method)] as [string, string]]),
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
