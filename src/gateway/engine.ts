/** What every connection of this process works with, and the steps that every protocol takes once `admit` knows who asks. */

import type { Socket } from 'node:net'
import type { Accounts } from './accounts.ts'
import type { GuessingBrake } from './credentials.ts'
import { dial } from './dial.ts'
import { countryOf, type Exits } from './exits.ts'
import type { FeedExit } from './feed.ts'
import type { Meter } from './meter.ts'
import type { Reporter } from './reporter.ts'
import { ProxyRefusal, SOCKS_REPLY, type RefusalParts } from './refuse.ts'
import type { Stored } from './stored.ts'
import { resolveTarget, type Target, type TargetRules } from './target.ts'
import type { Session, SessionEnd, Tunnels } from './tunnels.ts'

/** The part of a pino logger that is used here. */
export interface GatewayLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface Limits {
  headBytes: number
  /** A connection that sends nothing at first. */
  silentMs: number
  /** A head or handshake that does not get complete. */
  headMs: number
  /** A kept connection without a next request. */
  keepAliveMs: number
  /** A target that does not begin to answer. */
  answerMs: number
  /** A tunnel or body without a byte either way. */
  idleMs: number
  /** How long a new connection waits for its first bytes to be leased. */
  leaseMs: number
  connectionsPerAccount: number
}

export interface Counters {
  bytesUp: number
  bytesDown: number
  connections: number
  /** By code. */
  refusals: Record<string, number>
}

export interface Engine {
  accounts: Accounts
  brake: GuessingBrake
  counters: Counters
  exits: Exits
  limits: Limits
  log: GatewayLog
  meter: Meter
  reporter: Pick<Reporter, 'healthy'>
  rules: TargetRules
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
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), engine.limits.leaseMs)
  })
  const covered = await Promise.race([session.charge.more(payloadBytes), tooLate])
  clearTimeout(timer)
  if (covered === 'late')
    throw unavailable('traffic_unavailable', 'the balance cannot be looked up at present')
  if (!covered) throw noTraffic()
}

export function noTraffic(): ProxyRefusal {
  return refusal(402, 'no_traffic', 'the traffic of this pool is used up')
}

export interface WayOut {
  socket: Socket
  exit: FeedExit
  country: string | null
}

/**
 * Connects to the target for the session. Refuses forbidden targets (403), an empty balance (402), a targeting that no
 * exit serves (503), and answers 502 or 504 when the target cannot be reached.
 */
export async function openTarget(
  engine: Engine,
  session: Session,
  target: Target,
  firstBytes: number,
): Promise<WayOut> {
  const { account, targeting } = session.parts
  const ips = await resolveTarget(target, engine.rules)
  await needTraffic(engine, session, firstBytes)
  const exit = engine.exits.choose({ account: account.id, pool: account.pool }, targeting)
  if (exit === null) {
    throw refusal(
      503,
      'no_exit',
      'no exit serves this targeting',
      SOCKS_REPLY.failure,
      'destination_unavailable',
    )
  }
  const socket = await dial(exit, { ips, port: target.port }, session.signal)
  return { socket, exit, country: countryOf(exit, targeting) }
}

/** What to answer to whatever was thrown: a refusal's own parts, or 500 for a bug, which is logged. */
export function refusalOf(engine: Engine, fault: unknown, requestId: string): RefusalParts {
  if (fault instanceof ProxyRefusal) {
    engine.counters.refusals[fault.parts.code] = (engine.counters.refusals[fault.parts.code] ?? 0) + 1
    return fault.parts
  }
  engine.log.error({ err: fault, request_id: requestId }, 'a request failed on a bug')
  return refusal(500, 'internal_error', 'this proxy failed', SOCKS_REPLY.failure, 'proxy_internal_error')
    .parts
}

/** Ends a session, once, and writes its one line in the log. Never credentials, never what was said. */
export function endSession(engine: Engine, session: Session, end: SessionEnd): void {
  const { account, protocol, requestId, multiplier, clientAddress } = session.parts
  if (!session.end()) return
  engine.counters.bytesUp += end.upBytes
  engine.counters.bytesDown += end.downBytes
  engine.log.debug(
    {
      request_id: requestId,
      account: account.id.toString(),
      pool: account.pool,
      protocol,
      client: clientAddress,
      target: end.target,
      bytes_up: end.upBytes,
      bytes_down: end.downBytes,
      multiplier,
      duration_ms: Math.round(performance.now() - session.startedAt),
      reason: end.reason,
    },
    'tunnel ended',
  )
}
