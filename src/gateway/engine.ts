/** What every connection of this process works with, and the steps that every protocol takes once `admit` knows who asks. */

import type { Accounts } from './admission/accounts.ts'
import type { GuessingBrake } from './admission/login.throttle.ts'
import type { Guest } from './limits/connection.limiter.ts'
import type { WayRefusal } from './exits/failure.ts'
import type { Exits } from './exits/exits.ts'
import type { FeedExit } from '#feed'
import type { Probes } from './exits/probes.ts'
import { allowTarget, capReached } from './limits/host.limits.ts'
import type { Meter } from './metering/meter.ts'
import type { Permits } from './limits/account.permits.ts'
import type { Places } from './admission/places.ts'
import type { PoolCounters } from './records/counters.ts'
import type { Records } from './records/records.ts'
import type { Reporter } from './metering/reporter.ts'
import { ProxyRefusal, SOCKS_REPLY, type RefusalParts } from './responses/refusal.ts'
import type { SameTime } from './admission/refusal.delay.ts'
import type { Stored } from './admission/stored.targetings.ts'
import { printTarget, resolveTarget, type Target, type TargetRules } from './targets/target.ts'
import type { Trace } from './records/trace.ts'
import type { Session, SessionEnd, Tunnels } from './sessions.ts'
import { findWay, type WayOut } from './exits/connect.ts'

/** The part of a pino logger that is used here. */
export interface GatewayLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** Whether anybody reads lines of this level; without it they do. */
  isLevelEnabled?(level: string): boolean
}

export interface Limits {
  headBytes: number
  /** A connection that sends nothing at first. */
  silentMs: number
  /** A TLS or SOCKS handshake, from its first byte to its end. */
  handshakeMs: number
  /** A head that does not get complete. */
  headMs: number
  /** A kept connection without a next request. */
  keepAliveMs: number
  /** A target that does not begin to answer. */
  answerMs: number
  /** A tunnel or body without a byte either way. */
  idleMs: number
  /** How long a new connection waits for its first bytes to be leased. */
  leaseMs: number
  /** All exits that are tried for one connection, together. */
  exitsMs: number
  /** One of them, while others wait. */
  exitMs: number
  /** On all workers of this machine together, like those that follow. */
  connectionsPerAccount: number
  /** Of one client address; an IPv6 network of 64 bits is one. */
  connectionsPerAddress: number
  /** Of these, such as nobody was let in by yet. */
  strangersPerAddress: number
}

/** What a gateway is patient with when nobody says otherwise. */
export const defaultLimits: Readonly<Limits> = {
  headBytes: 32 * 1024,
  silentMs: 10_000,
  handshakeMs: 10_000,
  headMs: 15_000,
  keepAliveMs: 60_000,
  answerMs: 60_000,
  idleMs: 10 * 60_000,
  leaseMs: 15_000,
  exitsMs: 30_000,
  exitMs: 10_000,
  connectionsPerAccount: 5000,
  connectionsPerAddress: 20_000,
  strangersPerAddress: 2000,
}

export interface Counters {
  bytesUp: number
  bytesDown: number
  connections: number
  /** By code. */
  refusals: Record<string, number>
  pools: PoolCounters
}

export interface Engine {
  accounts: Accounts
  brake: GuessingBrake
  counters: Counters
  exits: Exits
  limits: Limits
  log: GatewayLog
  meter: Meter
  permits: Permits
  places: Places
  probes: Pick<Probes, 'suspect'>
  records: Records
  reporter: Pick<Reporter, 'healthy' | 'lag' | 'sequence'>
  rules: TargetRules
  sameTime: SameTime
  stored: Stored
  tunnels: Tunnels
  /** True once the gateway has begun to stop: connections are not kept. */
  stopping: boolean
}

/** One client's connection to one of our ports. */
export interface Visitor {
  pool: string
  address: string
  /** The number of the slot port it came to; null on an entry port. */
  slot: number | null
  /** Its connection among those of its address. */
  guest: Guest
}

export function refusal(
  status: RefusalParts['status'],
  code: string,
  sentence: string,
  reply: number = SOCKS_REPLY.forbidden,
  error = 'http_request_denied',
): ProxyRefusal {
  return new ProxyRefusal({ status, code, sentence, error, reply })
}

export function unavailable(code: string, sentence: string): ProxyRefusal {
  return refusal(503, code, sentence, SOCKS_REPLY.failure, 'proxy_internal_error')
}

