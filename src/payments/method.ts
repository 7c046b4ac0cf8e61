/** The interface behind which every processor stands. */
import type { Language } from '#contract/language'
import type { declineReasons } from '#contract/topup/rules'
import type { Price } from './amount.ts'
import type { FiscalMethod, FiscalReceipt } from './fiscal.ts'

export type { Price } from './amount.ts'

/**
 * An optional part of an invoice, because of which a processor may refuse the whole invoice: saving the
 * payment method, a fiscal receipt, the processor's own invoice, the language of its page.
 */
export type Wish = 'save_method' | 'receipt' | 'invoice' | 'language'

/** What a processor is to collect. */
export interface InvoiceToPay {
  number: string
  price: Price
  description: string
  language: Language
  /** How long it may be paid. */
  lifeSeconds: number
  /** When the invoice expires; the same when the request is repeated. */
  expiresAt: Date
  /** What was ordered, for the processor to keep with the invoice (`printOrder`). */
  order: string
  /**
   * The invoice may already exist: an earlier call may have ended with its process before the answer was
   * stored.
   */
  isRepeat: boolean
  /**
   * The fiscal receipt to be registered with the payment; the same when the request is repeated. Null: none.
   */
  receipt: FiscalReceipt | null
  /** The payer has agreed that the processor saves their payment method, for later charges without them. */
  savesMethod: boolean
  /** The wishes that the processor has refused: it is requested without them, under another key. */
  without: readonly Wish[]
}

/** The processor's ids of a saved payment method; secret, since they are what a charge needs. */
export interface MethodIds {
  id: string
  /** Stripe's customer, to which the method is attached; null: the processor has none. */
  customer: string | null
}

/** A payment method that a processor has saved. */
export interface FoundMethod extends MethodIds {
  /** The name that the payer recognises; for a card its brand, such as "Visa". */
  brand: string
  /** The last four digits of a card; null: not a card, or not reported. */
  last4: string | null
  /** YYYY-MM, the last month of a card. */
  expires: string | null
  /**
   * The processor's identifier of a card, the same each time the card is saved; null: it has none, and each
   * saving is a separate method.
   */
  fingerprint: string | null
}

/** Why a charge of a saved method failed, in one form for all processors. */
export type DeclineReason = (typeof declineReasons)[number]

/**
 * A processor's statement about a charge. `pending`: it may still succeed or fail. `received`: the finding
 * says how much. `declined` is final: no money was taken, and none can be taken under this id.
 * `authentication`: the bank requires the payer to confirm.
 */
export type Charge =
  | { state: 'pending'; externalId: string }
  | { state: 'received'; externalId: string; finding: Finding }
  | { state: 'declined'; externalId: string | null; reason: DeclineReason }
  | { state: 'authentication'; externalId: string }

/** The invoice to charge, and the saved method to charge. */
export interface ChargeOrder {
  invoice: InvoiceToPay
  saved: MethodIds
}

/** A processor's operations with saved payment methods. All throw `ProcessorFault`. */
export interface SavedMethods {
  /** The method that was saved with a paid invoice, by the processor's id of the invoice; null: none was. */
  read: (externalId: string) => Promise<FoundMethod | null>
  /**
   * Charges without the payer, under the invoice's number as idempotency key. A fault with `isDenied` means
   * that the shop was denied access and nothing was charged. After a fault with outcome `unknown` the charge
   * may have been made: `find` says whether it was. For a day, a repetition with the same order and key has
   * no further effect.
   */
  charge: (order: ChargeOrder) => Promise<Charge>
  /** The charge of an invoice, among those made since this time; null: there is none. */
  find: (number: string, since: Date) => Promise<Charge | null>
  /**
   * Cancels a charge that waits for its payer, and returns its state: `received` when the payer paid before.
   */
  close: (externalId: string) => Promise<Charge>
  /** Makes the processor forget a method. */
  forget: (saved: MethodIds) => Promise<void>
}

