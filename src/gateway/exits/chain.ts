/**
 * Connecting to a target through an exit that is another proxy: to the proxy, over TLS or not, and from
 * there.
 */

import { isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FeedExit } from '#feed'
import type { CancelSignal } from '#lib/cancel-signal'
import { isPublic, parseIp, type Ip } from '#lib/ip'
import { memoized } from '#lib/memo'
import { ProxyRefusal } from '../responses/refusal.ts'
import { type HandedSocket, ReadTimeout, SocketReader, unreadSocket } from '../sockets/reader.ts'
import { ConnectError, connectTo, streamOf } from '../sockets/socket.factory.ts'
import { type AnySocket, ignoreErrors } from '../sockets/source.ts'
import { NameFault, type NameResolver } from '../targets/resolver.ts'
import { requestTunnel } from './chain.http.ts'
import { type Destination, requestAtOnce, requestSocks5 } from './chain.socks5.ts'
import type { ExitCredentials } from './choice.ts'
import { connectFailure, ExitFailure, exitFailure } from './failure.ts'
import { ORDINARY, patienceMs, ShortcutFailed, type Shortcuts, type Way } from './shortcuts.ts'

const CONNECT_MS = 5000

/** Returns the same object for the same address, so that its printed text is reused. */
const literalOf = memoized(1000, parseIp)

/** A target with judged addresses. */
export interface ChainTarget {
  /** Null: the customer named an address. */
  name: string | null
  /** Empty when the name could not be looked up here: it may only be passed to an exit that gets names. */
  ips: readonly Ip[]
  port: number
}

/**
 * The exit, and the parameters of connecting to it. All objects have these properties in this order, for
 * checks and spare connections as for customers: V8 discards its compiled code at the first object of another
 * shape or with another kind of signal.
 */
export interface ChainLink {
  exit: FeedExit
  credentials: ExitCredentials | null
  names: Pick<NameResolver, 'resolve'>
  signal: CancelSignal
  /** Monotonic milliseconds. */
  deadline: number
  /** Null: the ordinary handshake is used. */
  shortcuts: Shortcuts | null
  /** The address that the exit was asked to connect to; null: a name, or nothing yet. */
  reached: Ip | null
}

const unreachable = (word: string) =>
  exitFailure(
    'failed',
    { status: null, word },
    { code: 'exit_unreachable', sentence: 'the exit cannot be reached' },
  )

/** The addresses of an exit that has a name, looked up ahead of the customers' names. */
async function addressesOf(host: string, { names, signal, deadline }: ChainLink): Promise<readonly Ip[]> {
  try {
    const deadlineMs = Math.max(1, deadline - performance.now())
    // IPv4 first, because few proxies have IPv6.
    const { addresses } = await names.resolve(host, { account: null, families: [4, 6], signal, deadlineMs })
    return addresses
  } catch (error) {
    if (!(error instanceof NameFault)) throw error
    if (error.code === 'aborted') throw new Error('the client closed the connection', { cause: error })
    throw unreachable(error.code === 'timed_out' ? 'dns_timeout' : 'dns_error')
  }
}

/** A TCP connection to the exit. */
async function connectToExit(link: ChainLink): Promise<{ socket: AnySocket; ip: Ip }> {
  const { exit, signal, deadline } = link
  const literal = literalOf(exit.host ?? '')
  const ips = literal === null ? await addressesOf(exit.host ?? '', link) : [literal]
  let reason = 'no_address'
  for (const ip of ips) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    try {
      const timeoutMs = Math.min(leftMs, CONNECT_MS)
      const port = exit.port ?? 0
      const to = { ip, port, localAddress: null, ordinary: exit.tls, timeoutMs, signal }
      return { socket: await connectTo(to), ip }
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error
      reason = connectFailure(error.code).parts.code
    }
  }
  throw unreachable(reason)
}