/** Waits until the account has this many payload bytes at hand: 402 when the balance is at its end. */
export async function needTraffic(engine: Engine, session: Session, payloadBytes: number): Promise<void> {
  if (session.charge.covers(payloadBytes)) return
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), engine.limits.leaseMs)
  })
  const covered = await Promise.race([session.charge.more(payloadBytes), tooLate])
  clearTimeout(timer)
  if (covered === 'late')
    throw unavailable('traffic_unavailable', 'the balance cannot be looked up at present')
  if (!covered) throw noTraffic(session)
}

/** Nothing more is covered: the balance is at its end, or a cap of the customer's is reached. */
export function noTraffic(session: Session): ProxyRefusal {
  const { capped } = session.charge
  if (capped !== null) return capReached(capped)
  return refusal(402, 'no_traffic', 'the traffic of this pool is used up')
}

/**
 * Connects to the target for the session; `plain` for a request to an http:// address. Refuses forbidden targets (403),
 * an empty balance (402), a targeting that no exit serves (503), and answers 502 or 504 when the target cannot be
 * reached.
 */
export async function openTarget(
  engine: Engine,
  session: Session,
  target: Target,
  firstBytes: number,
  plain = false,
): Promise<WayOut> {
  const { account, targeting, requestId, trace } = session.parts
  trace.target = printTarget(target)
  allowTarget(session, target)
  const ips = await resolveTarget(target, engine.rules)
  await needTraffic(engine, session, firstBytes)
  const { exits, limits, rules } = engine
  const onTry = (exit: FeedExit) => {
    trace.took('exit_chosen')
    trace.exit = exit.id
  }
  const onFailure = (exit: FeedExit, { parts, blame }: WayRefusal) => {
    if (blame === 'unclear') engine.probes.suspect(exit)
    const said = { code: parts.code, blame, exit_status: parts.exit?.status, exit_word: parts.exit?.word }
    engine.log.info({ request_id: requestId, exit: exit.name, pool: exit.pool, ...said }, 'an exit failed')
  }
  const way = await findWay(
    {
      who: { account: account.id, pool: account.pool },
      targeting,
      target: { name: target.name, ips, port: target.port },
      plain,
      signal: session.signal,
    },
    { exits, limits, resolve: rules.resolve, onTry, onFailure },
  )
  trace.took('connected')
  trace.country = way.country
  return way
}

/** Notes a refusal where it is counted, and where its customer can ask about it. */
export function noteRefusal(engine: Engine, parts: RefusalParts, trace: Trace): RefusalParts {
  engine.counters.refusals[parts.code] = (engine.counters.refusals[parts.code] ?? 0) + 1
  trace.refusal = parts
  if (trace.end === null) trace.ended({ outcome: 'refused', upBytes: 0, downBytes: 0, isCharged: false })
  engine.records.keep(trace)
  return parts
}

/** What to answer to whatever was thrown: a refusal's own parts, or 500 for a bug, which is logged. */
export function refusalOf(engine: Engine, fault: unknown, trace: Trace): RefusalParts {
  if (fault instanceof ProxyRefusal) return noteRefusal(engine, fault.parts, trace)
  engine.log.error({ err: fault, request_id: trace.id }, 'a request failed on a bug')
  const { parts } = refusal(
    500,
    'internal_error',
    'this proxy failed',
    SOCKS_REPLY.failure,
    'proxy_internal_error',
  )
  return noteRefusal(engine, parts, trace)
}

/** Ends a session, once, and writes its one line in the log. Never credentials, never what was said. */
export function endSession(engine: Engine, session: Session, end: SessionEnd): void {
  const { account, protocol, requestId, multiplier, clientAddress, trace } = session.parts
  if (!session.end()) return
  // Who goes away before there is a tunnel was not refused.
  const outcome = end.reason === 'refused' && session.stopped ? 'cut' : end.reason
  const { upBytes, downBytes } = end
  if (end.target !== '') trace.target = end.target
  if (downBytes > 0 && session.charge.heardAt !== null) trace.took('first_byte', session.charge.heardAt)
  trace.ended({ outcome, upBytes, downBytes, isCharged: session.charge.isOwed })
  engine.counters.bytesUp += upBytes
  engine.counters.bytesDown += downBytes
  engine.counters.pools.count(trace)
  engine.records.keep(trace)
  if (engine.log.isLevelEnabled?.('info') === false) return
  engine.log.info(
    {
      request_id: requestId,
      account: account.id.toString(),
      pool: account.pool,
      protocol,
      client: clientAddress,
      target: trace.target ?? '',
      exit: trace.exit?.toString() ?? null,
      bytes_up: upBytes,
      bytes_down: downBytes,
      multiplier,
      connected_ms: trace.msOf('connected'),
      first_byte_ms: trace.msOf('first_byte'),
      duration_ms: trace.durationMs,
      reason: outcome,
    },
    'tunnel ended',
  )
}
