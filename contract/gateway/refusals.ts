/**
 * The refusals of the gateway: one line each, from which its answers over HTTP and SOCKS5, the documentation,
 * the account's advice and the desk follow. Their texts for people are
 * `web/locales/{ru,en}/gatewayRefusals.json`. Pure data, safe for browsers.
 */

/** Where a customer repairs it; `retry`: nowhere, another request may succeed. */
export type Repair =
  | 'buy'
  | 'limits'
  | 'rules'
  | 'generator'
  | 'security'
  | 'whitelist'
  | 'users'
  | 'support'
  | 'retry'

/** Reply codes of SOCKS5 (RFC 1928 section 6). */
export const socksReplies = {
  granted: 0,
  failure: 1,
  forbidden: 2,
  networkUnreachable: 3,
  hostUnreachable: 4,
  refused: 5,
  commandUnsupported: 7,
  addressUnsupported: 8,
} as const

interface ProxyRefusalEntry {
  /** Of the answer over HTTP; where several are possible, the usual one. */
  status: number
  /** The error type of Proxy-Status (RFC 9209 section 2.3). */
  error: string
  reply: keyof typeof socksReplies
  repair: Repair
  /** It is made before a target is known, so its sentence contains none: staff who may not see targets may read it. */
  namesNoTarget?: true
}

/** The request that the customer sent, or a setting of theirs. */
const causedByCustomer = {
  bad_request: { status: 400, error: 'http_request_error', reply: 'failure', repair: 'generator' },
  bad_target: { status: 400, error: 'http_request_error', reply: 'hostUnreachable', repair: 'retry' },
  bad_username: {
    status: 400,
    error: 'http_request_error',
    reply: 'failure',
    repair: 'generator',
    namesNoTarget: true,
  },
  credentials_missing: { status: 407, error: 'http_request_denied', reply: 'forbidden', repair: 'whitelist' },
  credentials_unreadable: {
    status: 407,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'generator',
  },
  method_not_allowed: { status: 405, error: 'http_request_denied', reply: 'failure', repair: 'retry' },
  request_timeout: { status: 408, error: 'http_request_error', reply: 'failure', repair: 'retry' },
  slot_unused: {
    status: 403,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'generator',
    namesNoTarget: true,
  },
  too_many_failures: { status: 429, error: 'http_request_denied', reply: 'forbidden', repair: 'security' },
  unknown_set: {
    status: 400,
    error: 'http_request_denied',
    reply: 'failure',
    repair: 'generator',
    namesNoTarget: true,
  },
  wrong_credentials: { status: 407, error: 'http_request_denied', reply: 'forbidden', repair: 'security' },
  // What the account may do
  account_blocked: {
    status: 403,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'support',
    namesNoTarget: true,
  },
  address_not_whitelisted: {
    status: 403,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'whitelist',
  },
  cap_reached: {
    status: 402,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'limits',
    namesNoTarget: true,
  },
  no_traffic: {
    status: 402,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'buy',
    namesNoTarget: true,
  },
  port_forbidden: { status: 403, error: 'http_request_denied', reply: 'forbidden', repair: 'rules' },
  target_denied: { status: 403, error: 'http_request_denied', reply: 'forbidden', repair: 'limits' },
  target_forbidden: { status: 403, error: 'http_request_denied', reply: 'forbidden', repair: 'rules' },
  too_many_connections: {
    status: 429,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'limits',
    namesNoTarget: true,
  },
  too_many_lookups: { status: 429, error: 'http_request_denied', reply: 'forbidden', repair: 'retry' },
  // What a proxy user may do
  user_address_denied: { status: 403, error: 'http_request_denied', reply: 'forbidden', repair: 'users' },
  user_country_denied: { status: 403, error: 'http_request_denied', reply: 'forbidden', repair: 'users' },
  user_double_tariff: { status: 403, error: 'http_request_denied', reply: 'forbidden', repair: 'users' },
  user_expired: {
    status: 403,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'users',
    namesNoTarget: true,
  },
  user_frozen: {
    status: 403,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'users',
    namesNoTarget: true,
  },
  user_limit_reached: {
    status: 402,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'users',
    namesNoTarget: true,
  },
} as const satisfies Record<string, ProxyRefusalEntry>

