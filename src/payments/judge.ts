/** Compares a processor's finding about its invoice with our own record: pure. */
import type { Finding, Notification, Price } from './method.ts'

/** Our side of an invoice. */
export interface Expected {
  number: string
  /** The processor's id; null until its answer is stored. */
  externalId: string | null
  /** The amount it was to collect. */
  price: Price
  /** The same in micro-USD. */
  costMicros: bigint
  /** Micro-USD counted so far. */
  receivedMicros: bigint
}

/** Why money is not counted. The first five need the operator's attention; the last two are normal. */
export type NotCounted =
  | 'unknown_invoice'
  | 'another_invoice'
  | 'test_mode'
  | 'wrong_currency'
  | 'wrong_amount'
  | 'waiting'
  | 'known_payment'

/**
 * Converts a finding to a notification, or gives the reason why there is none. Findings state the total
 * received so far, so each new total is a payment of its own: its difference to the total counted before.
 */
export function judge(expected: Expected, finding: Finding): Notification | NotCounted {
  const isOurs =
    finding.invoiceNumber === expected.number &&
    (expected.externalId === null || expected.externalId === finding.externalId)
  if (!isOurs) return 'another_invoice'
  if (finding.isTest) return 'test_mode'
  if (finding.price.currency !== expected.price.currency) return 'wrong_currency'
  if (finding.price.micros !== expected.price.micros) return 'wrong_amount'
  const base = { invoiceNumber: expected.number }
  if (finding.status === 'waiting') return 'waiting'
  if (finding.status === 'closed') {
    return { ...base, outcome: 'cancelled', externalPaymentId: finding.externalId, receivedMicros: 0n }
  }
  const totalMicros =
    expected.price.currency === 'USD'
      ? finding.receivedMicros
      : (expected.costMicros * finding.receivedMicros) / expected.price.micros
  const newMicros = totalMicros - expected.receivedMicros
  if (newMicros <= 0n) return 'known_payment'
  return {
    ...base,
    outcome: 'received',
    externalPaymentId: `${finding.externalId}:${totalMicros}`,
    receivedMicros: newMicros,
    paidAt: finding.paidAt ?? null,
  }
}
