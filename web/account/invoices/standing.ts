/** What an invoice's state means for the person who pays it. */
import type { Output } from '#contract/contract'

export type Invoice = Output<'invoice'>
export type State = Invoice['state']

/** Money is still expected, or may still come: how often to ask again, in milliseconds; false when all is said. */
export function askAgainMs(state: State | undefined): number | false {
  switch (state) {
    case undefined:
    case 'pending':
      return 2000
    // A late payment is credited all the same, and the rest of a part may come.
    case 'expired':
    case 'underpaid':
    case 'cancelled':
      return 10_000
    case 'paid':
    case 'refunded':
      return false
  }
}

/** How a state looks: paint for what is under way, and good, warning or quiet for what became of it. */
export const toneOf: Record<State, 'live' | 'good' | 'warning' | 'quiet'> = {
  pending: 'live',
  paid: 'good',
  underpaid: 'warning',
  expired: 'quiet',
  cancelled: 'quiet',
  refunded: 'quiet',
}

/** Dates of invoices: to the minute, in the reader's own time. */
export function momentText(iso: string, language: 'ru' | 'en'): string {
  return new Date(iso).toLocaleString(language === 'ru' ? 'ru-RU' : 'en-US', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  })
}

/** A number of twenty signs as people read it out: `9f3c 1a0d …`. */
export function spacedNumber(number: string): string {
  return number.replace(/(.{4})(?=.)/g, '$1\u00a0')
}
