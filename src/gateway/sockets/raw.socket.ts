/**
 * Sockets that read into shared memory and never through a stream: bulk transfer at half the cost, and no memory for idle
 * connections. Node gives an outgoing socket such a buffer when it is made (`onread`); an accepted one only when its
 * handle is taken before a stream is made for it. That interface is not documented, so `socket.factory.ts` tries it at the
 * start and falls back to ordinary sockets.
 */

import {
  Socket,
  type OnReadOpts,
  type Server,
  type SocketConstructorOpts,
  type TcpSocketConnectOpts,
} from 'node:net'
import { ownSource, type ByteSource, type Receiver } from './source.ts'

/** The number of bytes that all sockets in bulk transfer together may read per turn of the event loop. */
const TURN_BYTES = 16 * 1024 * 1024
const LEAST_TURN_BYTES = 256 * 1024
const MOST_TURN_BYTES = 4 * 1024 * 1024
/** A socket that filled the buffer is in bulk transfer, until a read that is smaller than this. */
const LEAST_BULK_READ_BYTES = 16 * 1024

/**
 * All sockets read into this buffer: the bytes are written to the other side, or copied, before the next read. A few
 * large reads cost the kernel much less than many small ones, and memory that is always the same stays in the
 * processor's cache.
 */
const LARGE_BUFFER = Buffer.allocUnsafeSlow(2 * 1024 * 1024)
/**
 * The part used for most reads: bytes that the other side does not accept at once have to be copied, for each socket.
 */
const BUFFER = LARGE_BUFFER.subarray(0, 256 * 1024)
/** With more sockets in bulk transfer, large reads would evict each other from the cache. */
const MOST_LARGE_READERS = 16

const KEEP_ALIVE_SECONDS = 60

/** The members of Node's TCP handle that are used here. */
export interface Handle {
  reading: boolean
  readonly fd?: number
  readStart(): number
  readStop(): number
  close(): void
}

interface ListeningHandle {
  setNoDelay(on: boolean): void
  setKeepAlive(on: boolean, seconds: number): void
  onconnection: (error: number, handle: Handle | undefined) => void
}

/** The answer to Node's next request for a buffer; undefined: the same as before. */
let nextBuffer: Buffer | undefined = BUFFER

const onread = {
  /** Called by Node when a socket is made, and right after each call of `callback`. */
  buffer(): Buffer | undefined {
    const buffer = nextBuffer
    nextBuffer = BUFFER
    return buffer
  },
  callback(this: unknown, bytes: number, buffer: Uint8Array): boolean {
    const socket = this as RawSocket
    const goesOn = socket.onRead(bytes, buffer as Buffer)
    const next = socket.readsLarge ? LARGE_BUFFER : BUFFER
    nextBuffer = next === buffer ? undefined : next
    return goesOn
  },
} as unknown as OnReadOpts

/** Sockets that have read their share of this turn. */
let waitingForTurn: RawSocket[] = []
let bulkSockets = 0

function startTurn(): void {
  const sockets = waitingForTurn
  waitingForTurn = []
  for (const socket of sockets) socket.startTurn()
}

/** Called once with the outcome of the connection attempt. */
export interface ConnectListener {
  connected(): void
  failed(error: NodeJS.ErrnoException): void
}

export class RawSocket extends Socket implements ByteSource {
  receiver: Receiver | null = null
  connectListener: ConnectListener | null = null
  failure: Error | null = null
  /** The peer's FIN has been read. The stream itself never ends: that would take two turns and a second notification. */
  hasEnded = false
  /** Whether the receiver wants bytes. */
  #wanted = false
  #waitsForTurn = false
  #turnBytes = 0
  #bulk = false
  /** Bytes received since the receiver last stopped the reading. */
  #acceptedBytes = 0

  constructor(handle: Handle | null) {
    // Node reads `handle`, which its types leave out: its own server makes sockets so.
    super({
      allowHalfOpen: true,
      noDelay: true,
      onread,
      pauseOnCreate: true,
      ...(handle === null ? {} : { handle }),
    } as unknown as SocketConstructorOpts)
    // Its stream never flows, otherwise the stream would start the handle. An accepted one is paused by its options.
    if (handle === null) super.pause()
  }

  /** Notifies the receiver first, and without listeners: six per tunnel would cost memory in each. */
  override emit(event: string | symbol, ...parts: unknown[]): boolean {
    if (event === 'connect') this.#takeConnectListener()?.connected()
    else if (event === 'close') {
      this.#setBulk(false)
      this.receiver?.closed(this.failure)
    } else if (event === 'error') {
      this.failure = parts[0] as Error
      this.#takeConnectListener()?.failed(this.failure)
      this.receiver?.closed(this.failure)
      // An 'error' event without a listener would end the process.
      if (this.listenerCount('error') === 0) return false
    }
    return super.emit(event, ...parts)
  }

