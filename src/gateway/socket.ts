/**
 * Sockets that read into memory of ours and never through a stream: half the cost of bulk, and no memory for who is
 * quiet. Node gives an outgoing socket such a buffer from its birth (`onread`); an accepted one only when its handle is
 * caught before a stream is made for it. That door is not documented, so `road.ts` tries it out at the start, and
 * without it sockets are ordinary ones.
 */

import { performance } from 'node:perf_hooks'
import {
  Socket,
  type OnReadOpts,
  type Server,
  type SocketConstructorOpts,
  type TcpSocketConnectOpts,
} from 'node:net'
import { bulkHolders, returnBulk, sharedBuffer, takeBulk, type Holder } from './buffers.ts'
import { ownSource, type Reader, type Source } from './source.ts'

/** What one socket may read before the others have their turn: this, shared among those that move bytes in bulk. */
const TURN_BYTES = 16 * 1024 * 1024
const LEAST_TURN_BYTES = 256 * 1024
const MOST_TURN_BYTES = 4 * 1024 * 1024
/** A read smaller than this ends a bulk flow: the shared buffer is large enough for it. */
const LEAST_BULK_READ_BYTES = 16 * 1024

const KEEP_ALIVE_SECONDS = 60

/** Of Node's handle of a TCP socket, what is used here. */
interface Handle {
  reading: boolean
  readonly fd?: number
  readStart(): number
  readStop(): number
  useUserBuffer(buffer: Buffer): void
}

interface ListeningHandle {
  setNoDelay(on: boolean): void
  setKeepAlive(on: boolean, seconds: number): void
  onconnection: (fault: number, handle: Handle | undefined) => void
}

/** What the socket whose read was handled last reads into next; Node asks for it as soon as the reader returns. */
let nextBuffer: Buffer = sharedBuffer

const onread: OnReadOpts = {
  buffer: () => nextBuffer,
  callback(this: unknown, bytes: number, buffer: Uint8Array) {
    return (this as RawSocket).took(bytes, buffer as Buffer)
  },
} as OnReadOpts

/** Those that have used up their turn, and wait for the next one. */
let rested: RawSocket[] = []

function nextTurn(): void {
  const sockets = rested
  rested = []
  for (const socket of sockets) socket.turnBegins()
}

/** Who waits for a socket to be connected; told once. */
export interface Opening {
  connected(): void
  failed(fault: NodeJS.ErrnoException): void
}

export class RawSocket extends Socket implements Source, Holder {
  reader: Reader | null = null
  opening: Opening | null = null
  fault: Error | null = null
  readAt = 0
  /** Whether its reader wants bytes. */
  #wanted = false
  #resting = false
  #turnBytes = 0
  #bulk: Buffer | null = null

  constructor(handle: Handle | null) {
    nextBuffer = sharedBuffer
    // Node reads `handle` without its being in the types: how its own server makes sockets.
    super({
      allowHalfOpen: true,
      noDelay: true,
      onread,
      pauseOnCreate: true,
      ...(handle === null ? {} : { handle }),
    } as unknown as SocketConstructorOpts)
    // Its stream never flows; else it would start the handle on its own account. An accepted one is paused by its options.
    if (handle === null) super.pause()
  }

  /** Its reader hears it first, and without listeners: six for each tunnel would be memory for each. */
  override emit(event: string | symbol, ...parts: unknown[]): boolean {
    if (event === 'connect') this.#takeOpening()?.connected()
    else if (event === 'end') this.reader?.finished()
    else if (event === 'close') {
      returnBulk(this)
      this.reader?.broke(this.fault)
    } else if (event === 'error') {
      this.fault = parts[0] as Error
      this.#takeOpening()?.failed(this.fault)
      this.reader?.broke(this.fault)
      // Nobody else needs to listen: an error that nobody hears would end the process.
      if (this.listenerCount('error') === 0) return false
    }
    return super.emit(event, ...parts)
  }

