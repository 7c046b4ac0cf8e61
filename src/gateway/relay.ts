/**
 * The relay: bytes between a client and a target, both ways, each covered by a lease before it is passed on.
 *
 * One direction has at most one chunk on its way: the source is paused until the kernel of the other side has taken
 * it. That is the back-pressure, and it bounds what can be lost or must be given back when a side dies.
 */

import { performance } from 'node:perf_hooks'
import type { Socket } from 'node:net'
import type { Charge } from './metering/charge.ts'
import { lingeringClose } from './sockets/close.ts'
import { type Flushing, Outlet } from './sockets/writer.ts'
import { reset } from './sockets/tls.ts'
import { RawSocket } from './sockets/raw.socket.ts'
import { sourceOf, type Reader, type Source } from './sockets/source.ts'

export type RelayReason = 'done' | 'client_failed' | 'target_failed' | 'no_traffic' | 'idle' | 'cut'

export interface RelayEnd {
  reason: RelayReason
  upBytes: number
  downBytes: number
}

export interface Relay {
  /** Ends it from outside: revoked credentials, idleness, a stopping gateway. */
  stop(reason: 'idle' | 'cut'): void
  /** Monotonic milliseconds of the last byte. */
  readonly activeAt: number
}

/** A socket as it is handed over: paused. */
export interface RelaySide {
  socket: Socket
  /** What has been read of it already and not used. */
  early: Buffer
  /** Its FIN has been read already. */
  ended: boolean
}

export interface RelayOptions {
  client: RelaySide
  target: RelaySide
  charge: Charge
  /** Called once, after this returned: both sockets are closed or being closed. */
  onEnd: (end: RelayEnd) => void
  now?: () => number
}

/** How long what is paid for may take to reach a slow reader after the balance ended. */
const FLUSH_MS = 5000

const systemNow = () => performance.now()

/** One way of the relay. */
class Way implements Reader, Flushing {
  readonly #relay: SocketRelay
  readonly source: Source
  readonly outlet: Outlet
  bytes = 0
  /** What the lease did not cover of the last chunk. */
  held: Buffer | null = null
  sourceEnded = false
  finSent = false

  constructor(relaying: SocketRelay, source: Source, sink: Socket) {
    this.#relay = relaying
    this.source = source
    this.outlet = new Outlet(sink)
  }

  arrived(buffer: Buffer, bytes: number, lasting: boolean): void {
    this.#relay.arrived(this, buffer, bytes, lasting)
  }

  finished(): void {
    this.#relay.sourceEnded(this)
  }

  broke(): void {
    this.#relay.sourceBroke(this)
  }

  flushed(bytes: number): void {
    this.#relay.flushed(this, bytes)
  }
}

class SocketRelay implements Relay {
  activeAt: number
  readonly #client: Socket
  readonly #target: Socket
  readonly #charge: Charge
  readonly #now: () => number
  readonly #up: Way
  readonly #down: Way
  readonly #onEnd: (end: RelayEnd) => void
  #over = false
  /** Set while nothing is read any more and what is paid for is still on its way out. */
  #draining: RelayReason | null = null

  constructor(options: RelayOptions) {
    this.#client = options.client.socket
    this.#target = options.target.socket
    this.#charge = options.charge
    this.#onEnd = options.onEnd
    this.#now = options.now ?? systemNow
    this.activeAt = this.#now()
    this.#up = new Way(this, sourceOf(this.#client), this.#target)
    this.#down = new Way(this, sourceOf(this.#target), this.#client)
    this.#attach(this.#up)
    this.#attach(this.#down)
    if (options.target.early.length > 0) this.#charge.commit()
    this.#begin(this.#up, options.client)
    this.#begin(this.#down, options.target)
  }

  stop(reason: 'idle' | 'cut'): void {
    this.#close(reason)
  }

