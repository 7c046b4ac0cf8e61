/** How the answer to an order is read: the address to pay at, or why there is none. */
import { CallError } from '#contract/client'

/** The URL of a payment page; null for anything but http and https, which the browser must not open. */
export function paymentUrl(text: string): string | null {
  const url = URL.parse(text.trim())
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

/** Whether the shop has stopped offering the payment method. */
export const isNotOffered = (error: unknown) =>
  error instanceof CallError && error.code === 'payment_method_not_offered'
