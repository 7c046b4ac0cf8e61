/** Fiscal receipts, as a processor registers them. */
import type { Price } from './amount.ts'

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

/** Tag 1214 of fiscal documents: paid before the goods, before it is known which, or together with them. */
export type FiscalMode = 'full_prepayment' | 'advance' | 'full_payment'

/**
 * The data of a fiscal receipt, as it goes with a payment or a refund. The items add up to its amount, to the
 * kopeck.
 */
export interface FiscalReceipt {
  customer: { email: string }
  items: FiscalItem[]
  tax_system_code?: number
}

/** A receipt as the processor reports it. */
export interface FoundReceipt {
  receiptId: string
  kind: 'payment' | 'closing' | 'refund'
  /** What it settles of a prepayment, in millionths; 0: it settles none. */
  settledMicros: bigint
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
  /** Null: the payment is of this purchase alone. */
  shared: SharedPayment | null
}

/** A payment that several purchases close, each its own part: an advance. */
export interface SharedPayment {
  /** The processor's ids of the closing receipts that other purchases hold. */
  others: readonly string[]
  /** The receipt may have been sent before, and its answer lost. */
  isRepeated: boolean
}

/** A processor's operations with fiscal receipts. All throw `ProcessorFault`. */
export interface FiscalMethod {
  /**
   * The receipts of a payment or of a refund, by the processor's id of it. There are no notifications about
   * receipts, so the shop polls.
   */
  list: (of: { payment: string } | { refund: string }) => Promise<FoundReceipt[]>
  /**
   * Sends a closing receipt; repeated calls have no further effect. Of a shared payment it never returns a
   * receipt that another purchase holds.
   */
  close: (closing: ClosingReceipt) => Promise<FoundReceipt>
}
