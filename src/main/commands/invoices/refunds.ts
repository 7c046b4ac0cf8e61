/** turnpike invoices refund, sent, drop: refunds that the shop makes. */
import { Argument, type Command } from 'commander'
import { trafficText } from '#contract/traffic'
import { dropRefund, noteRefundSent, refund } from '#desk'
import { usdText, usdToWire } from '#lib/money'
import { findInvoice, type Invoice, type MadeRefund, type RefundOf } from '#purchase'
import { systemAuthor } from '#staff'
import { purchaseDeps } from '../../services.ts'
import { CommandFault, json, print, printJson, usdArgument, withServices } from '../terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from '../terminal/confirm.ts'

interface RefundOptions extends ConfirmOptions {
  unused?: boolean
  amount?: bigint
  byHand?: boolean
  reason?: string
}

export function refundCommands(invoices: Command): void {
  asking(invoices.command('refund'))
    .addArgument(new Argument('<number>', 'the number of the invoice'))
    .option('--reason <text>', 'why; it is recorded')
    .option('--unused', 'give back all but what the used traffic cost, not all the money')
    .option('--amount <usd>', 'give back this much, and take the traffic that it bought', usdArgument)
    .option('--by-hand', 'you send the money yourself, though the payment system could')
    .addOption(json())
    .description("refund an invoice, or a part of it: take back what is left of the money's traffic")
    .action(giveBack)
  invoices
    .command('sent')
    .argument('<refund>', 'the refund that waited to be sent by hand, as “invoices show” names it')
    .option('--reference <text>', 'what your bank or wallet calls it')
    .option('--reason <text>', 'why; it is recorded')
    .addOption(json())
    .description('note that you have sent a refund by hand: its traffic is taken back now')
    .action(sent)
  invoices
    .command('drop')
    .argument('<refund>', 'the refund that waits to be sent by hand')
    .option('--reason <text>', 'why; it is recorded')
    .description('end a refund that you will not send; the invoice stays as it is')
    .action((name: string, { reason = null }: { reason?: string | null }) =>
      withServices(async ({ database }) => {
        await dropRefund(database, systemAuthor(), { name, reason }, database.clock.now())
        print(`The refund ${name} will not be sent.`)
      }),
    )
}

function giveBack(number: string, options: RefundOptions): Promise<void> {
  return withServices(async (services) => {
    const { database } = services
    const what: RefundOf = options.amount ?? (options.unused === true ? 'unused' : 'all')
    const known = await findInvoice(database.db, number)
    if (known === null) throw new CommandFault(`There is no invoice ${number}.`)
    if (!(await mayProceed(sentencesOf(known, what), options))) return
    const order = { number, what, byHand: options.byHand === true, reason: options.reason ?? null }
    const now = database.clock.now()
    const { done, invoice, made } = await refund(database, purchaseDeps(services), systemAuthor(), order, now)
    if (options.json) {
      return printJson({
        number,
        refunded_usd: usdToWire(done?.refundedMicros ?? 0n),
        taken_back_bytes: done?.takenBackBytes ?? 0n,
        credited_bytes: invoice.creditedBytes,
        refund: refundAsJson(made),
      })
    }
    if (done !== null && made.state !== 'failed')
      print(`Taken back: ${trafficText(done.takenBackBytes)} of ${trafficText(done.creditedBytes)}.`)
    print(refundText(made, invoice.method))
  })
}

function sent(name: string, options: { reference?: string; reason?: string; json?: boolean }): Promise<void> {
  return withServices(async ({ database }) => {
    const wish = { name, reference: options.reference ?? null, reason: options.reason ?? null }
    const done = await noteRefundSent(database, systemAuthor(), wish, database.clock.now())
    if (options.json)
      return printJson({
        refund: name,
        refunded_usd: usdToWire(done.refundedMicros),
        taken_back_bytes: done.takenBackBytes,
      })
    print(
      `Noted as sent: ${usdText(done.refundedMicros, 2)} USD. Taken back: ${trafficText(done.takenBackBytes)}.`,
    )
  })
}

const sentencesOf = (invoice: Invoice, what: RefundOf) => [
  `Invoice ${invoice.number} of account #${invoice.accountId} is ${invoice.state}: ${usdText(invoice.receivedMicros, 2)} USD came by “${invoice.method}” for ${trafficText(invoice.creditedBytes)} of ${invoice.pool}.`,
  what === 'all'
    ? 'What is left of its traffic will be taken back, and all of the money that was not returned goes back to the customer.'
    : what === 'unused'
      ? 'What is left of its traffic will be taken back, and the money goes back but for what the used part cost.'
      : `${usdText(what, 2)} USD go back to the customer, and the traffic that they bought is taken back as far as it is left.`,
]

/** What happens to a refund next, as a sentence. */
export function refundText(
  { name, way, price, state, reference, claimUrl, fault }: MadeRefund,
  method: string,
): string {
  const sum = `${usdText(price.micros, 2)} ${price.currency}`
  switch (state) {
    case 'planned':
      return `“${method}” sends no money back by itself: send ${sum}, then run “turnpike invoices sent ${name}”. Nothing is taken before that.`
    case 'due':
      return `${sum} are to go back by “${method}”, which will be told again: ${fault ?? 'it has not been told yet'}.`
    case 'refused':
    case 'failed':
      return `“${method}” does not send ${sum} back: ${fault ?? 'it says no'}. Everything that was taken for it is given back; refund again, or with --by-hand.`
    case 'dropped':
      return `${sum} were to be sent by hand, and were not.`
    case 'sent':
    case 'done':
      if (way === 'balance') return `${sum} are back on the customer's referral balance.`
      if (way === 'hand') return `${sum} were sent by hand${reference === null ? '' : ` (${reference})`}.`
      return claimUrl === null
        ? `“${method}” sends ${sum} back (${reference}).`
        : `${sum} wait for the customer at ${claimUrl}: send them this address.`
  }
}

export const refundAsJson = (made: MadeRefund) => ({
  id: made.name,
  way: made.way,
  state: made.state,
  currency: made.price.currency,
  amount: usdToWire(made.price.micros),
  reference: made.reference,
  claim_url: made.claimUrl,
  fault: made.fault,
})
