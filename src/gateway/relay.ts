/**
 * The copy loop: relays bytes between a client and a target in both directions, each covered by a lease
 * before it is written.
 *
 * One direction has at most one chunk under way: its source is paused until the kernel of the other side has
 * accepted the chunk. This is the back-pressure, and it bounds the bytes that may be lost or must be refunded
 * when a side fails.
 */

import { performance } from 'node:perf_hooks'
import type { Charge } from './metering/charge.ts'
import type { Flow, StopReason } from './session.ts'
import { closeEnded, closeGracefully } from './sockets/close.ts'
import type { HandedSocket } from './sockets/reader.ts'
import { type AnySocket, type ByteSource, type Receiver, sourceOf } from './sockets/source.ts'
import { resetConnection } from './sockets/tls.ts'
import { type FlushListener, readAfterReset, SocketWriter } from './sockets/writer.ts'

/** How a tunnel or request ended. */
export type RelayReason = 'done' | 'client_failed' | 'target_failed' | 'no_traffic' | StopReason

export interface RelayEnd {
  reason: RelayReason
  upBytes: number
  downBytes: number
}

export interface RelayOptions {
  client: HandedSocket
  target: HandedSocket
  charge: Charge
  /** Called once, after the constructor has returned: both sockets are closed or being closed. */
  onEnd: (end: RelayEnd) => void
}

/** The time within which charged bytes must reach a slow client after the balance was exhausted. */
const FLUSH_MS = 5000

/** One direction of the relay. */
class Direction implements Receiver, FlushListener {
  readonly #relay: Relay
  readonly source: ByteSource
  readonly writer: SocketWriter
  bytes = 0
  /** The part of the last chunk that the lease did not cover. */
  uncovered: Buffer | null = null
  sourceEnded = false
  finSent = false
  /**
   * A write to the other side has failed. What that side sent before is still read, in the other direction.
   */
  isBroken = false

  constructor(relay: Relay, source: ByteSource, sink: AnySocket) {
    this.#relay = relay
    this.source = source
    this.writer = new SocketWriter(sink)
  }

  /** Whether all received bytes have been accepted by the other side's kernel. */
  get isPassedOn(): boolean {
    return this.uncovered === null && this.writer.pending === 0
  }

  received(buffer: Buffer, bytes: number, stable: boolean): void {
    this.#relay.received(this, buffer, bytes, stable)
  }

  ended(): void {
    this.#relay.sourceEnded(this)
  }

  closed(): void {
    this.#relay.sourceClosed(this)
  }

  flushed(bytes: number): void {
    this.#relay.flushed(this, bytes)
  }

  writeFailed(): void {
    this.isBroken = true
    this.source.stop()
  }
}

/** Relays until either side is done or fails. The sockets belong to it, and it closes them. */
export class Relay implements Flow {
  /** Monotonic milliseconds of the last byte. */
  activeAt = performance.now()
  readonly #client: AnySocket
  readonly #target: AnySocket
  readonly #charge: Charge
  readonly #up: Direction
  readonly #down: Direction
  readonly #onEnd: (end: RelayEnd) => void
  #isOver = false
  /** Set while reading has ended and charged bytes are still being sent. */
  #draining: RelayReason | null = null

