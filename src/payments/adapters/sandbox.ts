/**
 * The demo's payment method. Its page takes no money, but its buttons use the same path as a real processor:
 * a webhook, signed over its exact bytes with a time in it, posted to the app's own endpoint.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { Refusal } from '#lib/refusal'
import type { InvoiceToPay, Notification, PaymentMethod, RawWebhook, SavedMethods } from '../method.ts'

const toleranceSeconds = 300

const body = z.strictObject({
  invoice: z.string(),
  payment: z.string(),
  outcome: z.enum(['received', 'cancelled']),
  /** Decimal text: a JSON number cannot represent every amount. */
  received_micros: z.string().regex(/^\d{1,18}$/),
})

export type SandboxEvent = z.infer<typeof body>

export interface SandboxOptions {
  publicUrl: URL
  secret: Buffer
}

export function sandboxMethod(options: SandboxOptions): PaymentMethod {
  return {
    name: 'sandbox',
    description: {
      ru: '<p>Деньги не нужны: на следующей странице вы выберете, чем кончится платёж.</p>',
      en: '<p>No money needed: on the next page you choose how the payment ends.</p>',
    },
    currency: 'USD',
    takesRest: true,
    create: async ({ number }) => ({
      externalId: number,
      paymentUrl: new URL(`/sandbox/pay/${number}`, options.publicUrl).href,
    }),
    prove: (webhook, now) => prove(options.secret, webhook, now),
    read: (webhook) => ({ kind: 'notification', notification: read(webhook) }),
    refund: ({ name }) => Promise.resolve({ reference: name, claimUrl: null, state: 'sent' }),
    saved,
  }
}

/**
 * Every saved card is this one, and every charge of it succeeds. The sandbox stores no charges, so `find`
 * finds none.
 */
const saved: SavedMethods = {
  read: () =>
    Promise.resolve({
      id: 'sandbox',
      customer: null,
      fingerprint: 'sandbox',
      brand: 'Visa',
      last4: '4242',
      expires: '2030-12',
    }),
  charge: async ({ invoice }) => chargeOf(invoice),
  find: () => Promise.resolve(null),
  close: (externalId) => Promise.resolve({ state: 'declined', externalId, reason: 'declined' }),
  forget: () => Promise.resolve(),
}

const chargeOf = ({ number, price }: InvoiceToPay) => ({
  state: 'received' as const,
  externalId: number,
  finding: {
    externalId: number,
    invoiceNumber: number,
    status: 'received' as const,
    price,
    receivedMicros: price.micros,
    isTest: false,
    isDisputed: false,
  },
})

/** The header that proves a body: `t=<epoch seconds>,v1=<hex HMAC-SHA256 of "t.body">`. */
export function signSandbox(secret: Buffer, text: string | Buffer, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000)
  return `t=${seconds},v1=${hmac(secret, seconds, text).toString('hex')}`
}

function hmac(secret: Buffer, seconds: number, text: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(text).digest()
}

function prove(secret: Buffer, webhook: RawWebhook, now: Date): void {
  const header = webhook.headers['sandbox-signature']
  const parts = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '')
  const seconds = Number(parts?.[1])
  const given = Buffer.from(parts?.[2] ?? '', 'hex')
  const right = hmac(secret, seconds, webhook.body)
  // An old notification could be a replay; one from the future could be stored for a later replay.
  const isTimely = Math.abs(now.getTime() / 1000 - seconds) <= toleranceSeconds
  const isGenuine = given.length === right.length && timingSafeEqual(given, right)
  if (parts === null || !isTimely || !isGenuine) throw new Refusal('invalid_webhook_signature')
}

function read(webhook: RawWebhook): Notification {
  const event = body.parse(JSON.parse(webhook.body.toString('utf8')))
  return {
    invoiceNumber: event.invoice,
    outcome: event.outcome,
    externalPaymentId: event.payment,
    receivedMicros: BigInt(event.received_micros),
  }
}
