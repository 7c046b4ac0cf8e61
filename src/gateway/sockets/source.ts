/** Reading a socket, whichever road its bytes come by: one reader at a time, who starts and stops it. */

import type { Socket } from 'node:net'

/** Who reads a socket at present. */
export interface Reader {
  /**
   * The first `bytes` of the buffer came. Unless `lasting`, they are good only until this returns: the buffer is
   * everybody's.
   */
  arrived(buffer: Buffer, bytes: number, lasting: boolean): void
  /** The peer's FIN, behind its last byte. */
  finished(): void
  /**
   * The socket is no more. With a fault it is told at once, while the socket still knows what it has not sent, and
   * once more when all is closed.
   */
  broke(fault: Error | null): void
}

/** A socket as it is read. */
export interface Source {
  readonly socket: Socket
  reader: Reader | null
  /** Lets bytes come. */
  start(): void
  /** No byte comes after this, until `start`. */
  stop(): void
}

/** An ordinary socket, such as one that is decrypted on the way: its bytes come as a stream. */
class StreamSource implements Source {
  readonly socket: Socket
  reader: Reader | null = null
  #fault: Error | null = null

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => this.reader?.arrived(chunk, chunk.length, true))
    socket.on('end', () => this.reader?.finished())
    socket.on('error', (fault) => {
      this.#fault = fault
      this.reader?.broke(fault)
    })
    socket.on('close', () => this.reader?.broke(this.#fault))
    socket.pause()
  }

  start(): void {
    this.socket.resume()
  }

  stop(): void {
    this.socket.pause()
  }
}

/** A socket that is its own source says so with this. */
export const ownSource: unique symbol = Symbol('own source')

const streams = new WeakMap<Socket, Source>()

/** The one source of a socket. */
export function sourceOf(socket: Socket): Source {
  if (ownSource in socket) return socket[ownSource] as Source
  let source = streams.get(socket)
  if (source === undefined) {
    source = new StreamSource(socket)
    streams.set(socket, source)
  }
  return source
}
