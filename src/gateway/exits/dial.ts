/** Connecting to a target through an exit. */

import type { Socket } from 'node:net'
import { formatIp, parseIp, type Ip } from '#lib/ip'
import type { FeedExit } from '#feed'
import { drop, type Due, expect, type Waiting } from '../sockets/deadline.ts'
import { WayRefusal } from './failure.ts'
import { SOCKS_REPLY } from '../responses/refusal.ts'
import { openSocket } from '../sockets/socket.factory.ts'
import type { Signal } from '../sockets/cancel.signal.ts'
import { type Opening, RawSocket } from '../sockets/raw.socket.ts'
import { ownSource } from '../sockets/source.ts'

/** While other addresses of the target wait, one may take this long. */
const ONE_OF_SEVERAL_MS = 3000
const ALL_MS = 15_000

/** A target as it is dialled: judged addresses, tried in order. */
export interface DialTarget {
  ips: readonly Ip[]
  port: number
}

const UNREACHABLE = new Set([
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
])

function refusalFor(code: string): WayRefusal {
  if (code === 'ECONNREFUSED') {
    return new WayRefusal(
      {
        status: 502,
        code: 'connection_refused',
        sentence: 'the target refused the connection',
        error: 'connection_refused',
        reply: SOCKS_REPLY.refused,
      },
      'target',
    )
  }
  if (code === 'ETIMEDOUT') {
    return new WayRefusal(
      {
        status: 504,
        code: 'connection_timeout',
        sentence: 'the target did not answer in time',
        error: 'connection_timeout',
        reply: SOCKS_REPLY.hostUnreachable,
      },
      'target',
    )
  }
  const unreachable = UNREACHABLE.has(code)
  return new WayRefusal(
    {
      status: 502,
      code: unreachable ? 'target_unreachable' : 'connection_failed',
      sentence: unreachable
        ? 'the target cannot be reached from this exit'
        : 'the connection to the target failed',
      error: unreachable ? 'destination_ip_unroutable' : 'connection_terminated',
      reply: code === 'ENETUNREACH' ? SOCKS_REPLY.networkUnreachable : SOCKS_REPLY.hostUnreachable,
    },
    // An address to leave from that this machine does not have is the exit's own failure.
    code === 'EADDRNOTAVAIL' ? 'exit' : unreachable ? 'unsuited' : 'target',
  )
}

/** Errors of a socket are always heard by whoever uses it through 'close'; this keeps them from ending the process. */
const nothing = () => undefined

export function ignoreErrors(socket: Socket): void {
  // Our own sockets listen themselves.
  if (!(ownSource in socket)) socket.on('error', nothing)
}

interface DialOptions {
  ip: Ip
  port: number
  localAddress: string | null
  timeoutMs: number
  signal: Signal
  /** TLS is going to be spoken over it. */
  ordinary?: boolean
}

/** Addresses as texts, for as long as their targets are remembered. */
const texts = new WeakMap<Ip, string>()

function textOf(ip: Ip): string {
  let text = texts.get(ip)
  if (text === undefined) texts.set(ip, (text = formatIp(ip)))
  return text
}

/** One attempt to connect, with all that may end it. */
class Attempt implements Waiting, Opening {
  place = -1
  readonly #socket: Socket
  readonly #signal: Signal
  readonly #due: Due
  readonly #settled: { resolve: (socket: Socket) => void; reject: (fault: Error) => void }
  readonly #abort = () => this.#settle(new Error('the client went away'))
  #over = false

  constructor(
    { ip, port, localAddress, timeoutMs, signal, ordinary = false }: DialOptions,
    settled: { resolve: (socket: Socket) => void; reject: (fault: Error) => void },
  ) {
    this.#settled = settled
    this.#signal = signal
    this.#socket = openSocket({ host: textOf(ip), port, localAddress, ordinary })
    this.#due = expect(this, timeoutMs)
    ignoreErrors(this.#socket)
    if (this.#socket instanceof RawSocket) this.#socket.opening = this
    else {
      this.#socket.on('connect', () => this.connected())
      this.#socket.on('error', (fault) => this.failed(fault))
    }
    signal.addEventListener('abort', this.#abort)
    if (signal.aborted) this.#abort()
  }

  connected(): void {
    this.#settle(null)
  }

  failed(fault: NodeJS.ErrnoException): void {
    this.#settle(refusalFor(fault.code ?? ''))
  }

  late(): void {
    this.#settle(refusalFor('ETIMEDOUT'))
  }

  #settle(fault: Error | null): void {
    if (this.#over) return
    this.#over = true
    drop(this, this.#due)
    this.#signal.removeEventListener('abort', this.#abort)
    if (fault === null) {
      this.#settled.resolve(this.#socket)
      return
    }
    this.#socket.destroy()
    this.#settled.reject(fault)
  }
}

/** A connection to one address: paused, nothing sent. Throws a WayRefusal as for a target, or that the client left. */
export function connectOnce(options: DialOptions): Promise<Socket> {
  return new Promise((resolve, reject) => void new Attempt(options, { resolve, reject }))
}

/**
 * Connects to the target through the exit, until `until` (monotonic milliseconds) at the latest; gives a paused socket
 * that has sent nothing. Throws what to answer: 502 refused or unreachable, 504 too slow.
 */
export async function dial(
  exit: FeedExit,
  target: DialTarget,
  signal: Signal,
  until: number,
): Promise<Socket> {
  const localIp = exit.bind_address === null ? null : parseIp(exit.bind_address)
  const ips = target.ips.filter((ip) => localIp === null || ip.family === localIp.family)
  const deadline = Math.min(performance.now() + ALL_MS, until)
  let refusal: WayRefusal | null = null
  for (const [index, ip] of ips.entries()) {
    const leftMs = deadline - performance.now()
    if (leftMs <= 0) break
    const last = index === ips.length - 1
    try {
      return await connectOnce({
        ip,
        port: target.port,
        localAddress: exit.bind_address,
        timeoutMs: last ? leftMs : Math.min(leftMs, ONE_OF_SEVERAL_MS),
        signal,
      })
    } catch (fault) {
      if (!(fault instanceof WayRefusal)) throw fault
      refusal = fault
    }
  }
  throw refusal ?? refusalFor(ips.length === 0 ? 'EAFNOSUPPORT' : 'ETIMEDOUT')
}