  /** Node passes the end of the stream as null, and bytes to `onread`. */
  override push(chunk: unknown): boolean {
    if (chunk !== null) return super.push(chunk)
    this.hasEnded = true
    this.receiver?.ended()
    return false
  }

  /** Node calls `read(0)` after the end, which would let the stream end as well. */
  override read(size?: number): unknown {
    return size === 0 ? null : super.read(size)
  }

  #takeConnectListener(): ConnectListener | null {
    const { connectListener } = this
    this.connectListener = null
    return connectListener
  }

  get [ownSource](): ByteSource {
    return this
  }

  get socket(): Socket {
    return this
  }

  /** The file descriptor, or -1: writing to it directly exposes the kernel's own back-pressure. */
  get descriptor(): number {
    return this.#handle?.fd ?? -1
  }

  get #handle(): Handle | null {
    return (this as unknown as { _handle: Handle | null })._handle
  }

  start(): void {
    this.#wanted = true
    if (!this.#waitsForTurn) this.#startReading()
  }

  stop(): void {
    this.#wanted = false
    this.#acceptedBytes = 0
    const handle = this.#handle
    if (handle === null || !handle.reading) return
    handle.reading = false
    handle.readStop()
  }

  startTurn(): void {
    this.#waitsForTurn = false
    this.#turnBytes = 0
    if (this.#wanted) this.#startReading()
  }

  /** Bytes were read; false stops the reading. */
  onRead(bytes: number, buffer: Buffer): boolean {
    const { receiver } = this
    if (receiver === null) {
      // Dropping them would leave a gap in the stream.
      this.destroy(new Error('bytes were read from a socket without a receiver'))
      return false
    }
    this.#acceptedBytes += bytes
    receiver.received(buffer, bytes, false)
    if (bytes < LEAST_BULK_READ_BYTES) this.#setBulk(false)
    if (bytes < buffer.length) this.#turnBytes = 0
    else {
      this.#setBulk(true)
      this.#turnBytes += bytes
      if (this.#turnBytes >= turnLength()) this.#waitForTurn()
    }
    return this.#wanted && !this.#waitsForTurn
  }

  /** Whether it is in bulk transfer to a peer that has accepted everything for a while: a slow one gets small reads. */
  get readsLarge(): boolean {
    return this.#bulk && this.#acceptedBytes >= LARGE_BUFFER.length && bulkSockets <= MOST_LARGE_READERS
  }

  #setBulk(bulk: boolean): void {
    if (this.#bulk === bulk || (bulk && this.destroyed)) return
    this.#bulk = bulk
    bulkSockets += bulk ? 1 : -1
  }

  #waitForTurn(): void {
    this.#waitsForTurn = true
    if (waitingForTurn.length === 0) setImmediate(startTurn)
    waitingForTurn.push(this)
  }

  #startReading(): void {
    const handle = this.#handle
    if (handle === null || handle.reading || this.connecting || this.hasEnded) return
    handle.reading = true
    const error = handle.readStart()
    if (error !== 0) this.destroy(new Error(`reading cannot start (${error})`))
  }
}

function turnLength(): number {
  return Math.min(MOST_TURN_BYTES, Math.max(LEAST_TURN_BYTES, TURN_BYTES / Math.max(1, bulkSockets)))
}

/** The number of sockets in bulk transfer: flows that have more bytes than this process relays. */
export const socketsInBulk = () => bulkSockets

/**
 * Makes a listening server pass raw sockets to `accept`; throws where Node lacks the interface. `divert` may take a handle
 * before a socket is made of it.
 */
export function acceptRaw(
  server: Server,
  accept: (socket: RawSocket) => void,
  divert?: (handle: Handle) => boolean,
): void {
  const { _handle: listening } = server as unknown as { _handle: ListeningHandle | null }
  const ordinary = listening?.onconnection
  if (!listening || typeof ordinary !== 'function') throw new Error('a server has no onconnection here')
  // Accepted sockets inherit these, without a call for each. The kernel's keep-alive notices a client that vanished, the
  // idle timeout of a tunnel a target that did.
  listening.setNoDelay(true)
  listening.setKeepAlive(true, KEEP_ALIVE_SECONDS)
  listening.onconnection = function onConnection(this: ListeningHandle, error, handle) {
    if (error !== 0 || handle === undefined) {
      ordinary.call(this, error, handle)
      return
    }
    if (divert?.(handle) !== true) accept(new RawSocket(handle))
  }
}

/** Starts connecting a raw socket. */
export function connectRaw(to: TcpSocketConnectOpts): RawSocket {
  const socket = new RawSocket(null)
  socket.connect(to)
  return socket
}
