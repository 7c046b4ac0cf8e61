/**
 * Sockets that read into memory of ours and never through a stream: half the cost of bulk, and no memory for who is
 * quiet. Node gives an outgoing socket such a buffer from its birth (`onread`); an accepted one only when its handle is
 * caught before a stream is made for it. That door is not documented, so `road.ts` tries it out at the start, and
 * without it sockets are ordinary ones.
 */

import {
  Socket,
  type OnReadOpts,
  type Server,
  type SocketConstructorOpts,
  type TcpSocketConnectOpts,
} from 'node:net'
import { ownSource, type Reader, type Source } from './source.ts'

/** What one socket may read before the others have their turn: this, shared among those that move bytes in bulk. */
const TURN_BYTES = 16 * 1024 * 1024
const LEAST_TURN_BYTES = 256 * 1024
const MOST_TURN_BYTES = 4 * 1024 * 1024
/** A socket that filled the buffer moves bytes in bulk, until a read that is smaller than this. */
const LEAST_BULK_READ_BYTES = 16 * 1024

/**
 * Every socket reads into this one: what came is with the kernel again, or copied, before the next read. Few large reads
 * cost the kernel much less than many small ones, and memory that is always the same stays in the processor's cache.
 */
const LARGE = Buffer.allocUnsafeSlow(2 * 1024 * 1024)
/** What a socket reads into mostly. What of a read its reader's peer does not take at once is memory for each of them. */
const BUFFER = LARGE.subarray(0, 256 * 1024)
/** With more flows in bulk large reads would drive each other out of the cache. */
const MOST_LARGE_FLOWS = 16

const KEEP_ALIVE_SECONDS = 60

/** Of Node's handle of a TCP socket, what is used here. */
interface Handle {
  reading: boolean
  readonly fd?: number
  readStart(): number
  readStop(): number
}

interface ListeningHandle {
  setNoDelay(on: boolean): void
  setKeepAlive(on: boolean, seconds: number): void
  onconnection: (fault: number, handle: Handle | undefined) => void
}

/** What the next of Node's questions for a buffer is answered with; undefined: the same as before. */
let answer: Buffer | undefined = BUFFER

const onread = {
  /** Node asks when a socket is made, and right after each call of the other one. */
  buffer(): Buffer | undefined {
    const buffer = answer
    answer = BUFFER
    return buffer
  },
  callback(this: unknown, bytes: number, buffer: Uint8Array): boolean {
    const socket = this as RawSocket
    const goesOn = socket.took(bytes, buffer as Buffer)
    const next = socket.readsLarge ? LARGE : BUFFER
    answer = next === buffer ? undefined : next
    return goesOn
  },
} as unknown as OnReadOpts

/** Those that have used up their turn, and wait for the next one. */
let rested: RawSocket[] = []
/** How many sockets move bytes in bulk. */
let bulkFlows = 0

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

export class RawSocket extends Socket implements Source {
  reader: Reader | null = null
  opening: Opening | null = null
  fault: Error | null = null
  /** Whether its reader wants bytes. */
  #wanted = false
  #resting = false
  #turnBytes = 0
  #bulk = false
  /** What was read since its reader last had enough. */
  #takenBytes = 0

  constructor(handle: Handle | null) {
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
      this.#setBulk(false)
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
    this.#takenBytes = 0
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

  /** Bytes came; false stops the reading. */
  took(bytes: number, buffer: Buffer): boolean {
    const { reader } = this
    if (reader === null) {
      // Bytes that nobody takes would be missing in the middle of a stream.
      this.destroy(new Error('bytes came to a socket that nobody reads'))
      return false
    }
    this.#takenBytes += bytes
    reader.arrived(buffer, bytes, false)
    if (bytes < LEAST_BULK_READ_BYTES) this.#setBulk(false)
    if (bytes < buffer.length) this.#turnBytes = 0
    else {
      this.#setBulk(true)
      this.#turnBytes += bytes
      if (this.#turnBytes >= turnLength()) this.#rest()
    }
    return this.#wanted && !this.#resting
  }

  /** Whether it moves bytes in bulk to somebody who has taken all of them for a while: nobody slow is read ahead for. */
  get readsLarge(): boolean {
    return this.#bulk && this.#takenBytes >= LARGE.length && bulkFlows <= MOST_LARGE_FLOWS
  }

  #setBulk(bulk: boolean): void {
    if (this.#bulk === bulk || (bulk && this.destroyed)) return
    this.#bulk = bulk
    bulkFlows += bulk ? 1 : -1
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
  return Math.min(MOST_TURN_BYTES, Math.max(LEAST_TURN_BYTES, TURN_BYTES / Math.max(1, bulkFlows)))
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
  socket.connect(to)
  return socket
}
