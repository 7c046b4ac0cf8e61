/**
 * The codes of the gateway's own answers to requests through the proxy. It can answer with no other one: its type says so. The account
 * has for each what it means and what repairs it.
 */
export const proxyCodes = [
  // What the customer sent
  'bad_request',
  'bad_target',
  'bad_username',
  'credentials_missing',
  'credentials_unreadable',
  'method_not_allowed',
  'request_timeout',
  'slot_unused',
  'too_many_failures',
  'unknown_set',
  'wrong_credentials',
  // What the account may do
  'account_blocked',
  'address_not_whitelisted',
  'cap_reached',
  'no_traffic',
  'port_forbidden',
  'target_denied',
  'target_forbidden',
  'too_many_connections',
  'too_many_lookups',
  // What a proxy user may do
  'user_address_denied',
  'user_country_denied',
  'user_expired',
  'user_frozen',
  'user_limit_reached',
  // The target
  'bad_answer',
  'connection_failed',
  'connection_refused',
  'connection_timeout',
  'dns_error',
  'dns_timeout',
  'target_closed',
  'target_timeout',
  'target_unreachable',
  // The exit
  'exit_busy',
  'exit_exhausted',
  'exit_failed',
  'exit_misunderstood',
  'exit_or_target_failed',
  'exit_or_target_timeout',
  'exit_refused',
  'exit_unreachable',
  'exits_down',
  'exits_full',
  'no_address',
  'no_exit',
  'target_refused_by_exit',
  // The shop
  'accounts_unavailable',
  'internal_error',
  'journal_full',
  'lookups_full',
  'places_unavailable',
  'settings_unavailable',
  'stopping',
  'traffic_unavailable',
] as const

export type ProxyCode = (typeof proxyCodes)[number]
