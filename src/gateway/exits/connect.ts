/**
 * From a judged target to an open connection: the exits in their order, until one connects. Only before a byte has gone
 * to the client is another exit tried, and never for what is the target's own doing.
 */

import { performance } from 'node:perf_hooks'
import { dialChained, dialForwarder, type ChainTarget } from './chain.ts'
import { authorizationOf } from './chain.http.ts'
import { dial } from './dial.ts'
import { judgeHead, WayRefusal } from './failure.ts'
import type { Seat } from './health.ts'
import type { Candidate, Exits } from './exits.ts'
import type { FeedExit } from '#feed'
import type { ResponseHead } from '../http/head.ts'
import { SOCKS_REPLY, ProxyRefusal } from '../responses/refusal.ts'
import type { RelaySide } from '../relay.ts'
import type { Signal } from '../sockets/cancel.signal.ts'
import type { Resolve } from '../targets/target.ts'
import type { Targeting } from '#proxies/grammar'

const MOST_TRIES = 3

/** An open connection to a target, or to an exit that is to be sent the request itself. */
export interface WayOut {
  side: RelaySide
  exit: FeedExit
  /** Where it leaves, when that is one country. */
  country: string | null
  /** Set when the exit forwards requests: what it is shown with each, or null for nothing. */
  forwards: { authorization: string | null } | null
}

/** What a way out is looked for. */
export interface Journey {
  who: { account: bigint; pool: string }
  targeting: Targeting
  target: ChainTarget
  /** The connection is for a request to an http:// address, which some exits forward by themselves. */
  plain: boolean
  signal: Signal
}

/** Where ways out are found, and who is told about exits that fail. */
export interface Roads {
  exits: Exits
  limits: {
    /** All exits that are tried, together. */
    exitsMs: number
    /** One of them, while others wait. */
    exitMs: number
  }
  resolve: Resolve
  onTry: (exit: FeedExit) => void
  onFailure: (exit: FeedExit, fault: WayRefusal) => void
}

function noExit(code: string, sentence: string, retryAfterSeconds?: number): ProxyRefusal {
  return new ProxyRefusal({
    status: 503,
    code,
    sentence,
    error: 'destination_unavailable',
    reply: SOCKS_REPLY.failure,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

/** The more it says about what was asked, the better an answer it is. */
const TELLING: Record<WayRefusal['blame'], number> = { exit: 0, unclear: 1, unsuited: 2, target: 3 }

async function through(
  { exit, credentials, country }: Candidate,
  { target, plain, signal }: Journey,
  { resolve }: Roads,
  deadline: number,
): Promise<WayOut> {
  if (exit.kind === 'direct') {
    const socket = await dial(exit, target, signal, deadline)
    return { side: { socket, ended: false, early: Buffer.alloc(0) }, exit, country, forwards: null }
  }
  const link = { exit, credentials, resolve, signal, deadline }
  if (plain && exit.plain_http === 'forward') {
    const side = await dialForwarder(link, target)
    if (side !== null)
      return { side, exit, country, forwards: { authorization: authorizationOf(credentials) } }
  }
  return { side: await dialChained(link, target), exit, country, forwards: null }
}

/** Every exit that fits was passed over: none fits, all rest, or all are full. */
function passedOver(reasons: readonly ('full' | 'open')[]): ProxyRefusal {
  if (reasons.length === 0) return noExit('no_exit', 'no exit serves this targeting')
  return reasons.includes('full')
    ? noExit('exits_full', 'the exits that serve this targeting take no more connections at present', 1)
    : noExit('exits_down', 'the exits that serve this targeting are out of order at present', 5)
}

/**
 * Connects to the target through the best exit that can. Throws what to answer: 503 when none serves the targeting or
 * is well, else what the most telling of the failures says.
 */
export async function findWay(journey: Journey, roads: Roads): Promise<WayOut> {
  const { exits, limits, onTry, onFailure } = roads
  const deadline = performance.now() + limits.exitsMs
  const passed: ('full' | 'open')[] = []
  const unclear: { exit: FeedExit; fault: WayRefusal }[] = []
  let worst: WayRefusal | null = null
  let tries = 0
  const candidates = exits.candidates(journey.who, journey.targeting)
  for (let next = candidates.next(); next.done !== true;) {
    const candidate = next.value
    next = candidates.next()
    const leftMs = deadline - performance.now()
    if (tries === MOST_TRIES || leftMs <= 0) break
    const seat = await exits.enter(candidate.exit)
    if (typeof seat === 'string') {
      passed.push(seat)
      continue
    }
    tries++
    onTry(candidate.exit)
    const startedAt = performance.now()
    const isLast = tries === MOST_TRIES || next.done === true
    const patienceMs = isLast ? leftMs : Math.min(leftMs, limits.exitMs)
    try {
      const way = await through(candidate, journey, roads, startedAt + patienceMs)
      taken(seat, way, performance.now() - startedAt)
      // The target is well, so those that did not get there are not.
      for (const { exit, fault } of unclear) exits.health.note(exit.id, failureOf(fault))
      return way
    } catch (fault) {
      if (!(fault instanceof WayRefusal) || journey.signal.aborted) {
        seat.leave()
        throw fault
      }
      judge(seat, fault)
      if (fault.blame === 'unclear') unclear.push({ exit: candidate.exit, fault })
      if (fault.blame !== 'target') onFailure(candidate.exit, fault)
      if (worst === null || TELLING[fault.blame] > TELLING[worst.blame]) worst = fault
      if (fault.blame === 'target') break
    }
  }
  throw worst ?? passedOver(passed)
}

const failureOf = (fault: WayRefusal) => ({ what: whatOf(fault), lasting: fault.lasting })
const whatOf = ({ parts }: WayRefusal) =>
  parts.exit?.word == null ? parts.code : `${parts.code} ${parts.exit.word}`

function taken(seat: Seat, { side, forwards }: WayOut, latencyMs: number): void {
  // A forwarder has answered nothing yet; what it answers will tell.
  if (forwards === null) seat.succeeded(latencyMs)
  if (side.socket.destroyed) seat.leave()
  else side.socket.on('close', () => seat.leave())
}

function judge(seat: Seat, fault: WayRefusal): void {
  if (fault.blame === 'exit') seat.failed(whatOf(fault), fault.lasting)
  seat.leave()
}

/** Fields by which proxies sign the errors they make themselves. */
const OWN_FIELDS = new Set([
  'x-squid-error',
  'x-soax-error',
  'x-brd-err-code',
  'x-luminati-error',
  'x-thor-error-code',
])

/**
 * The answer to a request that an exit was to forward: its target's, or one it has made itself. What it says about
 * itself is no answer for the client, above all not its 407: then this throws a WayRefusal.
 */
export function judgeForwarder(exits: Exits, way: WayOut, answer: ResponseHead, askedAt: number): void {
  const { exit, forwards } = way
  if (forwards === null) return
  const isItsOwn = answer.status === 407 || answer.fields.some(({ key }) => OWN_FIELDS.has(key))
  const fault = isItsOwn && answer.status >= 400 ? judgeHead(exit, answer) : null
  if (fault === null) exits.health.note(exit.id, { latencyMs: performance.now() - askedAt })
  else if (fault.blame === 'exit') exits.health.note(exit.id, failureOf(fault))
  if (fault !== null) throw fault
}
