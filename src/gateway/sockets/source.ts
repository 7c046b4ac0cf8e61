/** Reading a socket of any kind by callbacks: one receiver at a time, which starts and stops it. */

import type { Socket } from 'node:net'

/** The receiver of a socket's bytes. */
export interface Receiver {
  /**
   * The first `bytes` of the buffer were read. Unless `stable`, they are valid only until this returns: the buffer is
   * shared by all sockets.
   */
  received(buffer: Buffer, bytes: number, stable: boolean): void
  /** The peer's FIN, after its last byte. */
  ended(): void
  /**
   * The socket is closed. After an error this is called at once, while the number of unsent bytes can still be read,
   * and once more when the socket is closed.
   */
  closed(error: Error | null): void
}

/** A socket's readable side. */
export interface ByteSource {
  readonly socket: Socket
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

const streamSources = new WeakMap<Socket, ByteSource>()

/** The one source of a socket. */
export function sourceOf(socket: Socket): ByteSource {
  if (ownSource in socket) return socket[ownSource] as ByteSource
  let source = streamSources.get(socket)
  if (source === undefined) {
    source = new StreamSource(socket)
    streamSources.set(socket, source)
  }
  return source
}

const ignore = () => undefined

/** Keeps an error of the socket from ending the process; the user of the socket gets 'close'. */
export function ignoreErrors(socket: Socket): void {
  // A raw socket handles its errors itself.
  if (!(ownSource in socket)) socket.on('error', ignore)
}
