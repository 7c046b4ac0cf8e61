/**
 * Sockets that read into shared memory, on Node's TCP handles and without a stream: bulk transfer at half the cost, short tunnels
 * without the construction, the events and the end of two streams, and little memory for idle connections. The handles are not
 * documented, so `socket.factory.ts` tries them at the start and falls back to ordinary sockets.
 */

import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import {
  areLargeReadsAllowed,
  BUFFER,
  bulkBytesNow,
  countInBulk,
  countInLoop,
  LARGE_BUFFER,
  LEAST_BULK_READ_BYTES,
  turnLength,
  waitForTurn,
} from './bulk.ts'
import { notifyLater } from './close.notices.ts'
import { type AnySocket, type ByteSource, type ConnectListener, ownSource, type Receiver } from './source.ts'
import {
  type Handle,
  type HandleOwner,
  isWriteWaiting,
  lastRead,
  newHandle,
  type RawAddress,
  type Request,
  ShutdownWrap,
  startConnecting,
  streamOver,
  systemError,
  TCPConnectWrap,
  type WriteCallback,
  type WriteRequest,
  WriteWrap,
} from './tcp.handle.ts'

/** UV_EOF and UV_ENOTCONN of libuv. */
const [END_OF_FILE, NOT_CONNECTED] = [-4095, -107]

// The handles call these with the handle or request as `this`: all sockets share one of each.

function onread(this: Handle): Buffer | undefined {
  return this.owner.onRead(lastRead())
}

function onConnected(this: Request, status: number): void {
  this.socket.onConnected(status)
}

function onWritten(this: WriteRequest, status: number): void {
  this.socket.onWritten(this, status)
}

function onShutdown(this: Request): void {
  this.socket.onFinished()
}

/** Emits 'connect', 'error' and 'close' as `net.Socket` does; the receiver and the connect listener are notified first. */
export class RawSocket extends EventEmitter implements ByteSource, AnySocket, HandleOwner {
  receiver: Receiver | null = null
  connectListener: ConnectListener | null = null
  connecting = false
  /** Closed, or being closed. */
  destroyed = false
  /** The error of the connection, or of a write that failed while the rest is still read; null: none. */
  errored: Error | null = null
  /** The peer's FIN has been read. */
  readableEnded = false
  writableEnded = false
  /** The FIN was sent. */
  writableFinished = false
  /** Written bytes that the kernel has not accepted. */
  writableLength = 0
  /**
   * A write that fails because the peer has reset the connection does not destroy the socket. The kernel keeps what it received
   * before the RST, and the receiver gets all of it, then the end.
   */
  readsAfterReset = false
  /** Null once it is closed or taken over by a stream. */
  #handle: Handle | null
  /** The stream that has taken over the handle; null: none. */
  #stream: Socket | null = null
  /** Bytes read in bulk transfer, for the order of turns. */
  bulkBytes = 0
  #buffer = BUFFER
  #isReading = false
  /** Whether the receiver wants bytes. */
  #wanted = false
  #waitsForTurn = false
  #turnBytes = 0
  #bulk = false
  /** Bytes received since the receiver last stopped the reading. */
  #acceptedBytes = 0
  #isDestroyedWhenFinished = false
  /** The error that closed the connection; null: none, or it was closed on this side. */
  #failure: Error | null = null

  constructor(handle: Handle) {
    super()
    this.#handle = handle
    handle.owner = this
    handle.onread = onread
    handle.useUserBuffer(BUFFER)
  }

  get [ownSource](): ByteSource {
    return this
  }

  get socket(): this {
    return this
  }

  get handle(): Handle | null {
    return this.#handle
  }

  get writable(): boolean {
    return !this.destroyed && !this.writableEnded && this.errored === null
  }

  /** The file descriptor, or -1: writing to it directly exposes the kernel's own back-pressure. */
  get descriptor(): number {
    return this.#handle?.fd ?? -1
  }

  /** The address and port of the other end; neither when it has disconnected. */
  get peer(): { address?: string; port?: number } {
    const peer = {}
    this.#handle?.getpeername(peer)
    return peer
  }

