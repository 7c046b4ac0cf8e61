/** The letter to the customer about a payment that was counted. */
import type { Transaction } from 'kysely'
import type { Person } from '#accounts'
import type { DB } from '#db'
import { billHead } from '#ledger'
import { sendMail } from '#mail'
import type { Notification } from '#payments'
import type { Invoice } from './invoice.ts'
import type { Step } from '../rules/payment.ts'

/** A counted payment, as its letter describes it. */
interface Counted {
  invoice: Invoice
  buyer: Pick<Person, 'email'>
  notification: Notification
  step: Step
  isPromoLost: boolean
}

/** Queues the letter about a payment, for a customer with an address. */
export async function tellPayment(
  tx: Transaction<DB>,
  { invoice, buyer: { email }, notification, step, isPromoLost }: Counted,
): Promise<void> {
  if (email === null) return
  const bill = await billHead(tx, invoice.accountId)
  await sendMail(tx, {
    template: 'payment_received',
    to: email,
    language: invoice.language,
    data: {
      invoice: invoice.number,
      short_number: invoice.shortNumber,
      pool: invoice.pool,
      received_micros: String(notification.receivedMicros),
      credited_bytes: String(step.creditBytes),
      is_full: step.keptMicros >= (isPromoLost ? invoice.fullCostMicros : invoice.costMicros),
      promo_lost: isPromoLost,
      ...(bill === null
        ? {}
        : {
            bill: {
              line: String(bill.line),
              hour: bill.hour,
              charged_bytes: String(bill.chargedBytes),
              head: bill.head,
            },
          }),
    },
  })
}
