/**
 * Connects to a judged target: tries the exits in their order until one connects. Another exit is tried only
 * before a byte has been sent to the client, and never after a failure of the target itself.
 */

import { performance } from 'node:perf_hooks'
import type { FeedExit } from '#feed'
import type { CancelSignal } from '#lib/cancel-signal'
import type { Targeting } from '#proxies/grammar'
import type { ResponseHead } from '../http/head.ts'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'
import { type HandedSocket, unreadSocket } from '../sockets/reader.ts'
import type { AnySocket } from '../sockets/source.ts'
import type { NameResolver } from '../targets/resolver.ts'
import { authorizationOf } from './chain.http.ts'
import { type ChainLink, type ChainTarget, connectToForwarder, openTunnel } from './chain.ts'
import type { Candidate } from './choice.ts'
import { type ConnectionEnds, dial, farEnds } from './dial.ts'
import type { Exits } from './exits.ts'
import { ExitFailure, exitFailure, responseFailure } from './failure.ts'
import type { ExitSlot } from './health.ts'
import type { WarmConnection } from './shortcuts.ts'

const MOST_TRIES = 3

/** An open connection to a target, or to an exit that forwards the request itself. */
export interface ExitConnection {
  handed: HandedSocket
  exit: FeedExit
  /** The country of the exit, when it is unambiguous. */
  country: string | null
  /** Set when the exit forwards requests: the authorization it gets with each, or null for none. */
  forwards: { authorization: string | null } | null
  ends: ConnectionEnds
}

export interface ConnectTarget extends ChainTarget {
  /** The local address for connections to IPv4 loopback, in place of the exit's. */
  loopbackSource: string | null
  /** Exits that are proxies are skipped. */
  directOnly: boolean
}

export interface ConnectRequest {
  who: { access: bigint; pool: string }
  targeting: Targeting
  target: ConnectTarget
  /** The connection is for a request to an http:// address, which some exits forward themselves. */
  plain: boolean
  signal: CancelSignal
}

export interface ConnectOptions<R extends ConnectRequest = ConnectRequest> {
  exits: Exits
  limits: {
    /** The time limit for all exits that are tried, together. */
    exitsMs: number
    /** The time limit for one exit while others remain to be tried. */
    exitMs: number
  }
  names: Pick<NameResolver, 'resolve'>
  onTry: (request: R, exit: FeedExit) => void
  onFailure: (request: R, exit: FeedExit, failure: ExitFailure) => void
}

/** Of several failures the customer gets the most significant one for the request. */
const SIGNIFICANCE: Record<ExitFailure['blame'], number> = { exit: 0, unclear: 1, unsuited: 2, target: 3 }

/** Whether only a tunnel can be requested from the exit. */
const asksForTunnel = ({ kind, plain_http: plainHttp }: FeedExit, { target, plain }: ConnectRequest) =>
  kind !== 'direct' && !target.directOnly && !(plain && plainHttp === 'forward')

function shortcutsOf({ pipelining, health }: Exits, { id }: FeedExit, warm: WarmConnection | null) {
  if (warm === null && !pipelining.isAccepted(id)) return null
  return { warm, pipelining, latencyMs: health.latencyMs(id) }
}

function connectThrough(
  candidate: Candidate,
  request: ConnectRequest,
  options: Pick<ConnectOptions, 'names' | 'exits'>,
  deadline: number,
  warm: WarmConnection | null,
): Promise<ExitConnection> {
  const { exit, country } = candidate
  if (exit.kind !== 'direct') return connectThroughProxy(candidate, request, options, deadline, warm)
  const connected = (socket: AnySocket, ends: ConnectionEnds) => ({
    handed: unreadSocket(socket),
    exit,
    country,
    forwards: null,
    ends,
  })
  return dial(exit, request.target, request.signal, deadline, connected)
}

async function connectThroughProxy(
  { exit, credentials, country }: Candidate,
  { target, plain, signal }: ConnectRequest,
  { names, exits }: Pick<ConnectOptions, 'names' | 'exits'>,
  deadline: number,
  warm: WarmConnection | null,
): Promise<ExitConnection> {
  if (target.directOnly) throw exitFailure('forbidden', { status: null, word: 'private_target' })
  const shortcuts = shortcutsOf(exits, exit, warm)
  const link: ChainLink = { exit, credentials, names, signal, deadline, shortcuts, reached: null }
  if (plain && exit.plain_http === 'forward') {
    const handed = await connectToForwarder(link, target)
    if (handed !== null)
      return {
        handed,
        exit,
        country,
        forwards: { authorization: authorizationOf(credentials) },
        ends: farEnds(null),
      }
  }
  const handed = await openTunnel(link, target)
  return { handed, exit, country, forwards: null, ends: farEnds(link.reached) }
}

/** No exit was tried: none serves the targeting, all breakers are open, or all are full. */
function noExit(reasons: readonly ('full' | 'open')[]): ProxyRefusal {
  if (reasons.length === 0) return refusal('no_exit', 'no exit serves this targeting')
  return reasons.includes('full')
    ? refusal('exits_full', 'the exits that serve this targeting take no more connections at present', {
        retryAfterSeconds: 1,
      })
    : refusal('exits_down', 'the exits that serve this targeting are out of order at present', {
        retryAfterSeconds: 5,
      })
}

