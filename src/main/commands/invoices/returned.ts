/** turnpike invoices returned: sets the value of a refund in another currency. */
import { isWholeCents } from '#contract/price'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { trafficText } from '#contract/traffic'
import { sayReturned } from '#desk'
import { usdFromText, usdText, usdToWire } from '#lib/money'
import { findInvoice, returnedOf } from '#purchase'
import { systemAuthor } from '#staff'
import { purchaseDeps } from '../../services.ts'
import { CommandFault, json, print, printJson, withServices } from '../terminal/command.ts'
import { asking, type ConfirmOptions, mayProceed } from '../terminal/confirm.ts'

export function returnedCommand(invoices: Command): void {
  asking(invoices.command('returned'))
    .addArgument(new Argument('<number>', 'the number of the invoice'))
    .addArgument(
      new Argument('<refund>', "the processor's id of the refund, as the page of the invoice shows it"),
    )
    .addArgument(
      new Argument('<amount>', 'how much of the invoice it returned, in its currency; 0: nothing').argParser(
        amountOf,
      ),
    )
    .option('--reason <text>', 'why; it is recorded')
    .addOption(json())
    .description('count a refund that the processor made in another currency than that of the invoice')
    .action(say)
}

function amountOf(text: string): bigint {
  const micros = usdFromText(text)
  if (micros === null || micros < 0n || !isWholeCents(micros))
    throw new InvalidArgumentError('It is an amount such as 3.50, or 0.')
  return micros
}

function say(
  number: string,
  refundId: string,
  micros: bigint,
  options: ConfirmOptions & { reason?: string },
): Promise<void> {
  return withServices(async (services) => {
    const { database } = services
    const invoice = await findInvoice(database.db, number)
    if (invoice === null) throw new CommandFault(`There is no invoice ${number}.`)
    const found = await returnedOf(database.db, invoice.id)
    const refund = found.find((one) => one.refundId === refundId && one.state === 'unclear')
    if (refund === undefined)
      throw new CommandFault(`Invoice ${number} has no refund ${refundId} whose amount has to be said.`)
    const { currency } = invoice.price
    const sentences = [
      `“${invoice.method}” has returned ${usdText(refund.price.micros)} ${refund.price.currency} of invoice ${number}.`,
      micros === 0n
        ? 'It is noted as having returned nothing of the invoice.'
        : `It is counted as ${usdText(micros, 2)} ${currency} of the invoice, and the unused traffic that this bought is taken back.`,
    ]
    if (!(await mayProceed(sentences, options))) return
    const wish = { number, refundId, micros, reason: options.reason ?? null }
    const after = await sayReturned(
      database,
      purchaseDeps(services),
      systemAuthor(),
      wish,
      database.clock.now(),
    )
    const takenBytes = after.takenBackBytes - invoice.takenBackBytes
    const returnedMicros = after.refundedMicros - invoice.refundedMicros
    if (options.json)
      return printJson({ number, refunded_usd: usdToWire(returnedMicros), taken_back_bytes: takenBytes })
    print(`Counted: ${usdText(returnedMicros, 2)} USD. Taken back: ${trafficText(takenBytes)}.`)
  })
}
