/** What a customer's own limits turn down: hosts, caps on bytes and on connections. */

import { HostRules, type HostFault } from '#limits/hosts'
import { formatIp } from '#lib/ip'
import type { CapWindow, FeedAccount } from '#feed'
import { ProxyRefusal, SOCKS_REPLY } from '../responses/refusal.ts'
import type { Target } from '../targets/target.ts'
import type { Session } from '../sessions.ts'

function refused(
  status: 402 | 403 | 429,
  code: string,
  sentence: string,
  retryAfterSeconds?: number,
): ProxyRefusal {
  return new ProxyRefusal({
    status,
    code,
    sentence,
    error: 'http_request_denied',
    reply: SOCKS_REPLY.forbidden,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

export function tooManyConnections(most: number): ProxyRefusal {
  return refused(
    429,
    'too_many_connections',
    `this account has ${most} open connections, the most there may be`,
    1,
  )
}

export function capReached(window: CapWindow): ProxyRefusal {
  return refused(402, 'cap_reached', `the traffic that you allow this pool per ${window} is used up`)
}

/** Rules are made once for as long as an account's answer is kept. */
const rules = new WeakMap<FeedAccount, HostRules>()

function rulesOf(account: FeedAccount): HostRules | null {
  const { limits } = account
  if (limits === null) return null
  const { allowed_hosts, denied_hosts, data_saver } = limits
  if (allowed_hosts.length + denied_hosts.length === 0 && !data_saver) return null
  const known = rules.get(account) ?? new HostRules(limits)
  rules.set(account, known)
  return known
}

const hostOf = ({ name, ip }: Target) => name ?? (ip === null ? '' : formatIp(ip))

/** Why the account's own limits keep it from the target; null when they do not. */
export function targetFault(account: FeedAccount, target: Target): HostFault | null {
  return rulesOf(account)?.faultOf(hostOf(target)) ?? null
}

const sentences: Record<HostFault, string> = {
  denied: 'your limits of this pool deny this host',
  not_allowed: 'your limits of this pool allow other hosts only',
  data_saver: 'the data saver of this pool leaves out this host of an advertiser or tracker',
}

/** Notes where the session goes; 403 for a target that its account's own limits leave out. */
export function allowTarget(session: Session, target: Target): void {
  session.target = target
  const fault = targetFault(session.parts.account, target)
  if (fault !== null) throw refused(403, 'target_denied', sentences[fault])
}
