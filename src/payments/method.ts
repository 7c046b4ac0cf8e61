/** The interface behind which every processor stands. */
import type { Language } from '#contract/language'

/** An amount of a currency, in millionths of its unit: exact for kopecks, cents and what crypto comes to in USD. */
export interface Price {
  currency: string
  micros: bigint
}

/** What a processor is asked to collect. */
export interface InvoiceToPay {
  number: string
  price: Price
  description: string
  language: Language
  /** How long it may be paid. */
  lifeSeconds: number
  /** When that ends; the same for a repeat. */
  expiresAt: Date
  /** It may have been made before, by a call whose answer was lost with its process. */
  isRepeat: boolean
}

/** What a verified notification says, in one form for all processors. */
export interface Notification {
  invoiceNumber: string
  outcome: 'received' | 'cancelled'
  /** The processor's id of the payment: money is credited once per id. */
  externalPaymentId: string
  /** Micro-USD; 0 when cancelled. */
  receivedMicros: bigint
}

/** What a processor itself says of one of its invoices when it is asked. */
export interface Finding {
  /** The processor's id of the invoice. */
  externalId: string
  /** The number that we gave it; null: it carries none of ours. */
  invoiceNumber: string | null
  /** `received`: money is there and final. `waiting`: it may still come. `closed`: none will. */
  status: 'waiting' | 'received' | 'closed'
  price: Price
  /** All that was received so far, in the currency of the price. */
  receivedMicros: bigint
  /** Play money that must not buy anything here. */
  isTest: boolean
  /** The payer has asked their bank for the money back. */
  isDisputed: boolean
}

export interface RawWebhook {
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  ip: string
}

/**
 * What a genuine notification is good for. A `hint` says which of the processor's invoices to ask about: its contents
 * are not believed. Only the sandbox, which has no server to ask, gives the notification itself.
 */
export type Reading =
  | { kind: 'hint'; externalId: string }
  | { kind: 'notification'; notification: Notification }
  | { kind: 'nothing'; verdict: 'ignored' | 'stale' | 'another_shop' }

export interface RefundToSend {
  /** The number of our invoice. */
  number: string
  /** The processor's id of its invoice. */
  externalId: string
  price: Price
}

export interface PaymentMethod {
  name: string
  /** HTML of the operator for the method's card. */
  description: Record<Language, string>
  /** What it collects; for anything but USD the operator sets a rate. */
  currency: 'USD' | 'RUB'
  /**
   * Makes the processor's invoice. An answer that did not come is reconciled here: the invoice is looked up, or asked
   * for again under the same idempotency key; never is a second one made. Throws `ProcessorFault`.
   */
  create: (invoice: InvoiceToPay) => Promise<{ externalId: string; paymentUrl: string }>
  /**
   * Proves over the bytes that came that a notification is genuine, without asking the processor: this is done before
   * anything is stored. Refuses with `invalid_webhook_signature`.
   */
  prove: (webhook: RawWebhook, now: Date) => void
  /** Reads a notification that has been proved genuine. */
  read: (webhook: RawWebhook, now: Date) => Reading
  /** Asks the processor about one of its invoices; null: it knows none with this id. Throws `ProcessorFault`. */
  look?: (externalId: string) => Promise<Finding | null>
  /**
   * Has the processor give money back, however often it is told the same. `claimUrl`: where the customer takes it.
   * Throws `ProcessorFault`.
   */
  refund?: (refund: RefundToSend) => Promise<{ reference: string; claimUrl: string | null }>
}