/** TLS over the connection; the exit's name and its certificate's authority are verified. */
function startTls(socket: AnySocket, { exit, signal, deadline }: ChainLink): Promise<AnySocket> {
  const host = exit.host ?? ''
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket: streamOf(socket),
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(exit.tls_ca === null ? {} : { ca: exit.tls_ca }),
    })
    ignoreErrors(tls)
    const settle = (error: Error | null) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      tls.off('secureConnect', done)
      tls.off('error', failed)
      tls.off('close', closed)
      if (error === null) {
        tls.pause()
        resolve(tls)
        return
      }
      tls.destroy()
      socket.destroy()
      reject(error)
    }
    const done = () => settle(null)
    const failed = (error: NodeJS.ErrnoException) =>
      settle(unreachable(`tls.${(error.code ?? 'failed').toLowerCase()}`))
    const closed = () => settle(unreachable('tls.closed'))
    const abort = () => settle(new Error('the client closed the connection'))
    const timer = setTimeout(
      () => settle(unreachable('tls.timeout')),
      Math.max(1, deadline - performance.now()),
    )
    tls.once('secureConnect', done)
    tls.once('error', failed)
    tls.once('close', closed)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
}

/**
 * The destination to request from the exit. An exit in a private network, the operator's own, gets the judged
 * addresses: a name that it resolved again could lead into its own network. Other exits get the name, so that
 * it is resolved for their location.
 */
function destinationsFor(exit: FeedExit, ip: Ip, { name, ips, port }: ChainTarget): Destination[] {
  const isNear = !isPublic(ip)
  // An address that is allowed here as an exception means another machine in another network.
  if (!isNear && ips.some((address) => !isPublic(address)))
    throw exitFailure('forbidden', { status: null, word: 'private_target' })
  const byAddress = exit.names === 'gateway' || (exit.names === 'auto' && isNear)
  if (name !== null && !byAddress) return [{ host: name, port }]
  if (ips.length === 0) throw exitFailure('forbidden', { status: null, word: 'unknown_target' })
  // IPv4 first, because few proxies have IPv6.
  const ordered = [...ips].toSorted((one, other) => one.family - other.family).slice(0, 2)
  return ordered.map((host) => ({ host, port }))
}

