/** What repairs a refused request, by the code of its refusal. A code that the gateway may answer cannot be missing here. */
import { type ProxyCode, proxyCodes } from '#contract/refusals/proxy'
import { pools } from '#contract/wire'
import { tabHref } from '../tabs.ts'

/** Where the customer repairs it; `retry`: nowhere, another request may do. */
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

export const repairs = {
  bad_request: 'generator',
  bad_target: 'retry',
  bad_username: 'generator',
  credentials_missing: 'whitelist',
  credentials_unreadable: 'generator',
  method_not_allowed: 'retry',
  request_timeout: 'retry',
  slot_unused: 'generator',
  too_many_failures: 'security',
  unknown_set: 'generator',
  wrong_credentials: 'security',
  account_blocked: 'support',
  address_not_whitelisted: 'whitelist',
  cap_reached: 'limits',
  no_traffic: 'buy',
  port_forbidden: 'rules',
  target_denied: 'limits',
  target_forbidden: 'rules',
  too_many_connections: 'limits',
  too_many_lookups: 'retry',
  user_address_denied: 'users',
  user_country_denied: 'users',
  user_expired: 'users',
  user_frozen: 'users',
  user_limit_reached: 'users',
  bad_answer: 'retry',
  connection_failed: 'retry',
  connection_refused: 'retry',
  connection_timeout: 'retry',
  dns_error: 'retry',
  dns_timeout: 'retry',
  target_closed: 'retry',
  target_timeout: 'retry',
  target_unreachable: 'generator',
  exit_busy: 'retry',
  exit_exhausted: 'support',
  exit_failed: 'retry',
  exit_misunderstood: 'generator',
  exit_or_target_failed: 'generator',
  exit_or_target_timeout: 'retry',
  exit_refused: 'support',
  exit_unreachable: 'retry',
  exits_down: 'generator',
  exits_full: 'retry',
  no_address: 'generator',
  no_exit: 'generator',
  target_refused_by_exit: 'generator',
  accounts_unavailable: 'retry',
  internal_error: 'support',
  journal_full: 'retry',
  lookups_full: 'retry',
  places_unavailable: 'retry',
  settings_unavailable: 'retry',
  stopping: 'retry',
  traffic_unavailable: 'retry',
} as const satisfies Record<ProxyCode, Repair>

const isKnown = (code: string): code is ProxyCode => proxyCodes.some((each) => each === code)

/** The code where the program knows it: a record may be of another release. */
export const knownCode = (code: string | null): ProxyCode | null =>
  code !== null && isKnown(code) ? code : null

/** A failed request, as far as its repair depends on it. */
export interface Failed {
  outcome: string
  code: string | null
  pool: string | null
  /** The login of the proxy user; null or missing: the account's own, or unknown. */
  user?: string | null
  /** What the gateway said. */
  sentence?: string | null
}

/** What repairs a failed request. */
export function repairFor({ outcome, code, user = null }: Omit<Failed, 'pool'>): Repair {
  if (code === null) return outcome === 'no_traffic' ? 'buy' : 'retry'
  const known = knownCode(code)
  if (known === null) return 'support'
  // The connections of a proxy user may be fewer than those of the pool: its form has them.
  return known === 'too_many_connections' && user !== null ? 'users' : repairs[known]
}

/** The window whose cap was reached, as the sentence of the gateway names it. */
export const capWindow = (sentence: string | null): string | null =>
  /per (hour|day|month) is used up/.exec(sentence ?? '')?.[1] ?? null

/** The field of the limits that a refusal is about. */
function limitField(code: string | null, sentence: string | null): string {
  if (code === 'too_many_connections') return 'connections'
  return code === 'target_denied' ? 'denied' : (capWindow(sentence) ?? 'day')
}

const ipv4 = /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/

/** Where a failed request is repaired, with what is known filled in; null: nowhere, or the shop has no contact. */
export function repairHref(failed: Failed, support: string | null): string | null {
  const pool = pools.find((each) => each === failed.pool) ?? null
  const { code, user = null, sentence = null } = failed
  const at = (tab: Parameters<typeof tabHref>[0], more: Record<string, string | null> = {}) => {
    const search = new URLSearchParams(tabHref(tab).split('?')[1])
    for (const [name, value] of Object.entries({ pool, ...more }))
      if (value !== null && value !== undefined) search.set(name, value)
    return `/account?${search.toString()}`
  }
  switch (repairFor(failed)) {
    case 'buy':
      return pool === null ? '/purchase' : `/purchase?pool=${pool}`
    case 'generator':
      return at('panel')
    case 'security':
      return at('changePass')
    case 'limits':
      return at('changePass', { limits: limitField(code, sentence) })
    case 'whitelist':
      return at('whitelist', { ip: ipv4.exec(sentence ?? '')?.[0] ?? null })
    case 'users':
      return at('proxyUsers', { user })
    case 'rules':
      return '/rules'
    case 'support':
      return support
    case 'retry':
      return null
  }
}

/** Caps start anew with the UTC day: one of an earlier day is no longer in the way. */
export const isToday = (at: string): boolean => at.slice(0, 10) === new Date().toISOString().slice(0, 10)
