/** What a processor says of its invoice, held against what we asked it to collect: pure. */
import type { Finding, Notification, Price } from './method.ts'

/** Our side of an invoice. */
export interface Expected {
  number: string
  /** The processor's id; null until its answer was noted. */
  externalId: string | null
  /** What it was to collect. */
  price: Price
  /** The same in micro-USD. */
  costMicros: bigint
  /** Micro-USD counted so far. */
  receivedMicros: bigint
}

/** Why money is not counted. The first five are for the operator to look at; the last two are all in order. */
export type NotCounted =
  | 'unknown_invoice'
  | 'another_invoice'
  | 'test_mode'
  | 'wrong_currency'
  | 'wrong_amount'
  | 'waiting'
  | 'known_payment'

/**
 * The notification that a finding amounts to, or why it is none. Findings give the sum so far, so each new total is a
 * payment of its own: the difference to what was counted.
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
  }
}
