/**
 * The content of a document: frozen with it, so that later changes of brand, seller or buyer do not affect
 * it.
 */
import { toCent } from '#contract/price'
import { convert, digitsOf } from '#contract/rates/rates'
import type { Language } from '#contract/language'
import type { Goods } from '#contract/wire'
import { bytesPerGb } from '#contract/wire'
import { least } from '#lib/bigint'
import type { Invoice } from '#purchase'

export interface Seller {
  name: string
  address: string
  tax_ids: string
  bank: string | null
  contacts: string | null
  tax_note: string | null
}

export interface Buyer {
  /** The account's number. */
  id: string
  email: string | null
  username: string | null
  /** What the customer has entered; null: nothing. */
  details: { name: string; address: string; tax_id: string } | null
}

/** A line of a document. Amounts are micro-USD as decimal text, discounts below zero. */
export interface Line {
  what: 'traffic' | 'part' | 'volume_discount' | 'promo_discount' | 'overpayment' | 'refund'
  pool: Goods
  bytes: string | null
  per_gb_micros: string | null
  /** The discount in parts per million; null: the line is no discount. */
  ppm: number | null
  promocode: string | null
  amount_micros: string
}

export interface Vat {
  /** "20" percent, or the fraction "20/120". */
  rate: string
  currency: string
  micros: string
}

export interface Facts {
  kind: 'invoice' | 'credit_note'
  /** True for a test purchase or a demo. */
  specimen: boolean
  language: Language
  number: string
  /** Days in the zone of the shop. */
  issued_on: string
  paid_on: string
  /** Null: no seller is set, which only a specimen allows. */
  seller: Seller | null
  buyer: Buyer
  /** The order, as payment pages and the account name it. */
  order: string
  method: string
  /** The operator's own name of the method. */
  method_name: string | null
  lines: Line[]
  total_micros: string
  /** The amount in the currency in which the processor collected; null: in USD. */
  collected: { currency: string; micros: string; rate_micros: string; rate_on: string } | null
  /** The amount in the currency that the customer had chosen; null: the currency of the price. */
  shown: { currency: string; micros: string; rate_micros: string; rate_on: string } | null
  /**
   * The VAT included in the amount, in the currency in which it was collected, as on the fiscal receipt;
   * null: the receipt states none.
   */
  vat: Vat | null
  /** For a credit note: the document of the sale. */
  corrects: { number: string; issued_on: string } | null
  brand: { name: string; accent: string; logo: string | null }
}

/** The amounts covered by earlier documents of the invoice. */
export interface Covered {
  micros: bigint
  bytes: bigint
  /** Millionths of the currency in which the processor collected; 0: it collected in USD. */
  collectedMicros: bigint
}

/** The money of an invoice in the currency of its price, in millionths. */
export interface Collected {
  receivedMicros: bigint
  returnedMicros: bigint
}

/** The money and the lines of a document. */
export interface Part {
  micros: bigint
  bytes: bigint
  /** Millionths of the currency in which the processor collected. */
  collectedMicros: bigint
  lines: Line[]
}

const more = (a: bigint, b: bigint) => (a > b ? a - b : 0n)

const lineOf = (invoice: Invoice, what: Line['what'], amount: bigint): Line => ({
  what,
  pool: invoice.pool,
  bytes: null,
  per_gb_micros: null,
  ppm: null,
  promocode: null,
  amount_micros: String(amount),
})

/** The order as it was quoted, with its discounts; the lines add up to what is due. */
function quoted(invoice: Invoice): Line[] {
  const { gb, perGbMicros, fullCostMicros, dueMicros, volumeDiscountPpm, promoDiscountPpm, promocode } =
    invoice
  const whole = toCent(perGbMicros * gb)
  const traffic = {
    ...lineOf(invoice, 'traffic', whole),
    bytes: String(gb * bytesPerGb),
    per_gb_micros: String(perGbMicros),
  }
  const volume = { ...lineOf(invoice, 'volume_discount', fullCostMicros - whole), ppm: volumeDiscountPpm }
  const promo = {
    ...lineOf(invoice, 'promo_discount', dueMicros - fullCostMicros),
    ppm: promoDiscountPpm,
    promocode,
  }
  return [traffic, ...[volume, promo].filter(({ amount_micros: amount }) => amount !== '0')]
}

/**
 * The sale amount covered by earlier documents, given their sales and refunds: a refund that came back after
 * its credit note counts as a sale again.
 */
export function coveredSale(
  invoice: Invoice,
  { returnedMicros }: Collected,
  sales: Covered,
  refunds: Covered,
): Covered {
  return {
    micros: sales.micros - more(refunds.micros, invoice.refundedMicros),
    bytes: sales.bytes - more(refunds.bytes, invoice.takenBackBytes),
    collectedMicros: sales.collectedMicros - more(refunds.collectedMicros, returnedMicros),
  }
}