  #takeOpening(): Opening | null {
    const { opening } = this
    this.opening = null
    return opening
  }

  get [ownSource](): Source {
    return this
  }

  get socket(): Socket {
    return this
  }

  /** The file descriptor, or -1: writing to it directly is the kernel's own back-pressure. */
  get descriptor(): number {
    return this.#handle?.fd ?? -1
  }

  get #handle(): Handle | null {
    return (this as unknown as { _handle: Handle | null })._handle
  }

  start(): void {
    this.#wanted = true
    if (!this.#resting) this.#read()
  }

  stop(): void {
    this.#wanted = false
    const handle = this.#handle
    if (handle === null || !handle.reading) return
    handle.reading = false
    handle.readStop()
  }

  turnBegins(): void {
    this.#resting = false
    this.#turnBytes = 0
    if (this.#wanted) this.#read()
  }

  lost(): void {
    this.#bulk = null
    this.#handle?.useUserBuffer(sharedBuffer)
  }

  /** Bytes came; false stops the reading. */
  took(bytes: number, buffer: Buffer): boolean {
    const { reader } = this
    if (reader === null) {
      // Bytes that nobody takes would be missing in the middle of a stream.
      this.destroy(new Error('bytes came to a socket that nobody reads'))
      return false
    }
    reader.arrived(buffer, bytes, false)
    nextBuffer = this.#nextBuffer(bytes, buffer)
    if (bytes < buffer.length) this.#turnBytes = 0
    else this.#turnBytes += bytes
    if (this.#turnBytes >= turnLength()) this.#rest()
    return this.#wanted && !this.#resting
  }

  #nextBuffer(bytes: number, buffer: Buffer): Buffer {
    if (this.#bulk === null) {
      if (bytes < buffer.length || this.destroyed) return sharedBuffer
      this.#bulk = takeBulk(this)
    } else if (bytes < LEAST_BULK_READ_BYTES) {
      this.#bulk = null
      returnBulk(this)
    }
    if (this.#bulk === null) return sharedBuffer
    this.readAt = performance.now()
    return this.#bulk
  }

  #rest(): void {
    this.#resting = true
    if (rested.length === 0) setImmediate(nextTurn)
    rested.push(this)
  }

  #read(): void {
    const handle = this.#handle
    if (handle === null || handle.reading || this.connecting || this.readableEnded) return
    handle.reading = true
    const fault = handle.readStart()
    if (fault !== 0) this.destroy(new Error(`reading cannot start (${fault})`))
  }
}

function turnLength(): number {
  return Math.min(MOST_TURN_BYTES, Math.max(LEAST_TURN_BYTES, TURN_BYTES / Math.max(1, bulkHolders())))
}

/** Makes a listening server give raw sockets to `accept`; throws where Node has no such door. */
export function acceptRaw(server: Server, accept: (socket: RawSocket) => void): void {
  const { _handle: listening } = server as unknown as { _handle: ListeningHandle | null }
  const ordinary = listening?.onconnection
  if (!listening || typeof ordinary !== 'function') throw new Error('a server has no onconnection here')
  // What is accepted inherits these, without a call for each connection. A peer that vanished without a word is noticed
  // by the kernel's keep-alive; a target that did so, by the tunnel's idleness.
  listening.setNoDelay(true)
  listening.setKeepAlive(true, KEEP_ALIVE_SECONDS)
  listening.onconnection = function onConnection(this: ListeningHandle, fault, handle) {
    if (fault !== 0 || handle === undefined) {
      ordinary.call(this, fault, handle)
      return
    }
    accept(new RawSocket(handle))
  }
}

/** A raw socket on its way to a target. */
export function connectRaw(to: TcpSocketConnectOpts): RawSocket {
  const socket = new RawSocket(null)
  nextBuffer = sharedBuffer
  socket.connect(to)
  return socket
}
