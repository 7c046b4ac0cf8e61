/** The interface behind which every processor stands. */
import type { Language } from '#contract/language'
import type { declineReasons } from '#contract/topup/rules'

/**
 * An amount of a currency, in millionths of its unit: exact for kopecks, cents and USD values of
 * cryptocurrency.
 */
export interface Price {
  currency: string
  micros: bigint
}

/**
 * One position of a fiscal receipt, as YooKassa takes it (`receipt.items` of its API).
 * https://yookassa.ru/developers/payment-acceptance/receipts/54fz/yoomoney/parameters-values
 */
export interface FiscalItem {
  /** 1 to 128 characters. */
  description: string
  /** At most three decimals. */
  quantity: number
  /** The price of one. */
  amount: { value: string; currency: string }
  vat_code: number
  payment_subject: string
  payment_mode: FiscalMode
  measure?: 'gigabyte' | 'piece'
}

/** Tag 1214 of fiscal documents: paid before the goods, or together with them. */
export type FiscalMode = 'full_prepayment' | 'full_payment'

/**
 * The data of a fiscal receipt, as it goes with a payment or a refund. The items add up to its amount, to the
 * kopeck.
 */
export interface FiscalReceipt {
  customer: { email: string }
  items: FiscalItem[]
  tax_system_code?: number
}

/** A receipt as the processor tells of it. */
export interface FoundReceipt {
  receiptId: string
  kind: 'payment' | 'closing' | 'refund'
  status: 'pending' | 'succeeded' | 'canceled'
  documentNumber: string | null
  storageNumber: string | null
  attribute: string | null
  providerId: string | null
  registeredAt: Date | null
}

/** The receipt that settles a prepayment once the goods are delivered. */
export interface ClosingReceipt {
  /** The number of our invoice. */
  number: string
  /** The processor's id of the payment. */
  externalId: string
  price: Price
  receipt: FiscalReceipt
}

/** What a processor does about fiscal receipts. All throw `ProcessorFault`. */
export interface FiscalMethod {
  /**
   * The receipts of a payment or of a refund, by the processor's id of it. Nothing notifies of them: they are
   * asked for.
   */
  list: (of: { payment: string } | { refund: string }) => Promise<FoundReceipt[]>
  /** Sends a closing receipt; repeated calls have no further effect. */
  close: (closing: ClosingReceipt) => Promise<FoundReceipt>
}

/**
 * An optional part of an invoice, which a processor may refuse together with the invoice: that the payment
 * method is saved, a fiscal receipt, an invoice of the processor's own, the language of its page.
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
  /** The end of that time; the same when the request is repeated. */
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
  /** What the payer knows it by: of a card its brand, "Visa". */
  brand: string
  /** Of a card. */
  last4: string | null
  /** YYYY-MM, the last month of a card. */
  expires: string | null
  /**
   * What the processor calls the same card each time it is saved; null: it has no such name, and each saving
   * is a method of its own.
   */
  fingerprint: string | null
}

/** Why a charge of a saved method failed, in one form for all processors. */
export type DeclineReason = (typeof declineReasons)[number]

/**
 * A processor's statement about a charge. `pending`: it may still end either way. `received`: the finding
 * says what came. `declined` is final: no money was taken, and none can be under this id. `authentication`:
 * the bank asks for the payer.
 */
export type Charge =
  | { state: 'pending'; externalId: string }
  | { state: 'received'; externalId: string; finding: Finding }
  | { state: 'declined'; externalId: string | null; reason: DeclineReason }
  | { state: 'authentication'; externalId: string }

/** What is charged, and with what. */
export interface ChargeOrder {
  invoice: InvoiceToPay
  saved: MethodIds
}