/** The refunded amount covered by credit notes: a refund that came back is no longer covered. */
export function coveredRefund(
  invoice: Invoice,
  { receivedMicros }: Collected,
  sales: Covered,
  refunds: Covered,
): Covered {
  return {
    micros: refunds.micros - more(sales.micros, invoice.receivedMicros),
    bytes: refunds.bytes - more(sales.bytes, invoice.creditedBytes),
    collectedMicros: refunds.collectedMicros - more(sales.collectedMicros, receivedMicros),
  }
}

/** The received money not yet covered by a document; null: there is none. */
export function salePart(invoice: Invoice, collected: Collected, covered: Covered): Part | null {
  const { receivedMicros: received, dueMicros: due, creditedBytes } = invoice
  const micros = received - covered.micros
  if (micros <= 0n) return null
  const bytes = more(creditedBytes, covered.bytes)
  const goods = least(received, due) - least(covered.micros, due)
  const beyond = more(received, due) - more(covered.micros, due)
  const lines =
    goods === 0n
      ? []
      : goods === due
        ? quoted(invoice)
        : [{ ...lineOf(invoice, 'part', goods), bytes: String(bytes) }]
  if (beyond > 0n) lines.push(lineOf(invoice, 'overpayment', beyond))
  const collectedMicros = more(collected.receivedMicros, covered.collectedMicros)
  return { micros, bytes, collectedMicros, lines }
}

/** The refunded money not yet covered by a credit note; null: there is none. */
export function refundPart(invoice: Invoice, collected: Collected, covered: Covered): Part | null {
  const micros = invoice.refundedMicros - covered.micros
  if (micros <= 0n) return null
  const bytes = more(invoice.takenBackBytes, covered.bytes)
  const collectedMicros = more(collected.returnedMicros, covered.collectedMicros)
  return {
    micros,
    bytes,
    collectedMicros,
    lines: [{ ...lineOf(invoice, 'refund', micros), bytes: String(bytes) }],
  }
}

/**
 * The money of an invoice in the currency of its price: what was received by the rate frozen with it, and of
 * the refunds what they returned, at most what was received.
 */
export function collectedTotals(
  { price, costMicros, receivedMicros: micros }: Invoice,
  returnedMicros: bigint,
): Collected {
  const receivedMicros = costMicros === 0n ? 0n : toCent((price.micros * micros) / costMicros)
  return { receivedMicros, returnedMicros: least(returnedMicros, receivedMicros) }
}

/** A part of the invoice in the currency of its price, with the rate frozen with it; null: that is USD. */
export function collectedOf(
  { price, costMicros, rate }: Invoice,
  { collectedMicros }: Part,
  dayOf: (at: Date) => string,
) {
  if (rate === null || costMicros === 0n) return null
  return {
    currency: price.currency,
    micros: String(collectedMicros),
    rate_micros: String(rate.perUsdMicros),
    rate_on: dayOf(rate.setAt),
  }
}

/** An amount of the invoice as the customer was shown it, by the rate frozen with it. */
export function shownOf({ shown, costMicros }: Invoice, micros: bigint, dayOf: (at: Date) => string) {
  if (shown === null || costMicros === 0n) return null
  const { currency, perUsdMicros, setAt } = shown.rate
  const amount = micros === costMicros ? shown.micros : convert(micros, perUsdMicros, digitsOf(currency))
  return { currency, micros: String(amount), rate_micros: String(perUsdMicros), rate_on: dayOf(setAt) }
}

/**
 * Tag 1199 of fiscal receipts, `vat_code` of YooKassa: the rate as it is written, and its percentage. 1 is no
 * VAT.
 */
const vatRates: Readonly<Record<number, readonly [string, bigint]>> = {
  2: ['0', 0n],
  3: ['10', 10n],
  4: ['20', 20n],
  5: ['10/110', 10n],
  6: ['20/120', 20n],
  7: ['5', 5n],
  8: ['7', 7n],
  9: ['5/105', 5n],
  10: ['7/107', 7n],
  11: ['22', 22n],
  12: ['22/122', 22n],
}

/**
 * The VAT within an amount, since prices include it: percentage / (100 + percentage) of it, rounded to the
 * cent, half a cent up. Null: the code is of no VAT, or is unknown.
 */
export function vatIn(code: number, { currency, micros }: { currency: string; micros: bigint }): Vat | null {
  const [rate, percent] = vatRates[code] ?? []
  if (rate === undefined || percent === undefined) return null
  return { rate, currency, micros: String(toCent((micros * percent) / (100n + percent))) }
}

/** A number as documents show it. */
export const printNumber = (number: bigint): string => String(number).padStart(6, '0')