/** The contents of a verified notification, in one form for all processors. */
export interface Notification {
  invoiceNumber: string
  outcome: 'received' | 'cancelled'
  /** The processor's id of the payment: money is credited once per id. */
  externalPaymentId: string
  /** Micro-USD; 0 when cancelled. */
  receivedMicros: bigint
  /** When the processor received the money; absent or null: it does not report a time. */
  paidAt?: Date | null
}

/** Where a cryptocurrency is to be sent for an invoice. */
export interface PayTo {
  /** The processor's name of the network. */
  network: string
  currency: string
  address: string
  /** What is still due, decimal text. */
  amount: string
  /** A link for wallets; null: there is none. */
  link: string | null
}

/** A processor's own statement about one of its invoices. */
export interface Finding {
  /** The processor's id of the invoice. */
  externalId: string
  /** Our number of the invoice; null: it has none. */
  invoiceNumber: string | null
  /**
   * `received`: money has arrived and is final. `waiting`: it may still arrive. `closed`: it will not arrive.
   */
  status: 'waiting' | 'received' | 'closed'
  price: Price
  /** The total received so far, in the currency of the price. */
  receivedMicros: bigint
  /**
   * When the processor received the last of this money, by its clock; absent or null: it does not report a
   * time.
   */
  paidAt?: Date | null
  /** A test payment, which buys nothing here. */
  isTest: boolean
  /** The payer has opened a chargeback. */
  isDisputed: boolean
  /** The latest dispute, where the processor was asked for disputes. */
  dispute?: Dispute
  /** All disputes of the payment, where the processor was asked for them. */
  disputes?: FoundDispute[]
  /**
   * All refunds of the payment, ordered by the shop or at the processor, where the processor was asked for
   * them.
   */
  refunds?: FoundRefund[]
  /**
   * The processor's fee on the received money, in the currency of the price; absent or null: it does not
   * report a fee, or not yet.
   */
  feeMicros?: bigint | null
}

/**
 * `waiting`: it may still be sent or fail. `sent`: the money is on its way. `failed`: it was not sent, or
 * came back.
 */
export type RefundState = 'waiting' | 'sent' | 'failed'

/** A refund as the processor reports it. */
export interface FoundRefund {
  refundId: string
  /** Our name of the refund, when the shop ordered it; null: the refund has none. */
  name: string | null
  price: Price
  state: RefundState
  madeAt: Date
  /** The processor's fee for the refund, in the currency of the price; null: it does not report one. */
  feeMicros: bigint | null
}

/** A dispute with its money. */
export interface FoundDispute extends Dispute {
  disputeId: string
  price: Price
  openedAt: Date
  /** The fees for it so far, less those given back, in the currency of the price. */
  feeMicros: bigint
  /** The processor has taken the money out of the shop's balance, and not given it back. */
  isWithdrawn: boolean
}

/** A refund or a dispute in a processor's own list of them. */
export interface ListedChange {
  id: string
  /** What `look` takes to find the payment. */
  lookAt: string
  state: FoundRefund['state'] | DisputeState
}

/**
 * `needs_response`: the shop has to answer. `under_review`: the shop has answered, or no longer can. `won`:
 * the shop keeps the money.
 */
export type DisputeState = 'needs_response' | 'under_review' | 'won' | 'lost'

export interface Dispute {
  state: DisputeState
  /**
   * The deadline for the shop's answer; null: no answer is accepted, or the processor reports no deadline.
   */
  respondBy: Date | null
}

/** A paid invoice in a processor's own list. */
export interface ListedPayment extends Finding {
  /** The text of `printOrder` that was given to the processor; null: there is none. */
  order: string | null
  /** The total returned to the payer, in the currency of the price. */
  refundedMicros: bigint
  /** When the processor's invoice was made. */
  createdAt: Date
}

export interface RawWebhook {
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  ip: string
}

/**
 * The result of a genuine notification. A `hint` names the processor's invoice to look up; its other contents
 * are not used. Only the sandbox, which has no server to ask, returns the notification itself.
 */
export type Reading =
  | { kind: 'hint'; externalId: string }
  | { kind: 'notification'; notification: Notification }
  | { kind: 'nothing'; verdict: 'ignored' | 'stale' | 'another_shop' }

