/** The bot's dependencies on the rest of the server. */
import type { Database } from '#db'
import type { Handlers } from '#db/call'
import type { Secrets } from '#lib/secret'

/** The operator's log. */
export interface BotLog {
  info: (facts: object, sentence: string) => void
  warn: (facts: object, sentence: string) => void
  error: (facts: object, sentence: string) => void
}

/** The calls of the contract that the bot makes: the same handlers, rules and refusals as on the site. */
export type BotCalls = Pick<
  Handlers,
  | 'legacy_profile'
  | 'legacy_referal_info'
  | 'prices'
  | 'proxy_countries'
  | 'get_proxy'
  | 'change_language'
  | 'receipt_email'
  | 'set_receipt_email'
>

export interface BotDeps {
  database: Database
  secrets: Secrets
  calls: BotCalls
  publicUrl: URL
  /** `apiRoot` has no trailing slash. */
  telegram: { token: string; apiRoot: string }
  log: BotLog
  now: () => Date
}
