/**
 * Whether a client may reach a target. What follows from its name, address and port is judged first. A name
 * is then looked up once, each of its addresses is judged by its bits, and exactly the judged addresses are
 * dialled: no spelling, and no second DNS answer, gets around the judgement.
 */

import { isPublic, type Ip } from '#lib/ip'
import { refusal, type ProxyRefusal } from '../responses/refusal.ts'
import { type AllowRule, EXACTNESS, type Exactness, exceptionFor } from './allow.list.ts'
import { deniesAddress, deniesName, deniesPort, type DenyList } from './deny.list.ts'
import type { NameFaultCode } from './lookup.ts'
import type { OwnHosts } from './own.hosts.ts'
import { NameFault, type NameRequest, type NameResolver } from './resolver.ts'
import { isShop, type Shop } from './shop.ts'
import type { Target } from './target.ts'

export interface TargetRules {
  /** Exceptions from everything below. */
  allow: readonly AllowRule[]
  refusePorts: readonly number[]
  /** The operator's own list of forbidden targets. */
  deny?: DenyList | undefined
  /** The operator's own hosts. Missing for connections of the operator, who may reach them. */
  own?: OwnHosts
  /** An exception at its port; missing: there is none. */
  shop?: Shop | undefined
  names: Names
}

/** `fresh` is missing where every lookup may take time. */
type Names = Pick<NameResolver, 'resolve'> & Partial<Pick<NameResolver, 'fresh'>>

const deniedByOperator = () => refusal('target_forbidden', 'the operator of this proxy forbids this target')

/** Whether the operator's list names the target together with its port, which excepts it from every rule. */
export function isExceptedAtPort({ allow }: TargetRules, target: Target): boolean {
  return exceptionFor(allow, target, target.ip) === EXACTNESS.port
}

/** Whether the name itself is an exception, whatever its addresses are. */
function isExceptedName({ allow, shop }: TargetRules, target: Target): boolean {
  return exceptionFor(allow, target, null) !== EXACTNESS.none || (shop !== undefined && isShop(shop, target))
}

function exactnessFor({ allow, shop }: TargetRules, target: Target, ip: Ip | null): Exactness {
  return shop !== undefined && isShop(shop, target) ? EXACTNESS.port : exceptionFor(allow, target, ip)
}

function judgeAddress(target: Target, ip: Ip, rules: TargetRules): void {
  const { own, deny } = rules
  const needed = own?.exactnessNeeded(ip, target.port) ?? EXACTNESS.none
  const isDenied = deny !== undefined && deniesAddress(deny, ip)
  if (needed === EXACTNESS.none && !isDenied && isPublic(ip)) return
  const exactness = exactnessFor(rules, target, ip)
  if (exactness >= Math.max(needed, EXACTNESS.network)) return
  if (isDenied || needed !== EXACTNESS.none) throw deniedByOperator()
  throw refusal('target_forbidden', 'this target is not on the public internet', {
    error: 'destination_ip_prohibited',
  })
}

function judgePort(target: Target, rules: TargetRules): void {
  const { refusePorts, deny } = rules
  const isRefused = refusePorts.includes(target.port) || (deny !== undefined && deniesPort(deny, target.port))
  if (isRefused && exactnessFor(rules, target, target.ip) < EXACTNESS.port)
    throw refusal('port_forbidden', `connections to port ${target.port} are not allowed`)
}

function judgeName(target: Target, name: string, rules: TargetRules): void {
  const { own, deny } = rules
  const isOwn = own?.isNamed(name, target.port) === true
  const isDenied = deny !== undefined && deniesName(deny, name)
  if (!isOwn && !isDenied) return
  const needed = isOwn ? EXACTNESS.port : EXACTNESS.network
  if (exactnessFor(rules, target, null) < needed) throw deniedByOperator()
}

/** Judged targets: the judgement of the same addresses stays the same under the same rules and own hosts. */
const judged = new WeakMap<Target, { rules: TargetRules; version: number; ips: readonly Ip[] }>()

/**
 * Judges what can be judged without a lookup. Returns the address to dial, or null for a name: call
 * `lookUpTarget`. Refuses with 403 forbidden ports, the operator's own hosts, targets that the operator
 * denies, and addresses outside of the public internet.
 */
