/** What repairs a refused request, by the code of its refusal. A code that the gateway may answer cannot be missing here. */
import { type ProxyCode, proxyCodes } from '#contract/refusals/proxy'
import type { Pool } from '#contract/wire'
import { tabHref } from '../tabs.ts'

/** Where the customer mends it; `retry`: nowhere, another request may do. */
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

/** Where a repair is made; null: nowhere, or the shop has no contact. */
export function repairHref(repair: Repair, pool: Pool | null, support: string | null): string | null {
  const ofPool = pool === null ? '' : `&pool=${pool}`
  switch (repair) {
    case 'buy':
      return pool === null ? '/purchase' : `/purchase?pool=${pool}`
    case 'generator':
      return tabHref('panel') + ofPool
    case 'security':
    case 'limits':
      return tabHref('changePass') + ofPool
    case 'whitelist':
      return tabHref('whitelist') + ofPool
    case 'users':
      return tabHref('proxyUsers')
    case 'rules':
      return '/rules'
    case 'support':
      return support
    case 'retry':
      return null
  }
}
