/** turnpike payments: notifications of processors; and, in folders of their own, rates and fees. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { askProcessor, replayEvent } from '#desk'
import { parseId } from '#lib/bigint'
import { findWebhook, listWebhooks, type WebhookEvent } from '#payments'
import { systemAuthor } from '#staff'
import { purchaseDeps } from '../services.ts'
import {
  CommandFault,
  json,
  print,
  printJson,
  printTable,
  wholeArgument,
  withServices,
} from './terminal/command.ts'
import { feeCommands } from './fees/fees.ts'
import { rateCommands } from './rates/rates.ts'
import { recoverCommand } from './payments.recover.ts'
import { recordDone } from './terminal/recorded.ts'

const eventArgument = () =>
  new Argument('<id>', 'the id of the notification, as the list shows it').argParser((text) => {
    const id = parseId(text)
    if (id === null) throw new InvalidArgumentError('It is a whole number.')
    return id
  })

export function paymentCommands(turnpike: Command): void {
  const payments = turnpike
    .command('payments')
    .description('notifications of payment processors and their verdicts')
  payments
    .command('list', { isDefault: true })
    .description('list notifications with their verdicts, the newest first')
    .option('--method <name>', 'of this payment method only')
    .option('--verdict <verdict>', 'with this verdict only, e.g. wrong_amount')
    .option('--invoice <number>', 'about this invoice only')
    .addOption(
      new Option('--limit <n>', 'this many at most')
        .argParser(wholeArgument({ min: 1, max: 100_000 }))
        .default(50),
    )
    .addOption(json())
    .action(list)
  payments
    .command('show')
    .addArgument(eventArgument())
    .description('a notification exactly as it came')
    .addOption(json())
    .action((id: bigint, options: { json?: boolean }) =>
      withServices(async ({ database }) => {
        const event = await findWebhook(database.db, id)
        if (event === null) throw new CommandFault(`There is no notification ${id}.`)
        const body = event.body.toString('utf8')
        if (options.json) return printJson({ ...asJson(event), headers: event.headers, body })
        for (const [name, value] of Object.entries(event.headers)) print(`${name}: ${String(value)}`)
        // As a JSON string, so that its bytes cannot send escape sequences to the terminal.
        print(JSON.stringify(body))
        if (event.bodyBytes > event.body.length)
          print(
            `It was not genuine: of ${event.bodyBytes} bytes only the first ${event.body.length} are kept.`,
          )
      }),
    )
  payments
    .command('replay')
    .addArgument(eventArgument())
    .description('process a stored notification again, as if it arrived now')
    .addOption(json())
    .action(replay)
  payments
    .command('check')
    .argument('<number>', 'the number of the invoice')
    .description('ask the processor for the state of an invoice')
    .addOption(json())
    .action(check)
  recoverCommand(payments)
  rateCommands(turnpike)
  feeCommands(turnpike)
}

interface ListOptions {
  method?: string
  verdict?: string
  invoice?: string
  limit: number
  json?: boolean
}

function list({ json: isJson, ...filter }: ListOptions): Promise<void> {
  return withServices(async ({ database }) => {
    const events = await listWebhooks(database.db, filter)
    if (isJson) return printJson(events.map(asJson))
    const headings = ['ID', 'CAME', 'METHOD', 'TIMES', 'VERDICT', 'INVOICE', 'FROM']
    const rows = events.map((event) => [
      String(event.id),
      event.receivedAt.toISOString().slice(0, 19),
      event.method,
      String(event.deliveries),
      event.verdict ?? 'not judged',
      event.invoiceNumber ?? '–',
      event.ip,
    ])
    return printTable(headings, rows, 'There are no such notifications.')
  })
}

const asJson = (event: WebhookEvent) => ({
  id: event.id,
  received_at: event.receivedAt,
  method: event.method,
  deliveries: event.deliveries,
  verdict: event.verdict,
  judged_at: event.judgedAt,
  invoice: event.invoiceNumber,
  ip: event.ip,
  body_bytes: event.bodyBytes,
})

function replay(id: bigint, options: { json?: boolean }): Promise<void> {
  return withServices(async (services) => {
    const { database } = services
    const order = { id, reason: null }
    const verdict = await replayEvent(
      database,
      purchaseDeps(services),
      systemAuthor(),
      order,
      database.clock.now(),
    )
    if (verdict === null) throw new CommandFault(`There is no notification ${id}.`)
    const subject = { kind: 'payment_event', id: String(id) } as const
    await recordDone(services.database, { action: 'replay_payment_event', subject, after: { verdict } })
    if (options.json) printJson({ id, verdict })
    else print(`Notification ${id}: ${verdict}.`)
  })
}

function check(number: string, options: { json?: boolean }): Promise<void> {
  return withServices(async (services) => {
    const { database } = services
    const order = { number, reason: null }
    const verdict = await askProcessor(
      database,
      purchaseDeps(services),
      systemAuthor(),
      order,
      database.clock.now(),
    )
    if (verdict === null)
      throw new CommandFault(
        `No processor can be asked about ${number}: it was never made there, or not by one.`,
      )
    const subject = { kind: 'invoice', id: number } as const
    await recordDone(services.database, { action: 'check_invoice', subject, after: { verdict } })
    if (options.json) printJson({ number, verdict })
    else print(`Invoice ${number}: ${verdict}.`)
  })
}
