/** The documentation of each call beyond its schemas: summary, examples, refusals. */
import type { Input, Output } from '../contract.ts'
import type { RefusalCode } from '../refusals.ts'
import type { Name } from '../wire.ts'

export const tags = {
  Proxies: 'Proxy lines, exit locations, proxy passwords and the whitelist.',
  Buying: 'Prices, promo codes, invoices and payment from the referral balance.',
  Account: 'The profile, statistics, the referral programme and the API token.',
  'Signing in': 'Sign-up, sign-in and account passwords. An API token cannot make these calls.',
  Site: 'Texts, links and banners of the operator.',
} as const

export interface Description<N extends Name> {
  tag: keyof typeof tags
  summary: string
  /** Further documentation in Markdown. */
  about?: string
  /** Examples of the input and the output. */
  input: Input<N>
  output: N extends 'get_banner_blob' | 'invoice_document' ? null : Output<N>
  /** The refusals of this call; `openapi.ts` adds those that calls share. */
  refuses: readonly RefusalCode[]
}
