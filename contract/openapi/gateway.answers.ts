/** What the documentation says of the gateway: the statuses of its refusals, and the keys of user names. */
import type { refusalCodes } from '../desk/choices.ts'

type GatewayCode = (typeof refusalCodes)[number]

/** The codes with which the gateway refuses, by the status of its HTTP answer. A test compares them with the gateway. */
export const gatewayAnswers: readonly { status: number; codes: readonly GatewayCode[] }[] = [
  { status: 400, codes: ['bad_username', 'bad_target', 'bad_request', 'unknown_set'] },
  { status: 402, codes: ['no_traffic', 'cap_reached', 'user_limit_reached'] },
  {
    status: 403,
    codes: [
      'target_forbidden',
      'port_forbidden',
      'target_denied',
      'target_refused_by_exit',
      'address_not_whitelisted',
      'slot_unused',
      'account_blocked',
      'user_address_denied',
      'user_country_denied',
      'user_expired',
      'user_frozen',
    ],
  },
  { status: 405, codes: ['method_not_allowed'] },
  { status: 407, codes: ['wrong_credentials'] },
  { status: 408, codes: ['request_timeout'] },
  { status: 429, codes: ['too_many_connections', 'too_many_failures', 'too_many_lookups'] },
  { status: 500, codes: ['internal_error'] },
  {
    status: 502,
    codes: [
      'target_unreachable',
      'connection_refused',
      'connection_failed',
      'dns_error',
      'target_closed',
      'bad_answer',
      'exit_failed',
      'exit_or_target_failed',
      'exit_unreachable',
      'exit_refused',
      'exit_misunderstood',
    ],
  },
  {
    status: 503,
    codes: [
      'no_exit',
      'no_address',
      'exits_full',
      'exits_down',
      'exit_busy',
      'exit_exhausted',
      'stopping',
      'lookups_full',
      'accounts_unavailable',
      'traffic_unavailable',
      'settings_unavailable',
      'places_unavailable',
      'journal_full',
    ],
  },
  {
    status: 504,
    codes: ['target_timeout', 'connection_timeout', 'dns_timeout', 'exit_or_target_timeout'],
  },
]

/** The keys of a proxy line's user name, each with an example. */
export const targetingKeys = {
  cc: 'cc-us.de',
  st: 'st-us_ca',
  city: 'city-us_ca_los_angeles',
  zip: 'cc-us-zip-90001.90002',
  asn: 'asn-7018',
  xasn: 'xasn-16509',
  sid: 'sid-8f3a2c',
  ttl: 'ttl-30',
  anon: 'anon-off',
  set: 'set-k3j4x9',
} as const