/** What a processor does about saved payment methods. All throw `ProcessorFault`. */
export interface SavedMethods {
  /** The method that was saved with a paid invoice, by the processor's id of the invoice; null: none was. */
  read: (externalId: string) => Promise<FoundMethod | null>
  /**
   * Charges without the payer, under the invoice's number as idempotency key. A fault that `isDenied` is the
   * shop's: nothing was charged. A fault of the outcome `unknown` may have been carried out: `find` tells,
   * and a repetition with the same order under the same key has no further effect for a day.
   */
  charge: (order: ChargeOrder) => Promise<Charge>
  /** The charge of an invoice, among those made since this time; null: there is none. */
  find: (number: string, since: Date) => Promise<Charge | null>
  /**
   * Makes a charge that waits for its payer impossible. The answer is what it is then: `received` when it was
   * paid before.
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
  /** The time of the money at the processor; absent or null: it does not say. */
  paidAt?: Date | null
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
  /** The time of the last of it, by the processor's clock; absent or null: it does not say. */
  paidAt?: Date | null
  /** A test payment, which buys nothing here. */
  isTest: boolean
  /** The payer has opened a chargeback. */
  isDisputed: boolean
  /** What the processor tells of it, where it was asked. */
  dispute?: Dispute
  /** All disputes of the payment, where the processor was asked for them. */
  disputes?: FoundDispute[]
  /**
   * All refunds of the payment, ordered by the shop or at the processor, where the processor was asked for
   * them.
   */
  refunds?: FoundRefund[]
  /**
   * What the processor keeps of what was received, in the currency of the price; absent or null: it does not
   * tell (yet).
   */
  feeMicros?: bigint | null
}

/** `waiting`: it may still be sent or fail. `sent`: the money is on its way. `failed`: it is not, or came back. */
export type RefundState = 'waiting' | 'sent' | 'failed'

/** A refund as the processor tells of it. */
export interface FoundRefund {
  refundId: string
  /** The name of our refund, which one that we asked for carries; null: it has none. */
  name: string | null
  price: Price
  state: RefundState
  madeAt: Date
  /** What the processor keeps for it, in the currency of the price; null: it does not tell. */
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
 * `needs_response`: the shop has to answer. `under_review`: it has, or no longer can. `won`: the shop keeps
 * the money.
 */
export type DisputeState = 'needs_response' | 'under_review' | 'won' | 'lost'

export interface Dispute {
  state: DisputeState
  /** Until when an answer is taken; null: no answer is, or the processor does not tell. */
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
  /** The fiscal receipt of a partial refund. Null: none, or that of the payment is taken. */
  receipt: FiscalReceipt | null
}

/** A refund that the processor has accepted. */
export interface RefundAccepted {
  /** The processor's id of it. */
  reference: string
  /** The page on which the customer claims it; null: the money returns by itself. */
  claimUrl: string | null
  /** `waiting`: `findRefund` tells what becomes of it. */
  state: 'waiting' | 'sent'
}

/** Invoices that are looked up in a minute at a processor without a budget of its own. */
export const usualLooksPerMinute = 300

export interface PaymentMethod {
  name: string
  /** HTML of the operator for the method's card. */
  description: Record<Language, string>
  /** What it collects; for anything but USD the operator sets a rate. */
  currency: 'USD' | 'RUB'
  /** The least that the processor takes at once, in millionths of the currency; absent: a cent. */
  leastMicros?: bigint
  /** Invoices that are looked up in a minute, by all workers together; absent: `usualLooksPerMinute`. */
  looksPerMinute?: number
  /** The optional parts of its invoices that the processor may refuse. */
  wishes?: readonly Wish[]
  /** Its payment page takes the rest of an invoice that was paid in part, until the invoice expires. */
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
  /** Looks up one of the processor's invoices; null: it has none with this id. Throws `ProcessorFault`. */
  look?: (externalId: string) => Promise<Finding | null>
  /**
   * All paid invoices that the processor made since this time, in any order, with those of other programs on
   * the same account. Missing: the processor has no list of them. Throws `ProcessorFault`.
   */
  list?: (since: Date) => Promise<ListedPayment[]>
  /**
   * All refunds and disputes that began since this time, in any order, with those of other programs on the
   * same account. Missing: the processor makes none, or has no list of them. Throws `ProcessorFault`.
   */
  changes?: (since: Date) => Promise<ListedChange[]>
  /** It tells what it keeps of a payment. Otherwise the operator's terms count. */
  reportsFees?: boolean
  /**
   * Makes the processor return money; repeated calls under one name have no further effect. A fault of the
   * outcome `refused` is final. Throws `ProcessorFault`.
   */
  refund?: (refund: RefundToSend) => Promise<RefundAccepted>
  /**
   * What became of a refund that the processor has accepted, by its own id; null: it has none with this id.
   * Missing: what it has accepted is sent. Throws `ProcessorFault`.
   */
  findRefund?: (reference: string) => Promise<RefundState | null>
  /** It returns payments whole only. */
  refundsWholeOnly?: true
  /** Missing: it registers no fiscal receipts. */
  fiscal?: FiscalMethod
  /** Missing: it saves no payment methods. */
  saved?: SavedMethods
}
