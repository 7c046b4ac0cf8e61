/** The most invoices that the call `invoices` answers with at once. */
export const listedInvoices = 50
/** The payment methods with a payment processor, whether configured or not. */
export const processorMethods = ['card', 'yookassa', 'cryptobot', 'crypto', 'stars', 'sandbox'] as const

/** The method of invoices paid from the referral balance. */
export const referralMethod = 'referral'

/**
 * What has been received for an order and what is left to pay, USD in whole cents as they are shown: both add
 * up to the cost. Received fractions of a cent are rounded down.
 */
export function receivedAndRest(costUsd: number, receivedUsd: number): { received: number; rest: number } {
  const cents = Math.floor(Math.round(receivedUsd * 1e6) / 10_000)
  return { received: cents / 100, rest: (Math.round(costUsd * 100) - cents) / 100 }
}