  /** Bytes of the way's source, good until this returns unless they are `lasting`. */
  arrived(way: Way, buffer: Buffer, bytes: number, lasting: boolean): void {
    if (this.#over || this.#draining !== null) return
    // The first byte of the target makes the tunnel one that is paid for.
    if (way === this.#down) this.#charge.commit()
    this.#pass(way, buffer, bytes, lasting)
  }

  flushed(way: Way, bytes: number): void {
    // After the close these bytes have been accounted for already.
    if (this.#over) return
    way.bytes += bytes
    this.#charge.sent(bytes)
    this.activeAt = this.#now()
    if (this.#draining !== null) this.#drained(this.#draining)
    else if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  sourceEnded(way: Way): void {
    if (this.#over || way.sourceEnded) return
    way.sourceEnded = true
    if (way === this.#down) this.#charge.commit()
    if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  sourceBroke(way: Way): void {
    if (this.#bothEnded()) this.#failed('done')
    else this.#failed(way === this.#up ? 'client_failed' : 'target_failed')
  }

  #begin(way: Way, side: RelaySide): void {
    if (side.early.length > 0 && !this.#over) this.#pass(way, side.early, side.early.length, true)
    if (side.ended) this.sourceEnded(way)
    else if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  #attach(way: Way): void {
    way.source.reader = way
    if (way.source.socket.destroyed) queueMicrotask(() => way.broke())
  }

  #failed(reason: RelayReason): void {
    // What the target sent before it failed is still the client's.
    if (reason === 'target_failed' && !this.#client.destroyed) this.#drain(reason)
    else this.#close(reason)
  }

  #bothEnded(): boolean {
    return this.#up.sourceEnded && this.#down.sourceEnded
  }

  #pass(way: Way, buffer: Buffer, bytes: number, lasting: boolean): void {
    this.activeAt = this.#now()
    const covered = this.#charge.reserve(bytes)
    if (covered < bytes) {
      const rest = buffer.subarray(covered, bytes)
      way.held = lasting ? rest : Buffer.from(rest)
      way.source.stop()
      void this.#waitForMore(way)
    }
    if (covered === 0) return
    const taken = way.outlet.write(buffer, covered, lasting, way)
    if (taken > 0) {
      way.bytes += taken
      this.#charge.sent(taken)
    }
    if (taken < covered) way.source.stop()
  }

  async #waitForMore(way: Way): Promise<void> {
    const covered = await this.#charge.more()
    if (this.#over || this.#draining !== null) return
    if (!covered) {
      this.#drain('no_traffic')
      return
    }
    // Another tunnel of the account may have been quicker; then we wait again.
    const held = way.held
    way.held = null
    if (held !== null) this.#pass(way, held, held.length, true)
    if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  /** All of this way's bytes are passed on: read more, or pass the end on. */
  #proceed(way: Way): void {
    if (this.#over || this.#draining !== null) return
    if (!way.sourceEnded) {
      way.source.start()
      return
    }
    if (way.finSent) return
    way.finSent = true
    // The second end is passed on by closing.
    if (this.#up.finSent && this.#down.finSent) this.#close('done')
    else way.outlet.socket.end()
  }

  /** Nothing more is read; what is paid for is still delivered. */
  #drain(reason: RelayReason): void {
    if (this.#over || this.#draining !== null) return
    this.#draining = reason
    this.#up.source.stop()
    this.#down.source.stop()
    setTimeout(() => this.#close(reason), FLUSH_MS).unref()
    this.#drained(reason)
  }

  #drained(reason: RelayReason): void {
    const waiting = this.#down.outlet.inflight + (this.#target.destroyed ? 0 : this.#up.outlet.inflight)
    if (waiting === 0) this.#close(reason)
  }

  #close(cause: RelayReason): void {
    if (this.#over) return
    this.#over = true
    const reason = this.#draining ?? cause
    // What cannot leave any more is given back before the sockets and their counters are gone.
    this.#giveBack(this.#up)
    this.#giveBack(this.#down)
    if (reason === 'target_failed') this.#charge.forgive()
    else this.#charge.commit()
    this.#closeSockets(reason)
    const end = { reason, upBytes: this.#up.bytes, downBytes: this.#down.bytes }
    queueMicrotask(() => this.#onEnd(end))
  }

  #giveBack(way: Way): void {
    const inflight = way.outlet.inflight
    const unsent = way.outlet.unsentBytes()
    way.bytes += inflight - unsent
    this.#charge.sent(inflight - unsent)
    this.#charge.unsent(unsent)
  }

  #closeSockets(reason: RelayReason): void {
    if (reason === 'done') {
      closeWhole(this.#target)
      closeWhole(this.#client)
    } else if (reason === 'client_failed') {
      this.#client.destroy()
      reset(this.#target)
    } else if (reason === 'target_failed') {
      this.#target.destroy()
      // With nothing received there is nothing to protect and the failure is passed on as it came. Else an RST would
      // make the client's kernel drop bytes that are charged: it gets all of them, then the end.
      if (this.#down.bytes === 0) reset(this.#client)
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
 * Both ends have been read and everything is with the kernel, which sends it, and the end behind it, for a closed socket
 * too: one step where an end and a close would be two. TLS has an end of its own to say.
 */
function closeWhole(socket: Socket): void {
  if (socket instanceof RawSocket && socket.writableLength === 0) socket.destroy()
  else socket.destroySoon()
}

/** A sink that did not take its last bytes in time is cut off: they have been given back and must not be sent. */
function closeAfterFlush(way: Way): void {
  if (way.outlet.inflight > 0) way.outlet.socket.destroy()
  else lingeringClose(way.outlet.socket)
}

/** Starts relaying; the sockets are the relay's from here on, and closed by it. */
export function relay(options: RelayOptions): Relay {
  return new SocketRelay(options)
}