/** The target. */
const causedByTarget = {
  bad_answer: { status: 502, error: 'http_protocol_error', reply: 'failure', repair: 'retry' },
  connection_failed: {
    status: 502,
    error: 'connection_terminated',
    reply: 'hostUnreachable',
    repair: 'retry',
  },
  connection_refused: { status: 502, error: 'connection_refused', reply: 'refused', repair: 'retry' },
  connection_timeout: { status: 504, error: 'connection_timeout', reply: 'hostUnreachable', repair: 'retry' },
  dns_error: { status: 502, error: 'dns_error', reply: 'hostUnreachable', repair: 'retry' },
  dns_timeout: { status: 504, error: 'dns_timeout', reply: 'hostUnreachable', repair: 'retry' },
  target_closed: { status: 502, error: 'http_response_incomplete', reply: 'failure', repair: 'retry' },
  target_timeout: { status: 504, error: 'http_response_timeout', reply: 'failure', repair: 'retry' },
  target_unreachable: {
    status: 502,
    error: 'destination_unavailable',
    reply: 'hostUnreachable',
    repair: 'generator',
  },
} as const satisfies Record<string, ProxyRefusalEntry>

/** The exit, or too few of them. */
const causedByExit = {
  exit_busy: { status: 503, error: 'connection_limit_reached', reply: 'failure', repair: 'retry' },
  exit_exhausted: { status: 503, error: 'proxy_configuration_error', reply: 'failure', repair: 'support' },
  exit_failed: { status: 502, error: 'proxy_internal_response', reply: 'failure', repair: 'retry' },
  exit_refused: { status: 502, error: 'proxy_configuration_error', reply: 'failure', repair: 'support' },
  exit_unreachable: { status: 502, error: 'proxy_internal_response', reply: 'failure', repair: 'retry' },
  exits_down: { status: 503, error: 'destination_unavailable', reply: 'failure', repair: 'generator' },
  exits_full: { status: 503, error: 'destination_unavailable', reply: 'failure', repair: 'retry' },
} as const satisfies Record<string, ProxyRefusalEntry>

/** The exit does not report which of the two it was, or the line requests something that does not exist. */
const unclear = {
  exit_misunderstood: {
    status: 502,
    error: 'proxy_configuration_error',
    reply: 'failure',
    repair: 'generator',
  },
  exit_or_target_failed: {
    status: 502,
    error: 'connection_terminated',
    reply: 'failure',
    repair: 'generator',
  },
  exit_or_target_timeout: { status: 504, error: 'connection_timeout', reply: 'failure', repair: 'retry' },
  no_address: { status: 503, error: 'destination_unavailable', reply: 'failure', repair: 'generator' },
  no_exit: { status: 503, error: 'destination_unavailable', reply: 'failure', repair: 'generator' },
  target_refused_by_exit: {
    status: 403,
    error: 'http_request_denied',
    reply: 'forbidden',
    repair: 'generator',
  },
} as const satisfies Record<string, ProxyRefusalEntry>

/** The shop. */
const causedByShop = {
  accounts_unavailable: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
  internal_error: { status: 500, error: 'proxy_internal_error', reply: 'failure', repair: 'support' },
  journal_full: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
  lookups_full: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
  places_unavailable: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
  settings_unavailable: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
  stopping: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
  traffic_unavailable: { status: 503, error: 'proxy_internal_error', reply: 'failure', repair: 'retry' },
} as const satisfies Record<string, ProxyRefusalEntry>

export const proxyRefusals = {
  ...causedByCustomer,
  ...causedByTarget,
  ...causedByExit,
  ...unclear,
  ...causedByShop,
} as const

/** Who caused a refusal, as the status page counts it. */
type Blame = 'customer' | 'target' | 'exit' | 'unclear' | 'shop'

const groups: Readonly<Record<Blame, object>> = {
  customer: causedByCustomer,
  target: causedByTarget,
  exit: causedByExit,
  unclear,
  shop: causedByShop,
}

/** By the code of the refusal. */
export const blames: ReadonlyMap<string, Blame> = new Map(
  (Object.keys(groups) as Blame[]).flatMap((blame) =>
    Object.keys(groups[blame]).map((code) => [code, blame] as const),
  ),
)

export type ProxyCode = keyof typeof proxyRefusals

/** All codes with which the gateway answers. */
export const proxyCodes = Object.keys(proxyRefusals) as [ProxyCode, ...ProxyCode[]]

/** The codes whose sentences never name a target. */
export const namesNoTarget: ReadonlySet<string> = new Set(
  Object.entries<ProxyRefusalEntry>(proxyRefusals).flatMap(([code, entry]) =>
    entry.namesNoTarget ? [code] : [],
  ),
)

/** The codes by the status of the HTTP answer, in ascending order. */
export const gatewayAnswers: readonly { status: number; codes: readonly ProxyCode[] }[] = [
  ...Map.groupBy(proxyCodes, (code): number => proxyRefusals[code].status),
]
  .map(([status, codes]) => ({ status, codes }))
  .toSorted((one, other) => one.status - other.status)
