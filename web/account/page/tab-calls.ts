/** Which tabs the role of a member opens: those whose first call the role may make. */
import type { Tab } from '#contract/account-tabs'
import type { Name } from '#contract/wire'
import type { Session } from '../../state/session.ts'
import { roleAllows } from '../../state/team/team.ts'

const callOf: Readonly<Record<Tab, Name>> = {
  main: 'legacy_profile',
  panel: 'get_proxy',
  proxyUsers: 'get_proxy_users',
  whitelist: 'get_whitelist_entries',
  limits: 'get_pool_limits',
  statistic: 'get_usage',
  requests: 'get_requests',
  bill: 'get_bill',
  invoices: 'invoices',
  topup: 'get_top_ups',
  moves: 'get_moves',
  referal: 'legacy_referal_info',
  // What belongs to the owner as a person.
  profile: 'my_sessions',
  changePass: 'my_sessions',
  notices: 'get_notices',
  team: 'get_team',
  resell: 'reseller_token',
}

export const opensTab = (user: Pick<Session, 'acting'>, tab: Tab): boolean => roleAllows(user, callOf[tab])
