/** Sockets of any kind, and reading them by callbacks: one receiver at a time, which starts and stops it. */

import type { Socket } from 'node:net'

/** The part of `net.Socket` that the gateway uses, of a raw socket, an ordinary one, or one over TLS. */
export interface AnySocket {
  readonly destroyed: boolean
  readonly errored: Error | null
  readonly writable: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  /** Written bytes that wait for the kernel. */
  readonly writableLength: number
  readonly readableEnded: boolean
  write(bytes: Uint8Array, callback?: (error?: Error | null) => void): boolean
  end(): unknown
  destroy(error?: Error): unknown
  destroySoon(): void
  resetAndDestroy(): unknown
  on(event: 'close' | 'error', listener: () => void): unknown
}

/** The receiver of a socket's bytes. */
export interface Receiver {
  /**
   * The first `bytes` of the buffer were read. Unless `stable`, they are valid only until this returns: the
   * buffer is shared by all sockets.
   */
  received(buffer: Buffer, bytes: number, stable: boolean): void
  /** The peer's FIN, after its last byte. */
  ended(): void
  /**
   * The socket is closed. After an error this is called at once, while the number of unsent bytes can still
   * be read, and once more when the socket is closed.
   */
  closed(error: Error | null): void
}

/** A socket's readable side. */
export interface ByteSource {
  readonly socket: AnySocket
  receiver: Receiver | null
  start(): void
  /** No byte is received after this, until `start`. */
  stop(): void
}

/** Reads an ordinary socket, such as one over TLS, as a stream. */
class StreamSource implements ByteSource {
  readonly socket: Socket
  receiver: Receiver | null = null
  #error: Error | null = null

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => this.receiver?.received(chunk, chunk.length, true))
    socket.on('end', () => this.receiver?.ended())
    socket.on('error', (error) => {
      this.#error = error
      this.receiver?.closed(error)
    })
    socket.on('close', () => this.receiver?.closed(this.#error))
    socket.pause()
  }

  start(): void {
    this.socket.resume()
  }

  stop(): void {
    this.socket.pause()
  }
}

/** A socket that is its own source has this property. */
export const ownSource: unique symbol = Symbol('own source')

const streamSources = new WeakMap<AnySocket, ByteSource>()

/** The one source of a socket. */
export function sourceOf(socket: AnySocket): ByteSource {
  if (ownSource in socket) return socket[ownSource] as ByteSource
  let source = streamSources.get(socket)
  if (source === undefined) {
    source = new StreamSource(socket as Socket)
    streamSources.set(socket, source)
  }
  return source
}

const ignore = () => undefined

/** Keeps an error of the socket from ending the process; the user of the socket gets 'close'. */
export function ignoreErrors(socket: AnySocket): void {
  // A raw socket handles its errors itself.
  if (!(ownSource in socket)) socket.on('error', ignore)
}

/** Called once with the outcome of the connection attempt. */
export interface ConnectListener {
  connected(): void
  failed(error: NodeJS.ErrnoException): void
}
