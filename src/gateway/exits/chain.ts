/** Connecting to a target through an exit that is another proxy: to it, over TLS or not, and on from there. */

import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isPublic, parseIp, type Ip } from '#lib/ip'
import { askConnect } from './chain.http.ts'
import { askSocks, type Credentials, type Destination } from './chain.socks5.ts'
import { connectOnce, ignoreErrors } from './dial.ts'
import { wayRefusal, WayRefusal } from './failure.ts'
import type { FeedExit } from '#feed'
import { Inlet, InletTimeout } from '../sockets/reader.ts'
import { ProxyRefusal } from '../responses/refusal.ts'
import type { RelaySide } from '../relay.ts'
import type { Signal } from '../sockets/cancel.signal.ts'
import type { Resolve } from '../targets/target.ts'

const CONNECT_MS = 5000

/** A target whose addresses were judged here. */
export interface ChainTarget {
  /** Null: the customer named an address. */
  name: string | null
  ips: readonly Ip[]
  port: number
}

/** The exit and how to speak to it. */
export interface ChainLink {
  exit: FeedExit
  credentials: Credentials | null
  resolve: Resolve
  signal: Signal
  /** Monotonic milliseconds. */
  deadline: number
}

const down = (word: string) =>
  wayRefusal(
    'failed',
    { status: null, word },
    { code: 'exit_unreachable', sentence: 'the exit cannot be reached' },
  )

/** Addresses of exits by their names: operators' proxies are few and do not move often. */
const known = new Map<string, { ips: Ip[]; until: number }>()
const KNOWN_MS = 30_000

async function addressesOf(host: string, resolve: Resolve): Promise<Ip[]> {
  const literal = parseIp(host)
  if (literal !== null) return [literal]
  const found = known.get(host)
  if (found !== undefined && performance.now() < found.until) return found.ips
  try {
    const ips = (await resolve(host))
      .map((text) => parseIp(text.replace(/%.*$/, '')))
      .filter((ip) => ip !== null)
    known.set(host, { ips, until: performance.now() + KNOWN_MS })
    return ips
  } catch {
    // An address that was right a while ago is better than none.
    if (found !== undefined) return found.ips
    throw down('dns_error')
  }
}

/** A connection to the exit itself. */
async function reach({ exit, resolve, signal, deadline }: ChainLink): Promise<{ socket: Socket; ip: Ip }> {
  const ips = await addressesOf(exit.host ?? '', resolve)
  let fault: WayRefusal = down('no_address')
  for (const ip of ips) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    try {
      const timeoutMs = Math.min(leftMs, CONNECT_MS)
      const to = { ip, port: exit.port ?? 0, localAddress: null, ordinary: exit.tls }
      const socket = await connectOnce({ ...to, timeoutMs, signal })
      return { socket, ip }
    } catch (error) {
      if (!(error instanceof ProxyRefusal)) throw error
      fault = down(error.parts.code)
    }
  }
  throw fault
}

/** TLS over the connection, with the exit's name and authority checked. */
function wrap(socket: Socket, { exit, signal, deadline }: ChainLink): Promise<Socket> {
  const host = exit.host ?? ''
  return new Promise((resolve, reject) => {
    const tls = connectTls({
      socket,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ...(exit.tls_ca === null ? {} : { ca: exit.tls_ca }),
    })
    ignoreErrors(tls)
    const settle = (fault: Error | null) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      tls.off('secureConnect', done)
      tls.off('error', failed)
      tls.off('close', closed)
      if (fault === null) {
        tls.pause()
        resolve(tls)
        return
      }
      tls.destroy()
      socket.destroy()
      reject(fault)
    }
    const done = () => settle(null)
    const failed = (fault: NodeJS.ErrnoException) =>
      settle(down(`tls.${(fault.code ?? 'failed').toLowerCase()}`))
    const closed = () => settle(down('tls.closed'))
    const abort = () => settle(new Error('the client went away'))
    const timer = setTimeout(() => settle(down('tls.timeout')), Math.max(1, deadline - performance.now()))
    tls.once('secureConnect', done)
    tls.once('error', failed)
    tls.once('close', closed)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
  })
}

