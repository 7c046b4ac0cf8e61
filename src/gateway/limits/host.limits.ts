/** The hosts that a customer's own limits allow or deny. */

import type { FeedAccount, FeedUser } from '#feed'
import { formatIp } from '#lib/ip'
import { HostRules, type HostFault } from '#limits/hosts'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'
import type { Target } from '../targets/target.ts'

/** Created once per cached row of the account. */
const rulesByAccount = new WeakMap<FeedAccount, HostRules>()

const rulesByUser = new WeakMap<FeedUser, HostRules>()

/** The hosts that a proxy user may open, besides the rules of the account. */
function rulesOfUser(user: FeedUser): HostRules {
  const { allowed_hosts } = user
  const rules = rulesByUser.get(user) ?? new HostRules({ allowed_hosts, denied_hosts: [], data_saver: false })
  rulesByUser.set(user, rules)
  return rules
}

function rulesOf(account: FeedAccount): HostRules | null {
  const { limits } = account
  if (limits === null) return null
  const { allowed_hosts, denied_hosts, data_saver } = limits
  if (allowed_hosts.length + denied_hosts.length === 0 && !data_saver) return null
  const rules = rulesByAccount.get(account) ?? new HostRules(limits)
  rulesByAccount.set(account, rules)
  return rules
}

const sentences: Record<HostFault, string> = {
  denied: 'your limits of this pool deny this host',
  not_allowed: 'your limits of this pool allow other hosts only',
  data_saver: 'the data saver of this pool leaves out this host of an advertiser or tracker',
}

/** The 403 for a target that the account's own limits deny; null when they do not. */
export function hostRefusal(account: FeedAccount, { name, ip }: Target): ProxyRefusal | null {
  const rules = rulesOf(account)
  const { user } = account
  if (rules === null && user === undefined) return null
  const host = name ?? (ip === null ? '' : formatIp(ip))
  const fault = rules?.faultOf(host) ?? null
  if (fault !== null) return refusal('target_denied', sentences[fault])
  if (user === undefined || user.allowed_hosts.length === 0 || rulesOfUser(user).faultOf(host) === null)
    return null
  return refusal('target_denied', 'this proxy user may open other hosts only')
}
