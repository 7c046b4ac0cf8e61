/** Invoices as the pages show them. */
import type { Output } from '#contract/contract'
import type { Language } from '#contract/language'
import { formatMoney } from '../../ui/format.ts'

export type Invoice = Output<'invoice'>
export type InvoiceState = Invoice['state']

/** How often to read an invoice again, in milliseconds; false when its state is final. */
export function pollIntervalMs(state: InvoiceState | undefined): number | false {
  switch (state) {
    case undefined:
    case 'pending':
      return 2000
    // Late payments and further partial payments are credited.
    case 'expired':
    case 'underpaid':
    case 'cancelled':
      return 10_000
    case 'paid':
    case 'partly_refunded':
    case 'refunded':
      return false
  }
}

/** The colour of each state. */
export const toneByState: Record<InvoiceState, 'live' | 'good' | 'warning' | 'quiet'> = {
  pending: 'live',
  paid: 'good',
  underpaid: 'warning',
  expired: 'quiet',
  cancelled: 'quiet',
  partly_refunded: 'quiet',
  refunded: 'quiet',
}

/** The cost in another currency, as it was when the invoice was made. */
export const formatFrozen = (
  { amount, currency: code, digits }: NonNullable<Invoice['charged']>,
  language: Language,
): string => formatMoney(BigInt(Math.round(Number(amount) * 1e6)), { code, digits }, language)

/** An invoice number in groups of four characters: `9f3c 1a0d …`. */
export function groupDigits(number: string): string {
  return number.replace(/(.{4})(?=.)/g, '$1\u00a0')
}
