/** Connecting to a target directly, from the exit's own address. */

import type { FeedExit } from '#feed'
import type { CancelSignal } from '#lib/cancel-signal'
import { isLoopback, parseIp, type Ip } from '#lib/ip'
import { raceTo, type Way } from '../sockets/connect.race.ts'
import { ConnectError, connectTo, ownEndOf, peerOf } from '../sockets/socket.factory.ts'
import type { AnySocket } from '../sockets/source.ts'
import { connectFailure } from './failure.ts'

const ALL_MS = 15_000
/**
 * The maximum number of a target's addresses that are tried, since the attempts of one connection are
 * concurrent.
 */
const MOST_ADDRESSES = 8

/** Judged addresses, tried in order. */
export interface DialTarget {
  ips: readonly Ip[]
  port: number
  /** The local address for connections to IPv4 loopback, in place of the exit's. */
  loopbackSource?: string | null
}

/** The ends of a connection to a target, as far as they are known here. */
export interface ConnectionEnds {
  /** The address of the target that was connected to. */
  target: Ip | null
  /** The exit's own address on the connection. */
  sourceAddress: string | null
  sourcePort: number | null
}

/** The ends of a connection that a proxy made: the proxy does not report its own address and port. */
export const farEnds = (target: Ip | null): ConnectionEnds => ({
  target,
  sourceAddress: null,
  sourcePort: null,
})

function sourceOf(socket: AnySocket): Pick<ConnectionEnds, 'sourceAddress' | 'sourcePort'> {
  const { address = null, port = null } = ownEndOf(socket)
  return { sourceAddress: address, sourcePort: port }
}

function waysFrom(exit: FeedExit, { ips, loopbackSource = null }: DialTarget): Way[] {
  const localAddress = exit.bind_address
  const localIp = localAddress === null ? null : parseIp(localAddress)
  const ways: Way[] = []
  for (const ip of ips) {
    if (loopbackSource !== null && ip.family === 4 && isLoopback(ip))
      ways.push({ ip, localAddress: loopbackSource })
    else if (localIp === null || localIp.family === ip.family) ways.push({ ip, localAddress })
  }
  return ways
}

/**
 * Connects to the target, until `until` (monotonic milliseconds) at the latest; returns what `connected`
 * makes of the paused socket and the ends of the connection. Of several addresses the first one to accept is
 * used. Rejects with an ExitFailure: 502 refused or unreachable, 504 timed out.
 */
export function dial<T>(
  exit: FeedExit,
  target: DialTarget,
  signal: CancelSignal,
  until: number,
  connected: (socket: AnySocket, ends: ConnectionEnds) => T,
): Promise<T> {
  const ways = waysFrom(exit, target)
  const deadline = Math.min(performance.now() + ALL_MS, until)
  const { port } = target
  const [first, second] = ways
  if (first === undefined) return Promise.reject(connectFailure('EAFNOSUPPORT'))
  if (second !== undefined)
    return raceTo(ways.slice(0, MOST_ADDRESSES), { port, signal, deadline }).then(
      (socket) => connected(socket, { target: parseIp(peerOf(socket).address ?? ''), ...sourceOf(socket) }),
      throwFailure,
    )
  const { ip, localAddress } = first
  const timeoutMs = Math.max(1, deadline - performance.now())
  const made = (socket: AnySocket) => connected(socket, { target: ip, ...sourceOf(socket) })
  return connectTo({ ip, port, localAddress, timeoutMs, signal }, made, failureOf)
}

/**
 * Of several failures, one of the target itself is more significant than an address that is unreachable from
 * here.
 */
function throwFailure(error: Error): never {
  if (!(error instanceof AggregateError)) throw failureOf(error)
  const failures = error.errors.map((one: ConnectError) => connectFailure(one.code))
  throw failures.find(({ blame }) => blame === 'target') ?? failures.at(-1) ?? error
}

function failureOf(error: Error): Error {
  return error instanceof ConnectError ? connectFailure(error.code) : error
}