/** Throws ShortcutFailed too, unless the handshake is the ordinary one. */
async function shakeHands(
  link: ChainLink,
  socket: AnySocket,
  destination: Destination | null,
  way: Way = ORDINARY,
): Promise<HandedSocket> {
  const { exit, credentials, signal, deadline, shortcuts } = link
  const isOrdinary = way.warm === null && !way.atOnce
  const answerMs = isOrdinary ? null : patienceMs(shortcuts?.latencyMs ?? null, deadline)
  const patience = { deadline, answerMs }
  const reader = new SocketReader(socket)
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort)
  try {
    if (way.atOnce && answerMs !== null && destination !== null)
      await requestAtOnce(reader, credentials, destination, { deadline, answerMs })
    else if (exit.kind === 'socks5') await requestSocks5(reader, credentials, destination, patience)
    else if (destination !== null) await requestTunnel(reader, exit, credentials, destination, patience)
    return reader.handOver()
  } catch (error) {
    reader.release()
    socket.destroy()
    if (signal.aborted) throw new Error('the client closed the connection', { cause: error })
    if (error instanceof ReadTimeout) {
      const late = { code: 'exit_or_target_timeout' } as const
      throw exitFailure('unclear', { status: null, word: 'no_answer' }, late)
    }
    if (error instanceof ProxyRefusal || error instanceof ShortcutFailed) throw error
    throw exitFailure('unclear', { status: null, word: 'connection_broken' })
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** A new connection to the exit, over TLS if it requires that. */
export async function reachExit(link: ChainLink): Promise<{ socket: AnySocket; ip: Ip }> {
  const { socket, ip } = await connectToExit(link)
  return { socket: link.exit.tls ? await startTls(socket, link) : socket, ip }
}

/** Requests one of the target's destinations; null: it cannot be reached, and another one is left. */
async function ask(
  link: ChainLink,
  target: ChainTarget,
  index: number,
  way: Way,
): Promise<HandedSocket | null> {
  const { socket, ip } = way.warm ?? (await reachExit(link))
  try {
    const destinations = destinationsFor(link.exit, ip, target)
    const destination = destinations[index]
    if (destination === undefined) throw exitFailure('target', { status: null, word: null })
    try {
      const handed = await shakeHands(link, socket, destination, way)
      link.reached = typeof destination.host === 'string' ? null : destination.host
      return handed
    } catch (error) {
      const isLast = index === destinations.length - 1
      if (isLast || !(error instanceof ExitFailure) || error.blame !== 'target') throw error
      return null
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Tries the shortest handshake first. When a shorter one fails and the ordinary one succeeds, the shorter one
 * is recorded as not supported.
 */
async function askShortly(
  link: ChainLink,
  target: ChainTarget,
  index: number,
  { warm, pipelining }: Shortcuts,
): Promise<HandedSocket | null> {
  const { id, kind } = link.exit
  const first: Way = {
    warm: index === 0 ? warm : null,
    atOnce: kind === 'socks5' && pipelining.isAccepted(id),
  }
  let way = first
  let isStaleClosed = false
  for (;;) {
    try {
      const handed = await ask(link, target, index, way)
      if (first.warm !== way.warm) first.warm?.wasStale(isStaleClosed)
      if (first.atOnce && !way.atOnce) pipelining.learn(id, false)
      return handed
    } catch (error) {
      if (!(error instanceof ShortcutFailed)) throw error
      if (way.warm !== null) isStaleClosed = !error.isLate
      way = { warm: null, atOnce: way.atOnce && way.warm !== null && error.isUnanswered }
    }
  }
}

/**
 * Opens a tunnel through the exit; the result contains the bytes that the target has already sent. Throws an
 * ExitFailure.
 */
export async function openTunnel(link: ChainLink, target: ChainTarget): Promise<HandedSocket> {
  const { shortcuts } = link
  for (let index = 0; ; index++) {
    const handed =
      shortcuts === null
        ? await ask(link, target, index, ORDINARY)
        : await askShortly(link, target, index, shortcuts)
    if (handed !== null) return handed
  }
}

/**
 * Whether a SOCKS5 exit answers a handshake in one segment, whatever it replies. Throws what connecting to it
 * throws.
 */
export async function acceptsPipelining(link: ChainLink, target: ChainTarget): Promise<boolean> {
  try {
    const handed = await ask(link, target, 0, { warm: null, atOnce: true })
    handed?.socket.destroy()
    return true
  } catch (error) {
    if (error instanceof ShortcutFailed) return false
    // Any reply is an answer; other failures say nothing about the handshake in one segment.
    if (error instanceof ExitFailure && error.blame !== 'exit') return error.parts.exit?.word !== 'no_answer'
    throw error
  }
}

/**
 * A connection to an exit that forwards requests to http:// addresses itself; null when the exit must not get
 * the target's name, so that a tunnel is required.
 */
export async function connectToForwarder(link: ChainLink, target: ChainTarget): Promise<HandedSocket | null> {
  const { socket, ip } = await reachExit(link)
  try {
    const [destination] = destinationsFor(link.exit, ip, target)
    if (target.name === null || destination?.host === target.name) return unreadSocket(socket)
  } catch (error) {
    socket.destroy()
    throw error
  }
  socket.destroy()
  return null
}

/**
 * Connects and authenticates only: shows, as far as possible, that the exit is reachable and accepts the
 * credentials.
 */
export async function greetExit(link: ChainLink): Promise<void> {
  const { socket } = await reachExit(link)
  const handed = await shakeHands(link, socket, null)
  handed.socket.destroy()
}