export function judgeTarget(target: Target, rules: TargetRules): readonly Ip[] | null {
  const version = rules.own?.version ?? 0
  const known = judged.get(target)
  // The addresses of a name belong to one lookup and are not reused by another.
  if (known?.rules === rules && known.version === version) return target.ip === null ? null : known.ips
  judgePort(target, rules)
  if (target.ip === null) {
    judgeName(target, target.name ?? '', rules)
    return null
  }
  judgeAddress(target, target.ip, rules)
  const ips = [target.ip]
  judged.set(target, { rules, version, ips })
  return ips
}

/**
 * The judged addresses of a name that `judgeTarget` has accepted, when they are known without waiting; null:
 * call `lookUpTarget`. Refuses a target with any forbidden address (403).
 */
export function freshTarget(
  target: Target,
  rules: TargetRules,
  families: readonly Ip['family'][],
): readonly Ip[] | null {
  const ips = rules.names.fresh?.(target.name ?? '', families) ?? null
  if (ips === null) return null
  const version = rules.own?.version ?? 0
  const known = judged.get(target)
  if (known?.ips === ips && known.rules === rules && known.version === version) return ips
  for (const ip of ips) judgeAddress(target, ip, rules)
  judged.set(target, { rules, version, ips })
  return ips
}

const LOOKUP_REFUSALS: Record<Exclude<NameFaultCode, 'aborted'>, () => ProxyRefusal> = {
  not_found: () => dnsError('the name does not exist'),
  no_data: () => dnsError('the name has no address that can be used'),
  server_failed: () => dnsError('the name servers cannot look the name up at present'),
  timed_out: () => refusal('dns_timeout', 'the name was not looked up in time'),
  too_many_lookups: () =>
    refusal('too_many_lookups', 'too many names of yours are being looked up: try again in a second', {
      retryAfterSeconds: 1,
    }),
  queue_full: () =>
    refusal('lookups_full', 'too many names are being looked up at present', { retryAfterSeconds: 1 }),
  closed: () => refusal('stopping', 'this gateway is being stopped'),
}

function dnsError(sentence: string): ProxyRefusal {
  return refusal('dns_error', sentence)
}

/** The refusal for a lookup without an address; an ordinary error when the client closed the connection. */
function lookupRefusal({ code }: NameFault): Error {
  return code === 'aborted' ? new Error('the client closed the connection') : LOOKUP_REFUSALS[code]()
}

/**
 * How long a name is looked up that an exit will look up again. The owner of a name can give the exit another
 * answer than us in any case, so waiting for longer would protect nothing.
 */
const JUDGEMENT_MS = 1000

export interface TargetLookup extends Omit<NameRequest, 'singleLabel'> {
  /** The name will be looked up by an exit: its addresses here are used for the judgement only. */
  forJudgement?: boolean
}

/** The name servers did not say whether the name has addresses. */
const isUndecided = ({ code }: NameFault) => code === 'timed_out' || code === 'server_failed'

/**
 * The addresses of a name that `judgeTarget` has accepted, all of them judged. Refuses a target with any
 * forbidden address (403), a name that has none (502) or that is not looked up in time (504), too many
 * lookups of the account (429) and of all (503). Returns none for a name that is looked up for the judgement,
 * when the name servers fail.
 */
export async function lookUpTarget(
  target: Target,
  rules: TargetRules,
  { forJudgement = false, ...request }: TargetLookup,
): Promise<readonly Ip[]> {
  const isExcepted = isExceptedName(rules, target)
  // An exception may mean another host where the exit is: its name is never passed on without its addresses.
  const mayBeUnknown = forJudgement && !isExcepted
  const deadlineMs = mayBeUnknown ? JUDGEMENT_MS : request.deadlineMs
  const lookup = { ...request, singleLabel: isExcepted, ...(deadlineMs === undefined ? {} : { deadlineMs }) }
  try {
    const { addresses } = await rules.names.resolve(target.name ?? '', lookup)
    for (const ip of addresses) judgeAddress(target, ip, rules)
    return addresses
  } catch (error) {
    if (!(error instanceof NameFault)) throw error
    if (mayBeUnknown && isUndecided(error)) return []
    throw lookupRefusal(error)
  }
}

/**
 * Judges a target of the operator's own choice and looks it up. Throws like `judgeTarget` and `lookUpTarget`.
 */
export async function resolveTarget(
  target: Target,
  rules: TargetRules,
  request: TargetLookup,
): Promise<readonly Ip[]> {
  return judgeTarget(target, rules) ?? (await lookUpTarget(target, rules, request))
}