  constructor(options: RelayOptions) {
    this.#client = options.client.socket
    this.#target = options.target.socket
    this.#charge = options.charge
    this.#onEnd = options.onEnd
    this.#up = new Direction(this, sourceOf(this.#client), this.#target)
    this.#down = new Direction(this, sourceOf(this.#target), this.#client)
    this.#attach(this.#up)
    this.#attach(this.#down)
    readAfterReset(this.#target)
    if (options.target.early.length > 0) this.#charge.commit()
    this.#begin(this.#up, options.client)
    this.#begin(this.#down, options.target)
  }

  /** Ends it from outside: revoked credentials, an idle tunnel, its owner's wish, a stopping gateway. */
  stop(reason: StopReason): void {
    this.#close(reason)
  }

  /** Bytes from the direction's source, valid until this returns unless they are `stable`. */
  received(direction: Direction, buffer: Buffer, bytes: number, stable: boolean): void {
    if (this.#isOver || this.#draining !== null) return
    // With the target's first byte the tunnel is charged.
    if (direction === this.#down) this.#charge.commit()
    this.#pass(direction, buffer, bytes, stable)
  }

  flushed(direction: Direction, bytes: number): void {
    // When the relay was closed these bytes were counted already.
    if (this.#isOver) return
    direction.bytes += bytes
    this.#charge.sent(bytes)
    this.activeAt = performance.now()
    if (this.#draining !== null) this.#closeWhenDrained(this.#draining)
    else if (direction.isPassedOn) this.#proceed(direction)
  }

  sourceEnded(direction: Direction): void {
    if (this.#isOver || direction.sourceEnded) return
    if (direction === this.#down && this.#up.isBroken) {
      // All that the target sent before it reset the connection is read now.
      this.#failed('target_failed')
      return
    }
    direction.sourceEnded = true
    if (direction === this.#down) this.#charge.commit()
    if (direction.isPassedOn) this.#proceed(direction)
  }

  sourceClosed(direction: Direction): void {
    if (this.#up.sourceEnded && this.#down.sourceEnded) this.#failed('done')
    else this.#failed(direction === this.#up ? 'client_failed' : 'target_failed')
  }

  #begin(direction: Direction, { early, ended }: HandedSocket): void {
    if (early.length > 0 && !this.#isOver) this.#pass(direction, early, early.length, true)
    if (ended) this.sourceEnded(direction)
    else if (direction.isPassedOn) this.#proceed(direction)
  }

  #attach(direction: Direction): void {
    direction.source.receiver = direction
    if (direction.source.socket.destroyed) queueMicrotask(() => direction.closed())
  }

  #failed(reason: RelayReason): void {
    // Bytes that the target sent before it failed are still sent to the client.
    if (reason === 'target_failed' && !this.#client.destroyed) this.#drain(reason)
    else this.#close(reason)
  }

  #pass(direction: Direction, buffer: Buffer, bytes: number, stable: boolean): void {
    if (direction.isBroken) return
    this.activeAt = performance.now()
    const covered = this.#charge.reserve(bytes)
    if (covered < bytes) {
      const rest = buffer.subarray(covered, bytes)
      direction.uncovered = stable ? rest : Buffer.from(rest)
      direction.source.stop()
      void this.#waitForMore(direction)
    }
    if (covered === 0) return
    const accepted = direction.writer.write(buffer, covered, stable, direction)
    if (accepted > 0) {
      direction.bytes += accepted
      this.#charge.sent(accepted)
    }
    if (accepted < covered) direction.source.stop()
  }

  async #waitForMore(direction: Direction): Promise<void> {
    const isCovered = await this.#charge.more()
    if (this.#isOver || this.#draining !== null) return
    if (!isCovered) {
      this.#drain('no_traffic')
      return
    }
    // Another tunnel of the account may have used the bytes: this one then waits again.
    const { uncovered } = direction
    direction.uncovered = null
    if (uncovered !== null) this.#pass(direction, uncovered, uncovered.length, true)
    if (direction.isPassedOn) this.#proceed(direction)
  }

  /** All bytes received in this direction are passed on: reads more, or passes the end on. */
  #proceed(direction: Direction): void {
    if (this.#isOver || this.#draining !== null) return
    if (!direction.sourceEnded) {
      direction.source.start()
      return
    }
    if (direction.finSent) return
    direction.finSent = true
    // The second end is passed on by closing.
    if (this.#up.finSent && this.#down.finSent) this.#close('done')
    else direction.writer.socket.end()
  }

  /** Stops reading; charged bytes are still delivered. */
  #drain(reason: RelayReason): void {
    if (this.#isOver || this.#draining !== null) return
    this.#draining = reason
    this.#up.source.stop()
    this.#down.source.stop()
    // After the target's failure the client has all the time it takes, until it is idle.
    if (reason === 'no_traffic') setTimeout(() => this.#close(reason), FLUSH_MS).unref()
    this.#closeWhenDrained(reason)
  }

  #closeWhenDrained(reason: RelayReason): void {
    const pending =
      this.#down.writer.pending + (this.#target.destroyed || this.#up.isBroken ? 0 : this.#up.writer.pending)
    if (pending === 0) this.#close(reason)
  }

  #close(cause: RelayReason): void {
    if (this.#isOver) return
    this.#isOver = true
    const reason = this.#draining ?? cause
    // Unsent bytes are refunded before the sockets, and with them the counts, are gone.
    this.#giveBack(this.#up)
    this.#giveBack(this.#down)
    if (reason === 'target_failed') this.#charge.failed()
    else this.#charge.commit()
    this.#closeSockets(reason)
    const end = { reason, upBytes: this.#up.bytes, downBytes: this.#down.bytes }
    queueMicrotask(() => this.#onEnd(end))
  }

  #giveBack(direction: Direction): void {
    const { pending } = direction.writer
    if (pending === 0) return
    const unsent = direction.writer.unsentBytes()
    direction.bytes += pending - unsent
    this.#charge.sent(pending - unsent)
    this.#charge.unsent(unsent)
  }

  #closeSockets(reason: RelayReason): void {
    if (reason === 'done') {
      closeEnded(this.#target)
      closeEnded(this.#client)
    } else if (reason === 'client_failed') {
      this.#client.destroy()
      resetConnection(this.#target)
    } else if (reason === 'target_failed') {
      this.#target.destroy()
      // Without a byte from the target the failure is passed on as it is. Otherwise an RST would make the
      // client's kernel drop charged bytes: the client gets all of them, then the end.
      if (this.#down.bytes === 0) resetConnection(this.#client)
      else closeAfterFlush(this.#down)
    } else if (reason === 'no_traffic') {
      closeAfterFlush(this.#up)
      closeAfterFlush(this.#down)
    } else {
      this.#target.destroy()
      this.#client.destroy()
    }
  }
}

/**
 * A sink that did not accept its last bytes in time is destroyed: they were refunded and must not be sent.
 */
function closeAfterFlush({ writer }: Direction): void {
  if (writer.pending > 0) writer.socket.destroy()
  else closeGracefully(writer.socket)
}