/**
 * What the exit is told to connect to. An exit in a private network, the operator's own, gets the addresses that were
 * judged: a name that it would look up once more could turn into one of its own network's. Others get the name, so
 * that the answer is the one for where they are.
 */
function destinationsFor(exit: FeedExit, ip: Ip, { name, ips, port }: ChainTarget): Destination[] {
  const near = !isPublic(ip)
  // An exception for an address of ours means another machine when it is said to a stranger.
  if (!near && ips.some((address) => !isPublic(address)))
    throw wayRefusal('forbidden', { status: null, word: 'private_target' })
  const byAddress = exit.names === 'gateway' || (exit.names === 'auto' && near)
  if (name !== null && !byAddress) return [{ host: name, port }]
  // Few proxies leave over IPv6.
  const ordered = [...ips].toSorted((one, other) => one.family - other.family).slice(0, 2)
  return ordered.map((host) => ({ host, port }))
}

async function shake(link: ChainLink, socket: Socket, destination: Destination | null): Promise<RelaySide> {
  const { exit, credentials, signal, deadline } = link
  const inlet = new Inlet(socket)
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort)
  try {
    if (exit.kind === 'socks5') await askSocks(inlet, credentials, destination, deadline)
    else if (destination !== null) await askConnect(inlet, exit, credentials, destination, deadline)
    const { ended } = inlet
    return { socket, ended, early: inlet.release() }
  } catch (fault) {
    inlet.release()
    socket.destroy()
    if (signal.aborted) throw new Error('the client went away', { cause: fault })
    if (fault instanceof InletTimeout) {
      const late = { status: 504, error: 'connection_timeout', code: 'exit_or_target_timeout' } as const
      throw wayRefusal('unclear', { status: null, word: 'no_answer' }, late)
    }
    if (fault instanceof ProxyRefusal) throw fault
    // Like a proxy that closes in place of an answer.
    throw wayRefusal('unclear', { status: null, word: 'connection_broken' })
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function linked(link: ChainLink): Promise<{ socket: Socket; ip: Ip }> {
  const { socket, ip } = await reach(link)
  return { socket: link.exit.tls ? await wrap(socket, link) : socket, ip }
}

/** Opens a tunnel through the exit; gives a paused socket with what the target has said already. Throws a WayRefusal. */
export async function dialChained(link: ChainLink, target: ChainTarget): Promise<RelaySide> {
  for (let index = 0; ; index++) {
    const { socket, ip } = await linked(link)
    try {
      const destinations = destinationsFor(link.exit, ip, target)
      const destination = destinations[index]
      if (destination === undefined) throw wayRefusal('target', { status: null, word: null })
      const isLast = index === destinations.length - 1
      try {
        return await shake(link, socket, destination)
      } catch (fault) {
        if (isLast || !(fault instanceof WayRefusal) || fault.blame !== 'target') throw fault
      }
    } catch (fault) {
      socket.destroy()
      throw fault
    }
  }
}

/**
 * A connection to an exit that forwards http:// requests by itself, or null when it must not be told the target's name:
 * then it is asked for a tunnel like any other.
 */
export async function dialForwarder(link: ChainLink, target: ChainTarget): Promise<RelaySide | null> {
  const { socket, ip } = await linked(link)
  try {
    const [destination] = destinationsFor(link.exit, ip, target)
    if (target.name === null || destination?.host === target.name)
      return { socket, ended: false, early: Buffer.alloc(0) }
  } catch (fault) {
    socket.destroy()
    throw fault
  }
  socket.destroy()
  return null
}

/** Only the handshake: whether the exit is there and takes the credentials, as far as it can be asked. */
export async function greetExit(link: ChainLink): Promise<void> {
  const { socket } = await linked(link)
  const side = await shake(link, socket, null)
  side.socket.destroy()
}
