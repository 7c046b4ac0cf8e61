/**
 * Makes the sockets of this process: listening servers, and connections to addresses. They are raw sockets
 * (`raw.socket.ts`), or ordinary ones where the trial at the start fails.
 */

import { connect, createServer, type Server, type Socket } from 'node:net'
import type { CancelSignal } from '#lib/cancel-signal'
import { formatIp, type Ip } from '#lib/ip'
import { socketsInBulk } from './bulk.ts'
import { clearDeadline, type DeadlineTick, type Expiring, setDeadline } from './deadline.ts'
import { acceptRaw } from './raw.server.ts'
import { connectRaw, RawSocket } from './raw.socket.ts'
import { rawSocketsWork } from './raw.trial.ts'
import type { AnySocket, ConnectListener } from './source.ts'
import { bindSocket, type BoundHandle, type Handle } from './tcp.handle.ts'

export type SocketKind = 'raw' | 'stream'

export { bindSocket, type BoundHandle, type Handle as AcceptedHandle, socketsInBulk }

/** The kernel's keep-alive notices a peer that vanished. */
const SOCKET_OPTIONS = { allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }

let trial: Promise<boolean> | null = null

/** Whether this Node.js has all that raw sockets and `bindSocket` need; tried once in a process. */
export const areRawSocketsUsable = (): Promise<boolean> => (trial ??= rawSocketsWork())

let kind: SocketKind = 'stream'

/**
 * Chooses the kind of all sockets of this process, by the trial unless it is given. Called before any socket
 * is made.
 */
export async function chooseSocketKind(given?: SocketKind): Promise<SocketKind> {
  kind = given ?? ((await areRawSocketsUsable()) ? 'raw' : 'stream')
  return kind
}

/**
 * A server that passes its connections to `accept`, paused. `onListening` is called when it listens. `divert`
 * may take the handle of a raw socket before, and `socketOf` makes a socket of it, here or in another
 * process.
 */
export function createSocketServer(
  accept: (socket: AnySocket) => void,
  divert?: (handle: Handle) => boolean,
): {
  server: Server
  onListening: () => void
} {
  const server = createServer({ ...SOCKET_OPTIONS, pauseOnConnect: true }, accept)
  return {
    server,
    onListening: () => {
      if (kind === 'raw') acceptRaw(server, accept, divert)
    },
  }
}

/** The socket of an accepted connection, paused. */
export const socketOf = (handle: Handle): AnySocket => new RawSocket(handle)

/**
 * A stream over the connection of a socket, which is used by it alone from then on: TLS and HTTP clients need
 * one.
 */
export function streamOf(socket: AnySocket): Socket {
  return socket instanceof RawSocket ? socket.toStream() : (socket as Socket)
}

/** The address and port of the other end; neither when it has disconnected. */
export function peerOf(socket: AnySocket): { address?: string | undefined; port?: number | undefined } {
  if (socket instanceof RawSocket) return socket.peer
  const { remoteAddress: address, remotePort: port } = socket as Socket
  return { address, port }
}

/** The address and port of this end; neither when it has disconnected. */
export function ownEndOf(socket: AnySocket): { address?: string | undefined; port?: number | undefined } {
  if (socket instanceof RawSocket) return socket.own
  const { localAddress: address, localPort: port } = socket as Socket
  return { address, port }
}

export interface ConnectOptions {
  ip: Ip
  port: number
  localAddress: string | null
  timeoutMs: number
  signal: CancelSignal
  /** For TLS, which reads the socket as a stream. */
  ordinary?: boolean
}

/** A connection could not be made; `code` is the system's, ETIMEDOUT after `timeoutMs`. */
export class ConnectError extends Error {
  readonly code: string
  constructor(code: string) {
    super(`the connection failed: ${code}`)
    this.code = code
  }
}

/** Addresses as texts, kept as long as the targets they belong to. */
const texts = new WeakMap<Ip, string>()

function textOf(ip: Ip): string {
  let text = texts.get(ip)
  if (text === undefined) texts.set(ip, (text = formatIp(ip)))
  return text
}

interface Settled {
  connected: (socket: AnySocket) => void
  failed: (error: Error) => void
}

/** One attempt to connect, with everything that may end it. */
class ConnectAttempt implements Expiring, ConnectListener {
  index = -1
  readonly #socket: AnySocket
  readonly #signal: CancelSignal
  readonly #deadline: DeadlineTick
  readonly #settled: Settled
  readonly #abort = () => this.#settle(new Error('the client closed the connection'))
  #isOver = false

  constructor(
    { ip, port, localAddress, timeoutMs, signal, ordinary = false }: ConnectOptions,
    settled: Settled,
  ) {
    this.#settled = settled
    this.#signal = signal
    const host = textOf(ip)
    const to = localAddress === null ? { host, port } : { host, port, localAddress }
    this.#deadline = setDeadline(this, timeoutMs)
    if (kind === 'raw' && !ordinary) {
      const socket = connectRaw({ ...to, family: ip.family })
      socket.connectListener = this
      this.#socket = socket
    } else {
      const socket = connect({ ...SOCKET_OPTIONS, ...to })
      socket.on('connect', () => this.connected())
      socket.on('error', (error) => this.failed(error))
      this.#socket = socket
    }
    signal.addEventListener('abort', this.#abort)
    if (signal.aborted) this.#abort()
  }

  connected(): void {
    this.#settle(null)
  }

  failed(error: NodeJS.ErrnoException): void {
    this.#settle(new ConnectError(error.code ?? ''))
  }

  expired(): void {
    this.#settle(new ConnectError('ETIMEDOUT'))
  }

  #settle(error: Error | null): void {
    if (this.#isOver) return
    this.#isOver = true
    clearDeadline(this, this.#deadline)
    this.#signal.removeEventListener('abort', this.#abort)
    if (error === null) {
      this.#settled.connected(this.#socket)
      return
    }
    this.#socket.destroy()
    this.#settled.failed(error)
  }
}

/**
 * A connection to one address: paused, half-open when one side ends, without delay. Rejects with
 * ConnectError, and with an ordinary error when the signal aborts.
 */
export function connectTo(options: ConnectOptions): Promise<AnySocket>
/**
 * Resolves with what `made` makes of the socket, and rejects with what `failed` makes of the error: one
 * promise in place of two.
 */
export function connectTo<T>(
  options: ConnectOptions,
  made: (socket: AnySocket) => T,
  failed: (error: Error) => Error,
): Promise<T>
export function connectTo(
  options: ConnectOptions,
  made: (socket: AnySocket) => unknown = (socket) => socket,
  failed: (error: Error) => Error = (error) => error,
): Promise<unknown> {
  return new Promise(
    (resolve, reject) =>
      void new ConnectAttempt(options, {
        connected: (socket) => resolve(made(socket)),
        failed: (error) => reject(failed(error)),
      }),
  )
}