/**
 * Connects to the target through the best exit that can. Throws the refusal: 503 when no exit serves the
 * targeting or is usable, else the most significant of the failures.
 */
export async function connectThroughExits<R extends ConnectRequest>(
  request: R,
  options: ConnectOptions<R>,
): Promise<ExitConnection> {
  const { exits, limits, onTry, onFailure } = options
  const deadline = performance.now() + limits.exitsMs
  const skipped: ('full' | 'open')[] = []
  const unclear: { exit: FeedExit; failure: ExitFailure }[] = []
  let worst: ExitFailure | null = null
  let tries = 0
  const candidates = exits.candidates(request.who, request.targeting)
  for (let next = candidates.next(); next !== null;) {
    const candidate = next
    next = candidates.next()
    const leftMs = deadline - performance.now()
    if (tries === MOST_TRIES || leftMs <= 0) break
    const warm = asksForTunnel(candidate.exit, request) ? exits.warm.take(candidate.exit) : null
    const acquired = warm?.slot ?? exits.acquire(candidate.exit)
    const slot = acquired instanceof Promise ? await acquired : acquired
    if (typeof slot === 'string') {
      skipped.push(slot)
      continue
    }
    tries++
    onTry(request, candidate.exit)
    const startedAt = performance.now()
    const isLast = tries === MOST_TRIES || next === null
    const patienceMs = isLast ? leftMs : Math.min(leftMs, limits.exitMs)
    try {
      const connection = await connectThrough(candidate, request, options, startedAt + patienceMs, warm)
      const latencyMs = performance.now() - startedAt
      // A forwarder has not connected to the target yet: its response will show the outcome.
      if (connection.forwards === null) {
        exits.answers.answered(candidate.exit.id, latencyMs)
        exits.places.note(request.who, request.targeting.countries, true)
      }
      occupy(slot, connection, latencyMs)
      // The target can be reached, so the exits that did not reach it have failed.
      for (const { exit, failure } of unclear) {
        exits.health.note(exit.id, failure)
        exits.answers.failed(exit.id, failure, request.target)
      }
      return connection
    } catch (error) {
      if (!(error instanceof ExitFailure) || request.signal.aborted) {
        slot.release()
        throw error
      }
      if (error.blame === 'exit') {
        slot.failed(error.what, error.lasting)
        exits.answers.failed(candidate.exit.id, error, request.target)
      }
      slot.release()
      if (error.blame === 'unclear') unclear.push({ exit: candidate.exit, failure: error })
      if (error.blame !== 'target') onFailure(request, candidate.exit, error)
      if (worst === null || SIGNIFICANCE[error.blame] > SIGNIFICANCE[worst.blame]) worst = error
      if (error.blame === 'target') break
    }
  }
  notePlace(request, options, { worst, skipped })
  throw worst ?? noExit(skipped)
}

/**
 * Counts a failed connection for the requested country: as reached when the target itself failed, as failed
 * when an exit failed or all breakers are open. Limits and requests that do not fit an exit are not counted.
 */
function notePlace(
  { who, targeting }: ConnectRequest,
  { exits }: Pick<ConnectOptions, 'exits'>,
  { worst, skipped }: { worst: ExitFailure | null; skipped: readonly ('full' | 'open')[] },
): void {
  const isDown = worst === null && skipped.length > 0 && !skipped.includes('full')
  if (worst?.blame === 'target') exits.places.note(who, targeting.countries, true)
  else if (worst?.blame === 'exit' || isDown) exits.places.note(who, targeting.countries, false)
}

/** The slot is released when the connection is closed. */
function occupy(slot: ExitSlot, { handed, forwards }: ExitConnection, latencyMs: number): void {
  if (forwards === null) slot.succeeded(latencyMs)
  if (handed.socket.destroyed) slot.release()
  else handed.socket.on('close', () => slot.release())
}

/** Header fields with which proxies mark errors of their own. */
const OWN_FIELDS = new Set([
  'x-squid-error',
  'x-soax-error',
  'x-brd-err-code',
  'x-luminati-error',
  'x-thor-error-code',
])

/**
 * Judges the response to a request that an exit forwards: throws an ExitFailure when it is an error of the
 * exit's own, which must not reach the client, in particular a 407.
 */
export function judgeForwarded(
  exits: Exits,
  { exit, forwards }: ExitConnection,
  response: ResponseHead,
  requestedAt: number,
): void {
  if (forwards === null) return
  const isOwn = response.status === 407 || response.fields.some(({ key }) => OWN_FIELDS.has(key))
  const failure = isOwn && response.status >= 400 ? responseFailure(exit, response) : null
  if (failure === null) {
    const latencyMs = performance.now() - requestedAt
    exits.health.note(exit.id, { latencyMs })
    exits.answers.answered(exit.id, latencyMs)
  } else if (failure.blame === 'exit') {
    exits.health.note(exit.id, failure)
    exits.answers.failed(exit.id, failure, null)
  }
  if (failure !== null) throw failure
}