export interface RefundToSend {
  /** Our name of the refund, the same whenever it is sent: an invoice may have several. */
  name: string
  /** The number of our invoice. */
  number: string
  /** The processor's id of its invoice. */
  externalId: string
  price: Price
  /**
   * The fiscal receipt of a partial refund. Null: there is none, or the processor uses that of the payment.
   */
  receipt: FiscalReceipt | null
}

/** A refund that the processor has accepted. */
export interface RefundAccepted {
  /** The processor's id of it. */
  reference: string
  /** The page on which the customer claims it; null: the money returns by itself. */
  claimUrl: string | null
  /** `waiting`: `findRefund` reports the outcome. */
  state: 'waiting' | 'sent'
}

/** The invoices looked up per minute at a processor that sets no `looksPerMinute`. */
export const usualLooksPerMinute = 300

export interface PaymentMethod {
  name: string
  /** HTML of the operator for the method's card. */
  description: Record<Language, string>
  /** The currency that it collects; for anything but USD the operator sets a rate. */
  currency: 'USD' | 'RUB'
  /** The processor's minimum payment, in millionths of the currency; absent: a cent. */
  leastMicros?: bigint
  /** The invoices looked up per minute by all workers together; absent: `usualLooksPerMinute`. */
  looksPerMinute?: number
  /** The optional parts of its invoices that the processor may refuse. */
  wishes?: readonly Wish[]
  /**
   * Where one of the processor's invoices is paid without its page; absent: the processor does not report it.
   * Throws `ProcessorFault`.
   */
  payTo?: (externalId: string) => Promise<PayTo[]>
  /** Its payment page accepts the rest of a partly paid invoice, until the invoice expires. */
  takesRest?: true
  /**
   * Makes the processor's invoice. A lost answer is reconciled here: the invoice is looked up, or requested
   * again under the same idempotency key, so that a second one is never made. Throws `ProcessorFault`.
   */
  create: (invoice: InvoiceToPay) => Promise<{ externalId: string; paymentUrl: string }>
  /**
   * Verifies, from the received bytes and without a request to the processor, that a notification is genuine:
   * this precedes any storage. Refuses with `invalid_webhook_signature`.
   */
  prove: (webhook: RawWebhook, now: Date) => void
  /** Parses a notification that has been verified. */
  read: (webhook: RawWebhook, now: Date) => Reading
  /**
   * A test of the shop's key: a read that changes nothing and that the shop's ordinary work needs as well.
   * Missing: there is no server to ask. Throws `ProcessorFault`.
   */
  check?: () => Promise<void>
  /** Looks up one of the processor's invoices; null: it has none with this id. Throws `ProcessorFault`. */
  look?: (externalId: string) => Promise<Finding | null>
  /**
   * All paid invoices that the processor made since this time, in any order, including those of other
   * programs on the same account. Missing: the processor has no such list. Throws `ProcessorFault`.
   */
  list?: (since: Date) => Promise<ListedPayment[]>
  /**
   * All refunds and disputes that began since this time, in any order, including those of other programs on
   * the same account. Missing: the processor makes none, or has no such list. Throws `ProcessorFault`.
   */
  changes?: (since: Date) => Promise<ListedChange[]>
  /** The processor reports its fees. When missing, fees follow the operator's terms. */
  reportsFees?: boolean
  /**
   * Makes the processor return money; repeated calls under one name have no further effect. A fault of the
   * outcome `refused` is final. Throws `ProcessorFault`.
   */
  refund?: (refund: RefundToSend) => Promise<RefundAccepted>
  /**
   * The state of a refund that the processor has accepted, by the processor's id; null: it has no refund with
   * this id. Missing: an accepted refund counts as sent. Throws `ProcessorFault`.
   */
  findRefund?: (reference: string) => Promise<RefundState | null>
  /** The processor refunds only whole payments. */
  refundsWholeOnly?: true
  /** Missing: the processor registers no fiscal receipts. */
  fiscal?: FiscalMethod
  /** Missing: the processor saves no payment methods. */
  saved?: SavedMethods
}
