/** Connecting to a target through an exit that is another proxy: to the proxy, over TLS or not, and from there. */

import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FeedExit } from '#feed'
import type { CancelSignal } from '#lib/cancel-signal'
import { isPublic, parseIp, type Ip } from '#lib/ip'
import { ProxyRefusal } from '../responses/refusal.ts'
import { type HandedSocket, ReadTimeout, SocketReader, unreadSocket } from '../sockets/reader.ts'
import { ConnectError, connectTo } from '../sockets/socket.factory.ts'
import { ignoreErrors } from '../sockets/source.ts'
import { NameFault, type NameResolver } from '../targets/resolver.ts'
import { requestTunnel } from './chain.http.ts'
import { type Destination, requestSocks5 } from './chain.socks5.ts'
import type { ExitCredentials } from './choice.ts'
import { connectFailure, ExitFailure, exitFailure } from './failure.ts'

const CONNECT_MS = 5000

/** A target with judged addresses. */
export interface ChainTarget {
  /** Null: the customer named an address. */
  name: string | null
  /** Empty when the name could not be looked up here: only an exit that gets names may have it. */
  ips: readonly Ip[]
  port: number
}

/** The exit, and what connecting to it needs. */
export interface ChainLink {
  exit: FeedExit
  credentials: ExitCredentials | null
  names: Pick<NameResolver, 'resolve'>
  signal: CancelSignal
  /** Monotonic milliseconds. */
  deadline: number
}

const unreachable = (word: string) =>
  exitFailure(
    'failed',
    { status: null, word },
    { code: 'exit_unreachable', sentence: 'the exit cannot be reached' },
  )

/** The addresses of the exit, looked up ahead of the customers' names. */
async function addressesOf({ exit, names, signal, deadline }: ChainLink): Promise<readonly Ip[]> {
  const host = exit.host ?? ''
  const literal = parseIp(host)
  if (literal !== null) return [literal]
  try {
    const deadlineMs = Math.max(1, deadline - performance.now())
    // Few proxies have IPv6.
    const { addresses } = await names.resolve(host, { account: null, families: [4, 6], signal, deadlineMs })
    return addresses
  } catch (error) {
    if (!(error instanceof NameFault)) throw error
    if (error.code === 'aborted') throw new Error('the client closed the connection', { cause: error })
    throw unreachable(error.code === 'timed_out' ? 'dns_timeout' : 'dns_error')
  }
}

/** A TCP connection to the exit. */
async function connectToExit(link: ChainLink): Promise<{ socket: Socket; ip: Ip }> {
  const { exit, signal, deadline } = link
  const ips = await addressesOf(link)
  let failure: ExitFailure = unreachable('no_address')
  for (const ip of ips) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    try {
      const timeoutMs = Math.min(leftMs, CONNECT_MS)
      const to = { ip, port: exit.port ?? 0, localAddress: null, ordinary: exit.tls }
      return { socket: await connectTo({ ...to, timeoutMs, signal }), ip }
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error
      failure = unreachable(connectFailure(error.code).parts.code)
    }
  }
  throw failure
}

/** TLS over the connection; the exit's name and its certificate's authority are verified. */
function startTls(socket: Socket, { exit, signal, deadline }: ChainLink): Promise<Socket> {
  const host = exit.host ?? ''
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket,
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
 * What the exit is asked to connect to. An exit in a private network, the operator's own, gets the judged addresses: a
 * name that it resolved again could lead into its own network. Other exits get the name, so that the target's address is
 * the one for where they are.
 */
function destinationsFor(exit: FeedExit, ip: Ip, { name, ips, port }: ChainTarget): Destination[] {
  const isNear = !isPublic(ip)
  // An address that is allowed here as an exception means another machine in another network.
  if (!isNear && ips.some((address) => !isPublic(address)))
    throw exitFailure('forbidden', { status: null, word: 'private_target' })
  const byAddress = exit.names === 'gateway' || (exit.names === 'auto' && isNear)
  if (name !== null && !byAddress) return [{ host: name, port }]
  if (ips.length === 0) throw exitFailure('forbidden', { status: null, word: 'unknown_target' })
  // Few proxies have IPv6.
  const ordered = [...ips].toSorted((one, other) => one.family - other.family).slice(0, 2)
  return ordered.map((host) => ({ host, port }))
}

async function shakeHands(
  link: ChainLink,
  socket: Socket,
  destination: Destination | null,
): Promise<HandedSocket> {
  const { exit, credentials, signal, deadline } = link
  const reader = new SocketReader(socket)
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort)
  try {
    if (exit.kind === 'socks5') await requestSocks5(reader, credentials, destination, deadline)
    else if (destination !== null) await requestTunnel(reader, exit, credentials, destination, deadline)
    return reader.handOver()
  } catch (error) {
    reader.release()
    socket.destroy()
    if (signal.aborted) throw new Error('the client closed the connection', { cause: error })
    if (error instanceof ReadTimeout) {
      const late = { status: 504, error: 'connection_timeout', code: 'exit_or_target_timeout' } as const
      throw exitFailure('unclear', { status: null, word: 'no_answer' }, late)
    }
    if (error instanceof ProxyRefusal) throw error
    throw exitFailure('unclear', { status: null, word: 'connection_broken' })
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function reachExit(link: ChainLink): Promise<{ socket: Socket; ip: Ip }> {
  const { socket, ip } = await connectToExit(link)
  return { socket: link.exit.tls ? await startTls(socket, link) : socket, ip }
}

/** Opens a tunnel through the exit; the socket comes with what the target has sent already. Throws an ExitFailure. */
export async function openTunnel(link: ChainLink, target: ChainTarget): Promise<HandedSocket> {
  for (let index = 0; ; index++) {
    const { socket, ip } = await reachExit(link)
    try {
      const destinations = destinationsFor(link.exit, ip, target)
      const destination = destinations[index]
      if (destination === undefined) throw exitFailure('target', { status: null, word: null })
      const isLast = index === destinations.length - 1
      try {
        return await shakeHands(link, socket, destination)
      } catch (error) {
        if (isLast || !(error instanceof ExitFailure) || error.blame !== 'target') throw error
      }
    } catch (error) {
      socket.destroy()
      throw error
    }
  }
}

/**
 * A connection to an exit that forwards requests to http:// addresses itself; null when the exit must not get the
 * target's name, so that it has to be asked for a tunnel.
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

/** Connects and authenticates only: shows that the exit is there and accepts the credentials, as far as it can. */
export async function greetExit(link: ChainLink): Promise<void> {
  const { socket } = await reachExit(link)
  const handed = await shakeHands(link, socket, null)
  handed.socket.destroy()
}
