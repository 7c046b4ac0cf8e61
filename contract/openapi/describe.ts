/** What the API's documentation says of each call beyond its shapes: a sentence, an example, its refusals. */
import type { Input, Output } from '../contract.ts'
import type { RefusalCode } from '../refusals.ts'
import type { Name } from '../wire.ts'

export const tags = {
  Proxies: 'Proxy lines, the places they can leave from, proxy passwords and the whitelist.',
  Buying: 'Prices, promo codes, invoices and payment from the referral balance.',
  Account: 'The profile, statistics, the referral programme and the API token.',
  'Signing in': 'How a person comes in and goes out. An API token cannot make these calls.',
  Site: 'What the operator says to the public.',
} as const

export interface Description<N extends Name> {
  tag: keyof typeof tags
  summary: string
  /** More than the summary says, in Markdown. */
  about?: string
  /** An example of what is sent, and of what comes back. */
  input: Input<N>
  output: N extends 'get_banner_blob' ? null : Output<N>
  /** The call's own refusals; those that every call shares are added where they belong. */
  refuses: readonly RefusalCode[]
}