  /** The address and port of this end; neither when it has disconnected. */
  get own(): { address?: string; port?: number } {
    const own = {}
    this.#handle?.getsockname(own)
    return own
  }

  connect(to: RawAddress): void {
    const handle = this.#handle
    if (handle === null) return
    this.connecting = true
    const request = new TCPConnectWrap()
    request.oncomplete = onConnected
    request.socket = this
    const status = startConnecting(handle, request, to)
    if (status !== 0) this.destroy(systemError(status, 'connect'))
  }

  onConnected(status: number): void {
    if (this.destroyed) return
    this.connecting = false
    if (status !== 0) {
      this.destroy(systemError(status, 'connect'))
      return
    }
    if (this.#wanted) this.#startReading()
    const { connectListener } = this
    this.connectListener = null
    connectListener?.connected()
    this.emit('connect')
  }

  start(): void {
    this.#wanted = true
    if (!this.#waitsForTurn) this.#startReading()
  }

  stop(): void {
    this.#wanted = false
    this.#acceptedBytes = 0
    this.#stopReading()
  }

  startTurn(): void {
    this.#waitsForTurn = false
    this.#turnBytes = 0
    if (this.#wanted) this.#startReading()
  }

  #startReading(): void {
    const handle = this.#handle
    if (handle === null || this.#isReading || this.connecting || this.readableEnded || this.destroyed) return
    this.#isReading = true
    const error = handle.readStart()
    if (error !== 0) this.destroy(systemError(error, 'read'))
  }

  #stopReading(): void {
    if (!this.#isReading || this.destroyed) return
    this.#isReading = false
    this.#handle?.readStop()
  }

  onRead(result: number): Buffer | undefined {
    if (this.destroyed || result === 0) return undefined
    if (result < 0) {
      this.#onReadEnd(result)
      return undefined
    }
    const { receiver } = this
    if (receiver === null) {
      // Dropping them would leave a gap in the stream.
      this.destroy(new Error('bytes were read from a socket without a receiver'))
      return undefined
    }
    const buffer = this.#buffer
    this.#acceptedBytes += result
    receiver.received(buffer, result, false)
    if (result < LEAST_BULK_READ_BYTES) this.#setBulk(false)
    else if (result === buffer.length) this.#setBulk(true)
    if (this.#bulk) this.#countInTurn(result)
    const next = this.readsLarge ? LARGE_BUFFER : BUFFER
    if (next === buffer) return undefined
    this.#buffer = next
    return next
  }

  #onReadEnd(result: number): void {
    this.#isReading = false
    if (result !== END_OF_FILE) {
      this.destroy(systemError(result, 'read'))
      return
    }
    this.readableEnded = true
    this.receiver?.ended()
  }

  /** Whether it is in bulk transfer to a peer that has accepted everything for a while: a slow one gets small reads. */
  get readsLarge(): boolean {
    return this.#bulk && this.#acceptedBytes >= LARGE_BUFFER.length && areLargeReadsAllowed()
  }

  #setBulk(bulk: boolean): void {
    if (this.#bulk === bulk || (bulk && this.destroyed)) return
    this.#bulk = bulk
    this.#turnBytes = 0
    if (bulk) this.bulkBytes = Math.max(this.bulkBytes, bulkBytesNow())
    countInBulk(bulk ? 1 : -1)
  }

  #countInTurn(bytes: number): void {
    this.bulkBytes += bytes
    this.#turnBytes += bytes
    const isLoopOver = countInLoop(bytes)
    if (this.#turnBytes < turnLength() && !isLoopOver) return
    this.#waitsForTurn = true
    this.#stopReading()
    waitForTurn(this)
  }

  /** Writes bytes, which must not change until the callback is called; false when some wait for the kernel. */
  write(bytes: Uint8Array, callback?: WriteCallback): boolean {
    const handle = this.#handle
    if (handle === null || !this.writable) {
      const error = this.errored ?? new Error('the socket is closed')
      if (callback !== undefined) process.nextTick(callback, error)
      return false
    }
    const request = new WriteWrap()
    request.oncomplete = onWritten
    request.socket = this
    request.bytes = bytes
    request.callback = callback
    const status = handle.writeBuffer(request, bytes)
    if (status !== 0) {
      const error = systemError(status, 'write')
      if (callback !== undefined) process.nextTick(callback, error)
      this.#writeFailed(error)
      return false
    }
    if (isWriteWaiting()) {
      this.writableLength += bytes.length
      return false
    }
    if (callback !== undefined) process.nextTick(callback, null)
    return true
  }

  onWritten({ bytes, callback }: WriteRequest, status: number): void {
    this.writableLength -= bytes.length
    if (status === 0) {
      callback?.(null)
      return
    }
    const error = this.errored ?? systemError(status, 'write')
    callback?.(error)
    if (!this.destroyed) this.#writeFailed(error)
  }

  #writeFailed(error: NodeJS.ErrnoException): void {
    this.errored ??= error
    const isReset = error.code === 'EPIPE' || error.code === 'ECONNRESET'
    if (!(isReset && this.readsAfterReset && !this.readableEnded)) this.destroy(error)
  }

  /** Sends a FIN after the written bytes. */
  end(): void {
    if (!this.writable) return
    this.writableEnded = true
    const request = new ShutdownWrap()
    request.oncomplete = onShutdown
    request.socket = this
    const status = this.#handle?.shutdown(request) ?? 0
    if (status === NOT_CONNECTED || status === 1) this.onFinished()
    else if (status !== 0) this.destroy(systemError(status, 'shutdown'))
  }

  onFinished(): void {
    this.writableFinished = true
    if (this.#isDestroyedWhenFinished) this.destroy()
  }

  /** Ends the connection, and closes it once the FIN was sent. */
  destroySoon(): void {
    if (this.#stream !== null) {
      this.#stream.destroySoon()
      return
    }
    this.#isDestroyedWhenFinished = true
    this.end()
    if (!this.writableEnded || this.writableFinished) this.destroy()
  }

  /** Closes the connection; 'error', if any, and 'close' follow later. */
  destroy(error?: Error): this {
    this.#stream?.destroy(error)
    this.#close(error, false)
    return this
  }

  /** Closes the connection with RST, unless its end is being sent: the peer has it already then. */
  resetAndDestroy(): this {
    this.#stream?.resetAndDestroy()
    this.#close(undefined, true)
    return this
  }

  #close(error: Error | undefined, withReset: boolean): void {
    const handle = this.#handle
    if (this.destroyed || handle === null) return
    this.destroyed = true
    this.connecting = false
    this.#handle = null
    this.#setBulk(false)
    if (error !== undefined) {
      this.errored ??= error
      this.#failure = error
    }
    // While an end is being sent libuv refuses a reset, and Node.js then keeps the handle open for good.
    if (withReset && (!this.writableEnded || this.writableFinished)) handle.reset()
    else handle.close()
    // Its user is notified after this call has returned: the handle's own notice comes later, and costs several times as much.
    notifyLater(this)
  }

  onClosed(): void {
    const failure = this.#failure
    if (failure !== null && this.#stream === null) this.#onFailure(failure)
    this.receiver?.closed(failure)
    this.emit('close')
  }

  #onFailure(error: Error): void {
    const { connectListener } = this
    this.connectListener = null
    connectListener?.failed(error)
    this.receiver?.closed(error)
    // An 'error' event without a listener would end the process.
    if (this.listenerCount('error') > 0) this.emit('error', error)
  }

  /** A stream over this connection, paused, for TLS. It owns the connection; this socket only reports its end. */
  toStream(): Socket {
    const handle = this.#handle
    if (handle === null) throw new Error('the socket is closed')
    this.stop()
    this.#handle = null
    const stream = streamOver(handle)
    this.#stream = stream
    stream.on('error', (error) => (this.#failure = error))
    stream.on('close', () => {
      this.destroyed = true
      this.onClosed()
    })
    return stream
  }
}

/** Starts connecting a raw socket. */
export function connectRaw(to: RawAddress): RawSocket {
  const socket = new RawSocket(newHandle())
  socket.connect(to)
  return socket
}
