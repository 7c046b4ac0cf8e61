/** The demo's payment desk: shows an invoice, and acts as the processor when a button is pressed. */
import { downToCent } from '#contract/price'
import { randomUUID } from 'node:crypto'
import { type Pool, poolNames } from '#contract/wire'
import { Refusal } from '#lib/refusal'
import { type SandboxEvent, signSandbox } from './sandbox.ts'
import {
  type SandboxBrand,
  sandboxIcon,
  type SandboxInvoice,
  sandboxPage,
  sandboxStyle,
} from './sandbox.page.ts'

type Found = Omit<SandboxInvoice, 'poolName' | 'brand'> & { pool: string }

export interface SandboxDeskOptions {
  /** The sandbox's invoice with this number, or null. */
  find: (number: string) => Promise<Found | null>
  secret: Buffer
  /** The app's own address: the webhook is sent over HTTP, as a processor sends it. */
  webhookUrl: () => string
  brand: () => Promise<SandboxBrand>
  now: () => Date
}

export function sandboxDesk(options: SandboxDeskOptions) {
  return {
    stylesheet: () => sandboxStyle,
    icon: () => sandboxIcon,
    page: async (number: string) => {
      const invoice = await options.find(number)
      if (invoice === null) return null
      const poolName = poolNames[invoice.language][invoice.pool as Pool]
      return sandboxPage({ ...invoice, poolName, brand: await options.brand() })
    },
    press: async (number: string, result: string) => {
      const invoice = await options.find(number)
      if (invoice === null) throw new Refusal('invoice_not_found')
      const event = eventOf(result, invoice)
      const body = JSON.stringify(event)
      const status = await notify(options.webhookUrl(), body, {
        'content-type': 'application/json',
        'sandbox-signature': signSandbox(options.secret, body, options.now()),
      })
      // The button may be pressed again: a payment counts once.
      if (status === 503) throw new Refusal('temporarily_unavailable', {}, 5)
      if (status > 299) throw new Refusal('payment_failed')
    },
  }
}

/**
 * The status of the response of the app's own webhook; 503 when it does not respond, because then its
 * database is unavailable.
 */
async function notify(url: string, body: string, headers: Record<string, string>): Promise<number> {
  try {
    return (await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })).status
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return 503
    throw error
  }
}

function eventOf(result: string, { number, state, dueMicros, receivedMicros }: Found): SandboxEvent {
  // An invoice has at most two payments, the first and the rest. Pressing a button twice, or in two windows,
  // pays once.
  const paid = (payment: string, micros: bigint): SandboxEvent => ({
    invoice: number,
    payment: `${number}-${payment}`,
    outcome: 'received',
    received_micros: String(micros),
  })
  switch (result) {
    case 'paid':
      return state === 'underpaid' ? paid('2', dueMicros - receivedMicros) : paid('1', dueMicros)
    case 'underpaid':
      // Whole cents, as processors receive.
      return paid('1', downToCent(dueMicros / 2n))
    case 'cancelled':
      return { invoice: number, payment: randomUUID(), outcome: 'cancelled', received_micros: '0' }
    default:
      throw new Refusal('invalid_field', { field: 'result' })
  }
}
