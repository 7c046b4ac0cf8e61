/** The desk of the demo's payment page: shows an invoice, and plays the processor when a button is pressed. */
import { randomUUID } from 'node:crypto'
import { Refusal } from '#lib/refusal'
import { type SandboxEvent, signSandbox } from './sandbox.ts'
import { type SandboxInvoice, sandboxPage, sandboxStyle } from './sandbox.page.ts'

export interface SandboxDeskOptions {
  /** The sandbox's invoice with this number, or null. */
  find: (number: string) => Promise<(Omit<SandboxInvoice, 'poolName' | 'brand'> & { pool: string }) | null>
  secret: Buffer
  /** Where the app itself listens: the webhook goes over HTTP like everybody's. */
  webhookUrl: () => string
  brand: string
  now: () => Date
}

const poolNames = {
  ru: {
    residential: 'резидентные',
    residential_premium: 'резидентные премиум',
    datacenter: 'серверные',
    mobile: 'мобильные',
  },
  en: {
    residential: 'residential',
    residential_premium: 'residential premium',
    datacenter: 'datacenter',
    mobile: 'mobile',
  },
} as const

export function sandboxDesk(options: SandboxDeskOptions) {
  return {
    stylesheet: () => sandboxStyle,
    page: async (number: string) => {
      const invoice = await options.find(number)
      if (invoice === null) return null
      const poolName = poolNames[invoice.language][invoice.pool as keyof (typeof poolNames)['ru']]
      return sandboxPage({ ...invoice, poolName, brand: options.brand })
    },
    press: async (number: string, result: string) => {
      const invoice = await options.find(number)
      if (invoice === null) throw new Refusal('invoice_not_found')
      const event = eventOf(result, number, invoice.costMicros)
      const body = JSON.stringify(event)
      const answer = await fetch(options.webhookUrl(), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'sandbox-signature': signSandbox(options.secret, body, options.now()),
        },
        body,
        signal: AbortSignal.timeout(10_000),
      })
      if (!answer.ok) throw new Refusal('payment_failed')
    },
  }
}

function eventOf(result: string, invoice: string, costMicros: bigint): SandboxEvent {
  // One payment an invoice: pressing twice, or in two windows, pays once.
  const payment = `${invoice}-1`
  switch (result) {
    case 'paid':
      return { invoice, payment, outcome: 'received', received_micros: String(costMicros) }
    case 'underpaid':
      return { invoice, payment, outcome: 'received', received_micros: String(costMicros / 2n) }
    case 'cancelled':
      return { invoice, payment: randomUUID(), outcome: 'cancelled', received_micros: '0' }
    default:
      throw new Refusal('invalid_field', { field: 'result' })
  }
}
