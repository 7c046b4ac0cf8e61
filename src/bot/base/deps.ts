/** The bot's dependencies on the rest of the server. */
import type { Database } from '#db'
import type { TextHandler } from '#db/call'
import type { Secrets } from '#lib/secret'

/** The operator's log. */
export interface BotLog {
  info: (facts: object, sentence: string) => void
  warn: (facts: object, sentence: string) => void
  error: (facts: object, sentence: string) => void
}

/** The calls of the contract that the bot makes: the same handlers, rules and refusals as on the site. */
export type BotCalls = { [N in BotCall]: TextHandler<N> }

type BotCall =
  | 'legacy_profile'
  | 'legacy_referal_info'
  | 'prices'
  | 'proxy_countries'
  | 'get_proxy'
  | 'change_language'
  | 'receipt_email'
  | 'money_balance'
  | 'set_receipt_email'
  | 'payment_systems'
  | 'create_invoice_web'
  | 'invoices'
  | 'invoice'
  | 'invoice_documents'
  | 'invoice_document'
  | 'get_whitelist_entries'
  | 'add_ip_to_whitelist'
  | 'remove_ip_from_whitelist'
  | 'get_pool_limits'
  | 'set_pool_limits'
  | 'get_proxy_users'
  | 'create_proxy_user'
  | 'change_proxy_user'
  | 'freeze_proxy_user'
  | 'renew_proxy_user_password'
  | 'delete_proxy_user'
  | 'proxy_user_usage'
  | 'get_usage'
  | 'site'
  | 'sign_up_documents'

/** A payment in stars, as reported by Telegram. */
export interface PaidStars {
  chargeId: string
  stars: bigint
  payload: string
  payerId: bigint
  paidAt: Date
}

/** The reason why this person cannot pay an invoice. */
export type StarsObstacle = 'unknown' | 'another_owner' | 'closed' | 'wrong_price' | 'blocked'

/** The functions for payments in stars, supplied by `main`. */
export interface StarsDesk {
  /** The price of a cost in micro-USD, in whole stars. */
  priceOf: (costMicros: bigint) => bigint
  /** Whether this person may pay this invoice now; null: yes. */
  obstacle: (asked: {
    payerId: bigint
    payload: string
    currency: string
    stars: bigint
  }) => Promise<StarsObstacle | null>
  /**
   * Settles a payment, idempotent; `accountId` is of the account that made the invoice. Null: the shop has no
   * such invoice.
   */
  settle: (paid: PaidStars) => Promise<{ number: string; accountId: bigint } | null>
}

export interface BotDeps {
  database: Database
  secrets: Secrets
  calls: BotCalls
  publicUrl: URL
  /** `apiRoot` has no trailing slash. */
  telegram: { token: string; apiRoot: string }
  /** Null: the shop takes no stars. */
  stars: StarsDesk | null
  log: BotLog
  now: () => Date
}
