/**
 * The relay: bytes between a client and a target, both ways, each covered by a lease before it is passed on.
 *
 * One direction has at most one chunk on its way: the source is paused until the kernel of the other side has taken
 * it. That is the back-pressure, and it bounds what can be lost or must be given back when a side dies.
 */

import type { Socket } from 'node:net'
import type { Charge } from './charge.ts'
import { lingeringClose } from './linger.ts'
import { Outlet } from './outlet.ts'

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
  readonly ended: Promise<RelayEnd>
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
  now?: () => number
}

/** How long what is paid for may take to reach a slow reader after the balance ended. */
const FLUSH_MS = 5000

/** One way of the relay. */
class Way {
  readonly source: Socket
  readonly outlet: Outlet
  bytes = 0
  /** What the lease did not cover of the last chunk. */
  held: Buffer | null = null
  sourceEnded = false
  finSent = false

  constructor(source: Socket, sink: Socket) {
    this.source = source
    this.outlet = new Outlet(sink)
  }
}

class SocketRelay implements Relay {
  activeAt: number
  readonly ended: Promise<RelayEnd>
  readonly #client: Socket
  readonly #target: Socket
  readonly #charge: Charge
  readonly #now: () => number
  readonly #up: Way
  readonly #down: Way
  #finish: (end: RelayEnd) => void = () => undefined
  #over = false
  /** Set while nothing is read any more and what is paid for is still on its way out. */
  #draining: RelayReason | null = null

  constructor(options: RelayOptions) {
    this.#client = options.client.socket
    this.#target = options.target.socket
    this.#charge = options.charge
    this.#now = options.now ?? (() => performance.now())
    this.activeAt = this.#now()
    this.#up = new Way(this.#client, this.#target)
    this.#down = new Way(this.#target, this.#client)
    this.ended = new Promise((resolve) => (this.#finish = resolve))
    this.#attach(this.#up, 'client_failed')
    this.#attach(this.#down, 'target_failed')
    if (options.target.early.length > 0) this.#charge.commit()
    this.#begin(this.#up, options.client)
    this.#begin(this.#down, options.target)
  }

  stop(reason: 'idle' | 'cut'): void {
    this.#close(reason)
  }

  #begin(way: Way, side: RelaySide): void {
    if (side.early.length > 0) this.#arrived(way, side.early)
    if (side.ended) this.#sourceEnded(way)
    else if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  #attach(way: Way, failure: 'client_failed' | 'target_failed'): void {
    way.source.on('data', (chunk: Buffer) => {
      if (this.#over || this.#draining !== null) return
      // The first byte of the target makes the tunnel one that is paid for.
      if (way === this.#down) this.#charge.commit()
      this.#arrived(way, chunk)
    })
    way.source.on('end', () => this.#sourceEnded(way))
    const failed = () => this.#failed(this.#bothEnded() ? 'done' : failure)
    way.source.on('error', failed)
    way.source.on('close', failed)
    if (way.source.destroyed) queueMicrotask(failed)
  }

  #failed(reason: RelayReason): void {
    // What the target sent before it failed is still the client's.
    if (reason === 'target_failed' && !this.#client.destroyed) this.#drain(reason)
    else this.#close(reason)
  }

  #bothEnded(): boolean {
    return this.#up.sourceEnded && this.#down.sourceEnded
  }

  #arrived(way: Way, chunk: Buffer): void {
    this.activeAt = this.#now()
    const covered = this.#charge.reserve(chunk.length)
    if (covered < chunk.length) {
      way.held = chunk.subarray(covered)
      way.source.pause()
      void this.#waitForMore(way)
    }
    if (covered === 0) return
    const part = covered === chunk.length ? chunk : chunk.subarray(0, covered)
    way.outlet.write(part, () => this.#flushed(way, part.length))
    if (way.outlet.inflight > 0 && way.outlet.socket.writableLength > 0) way.source.pause()
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
    if (held !== null) this.#arrived(way, held)
    if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  #flushed(way: Way, bytes: number): void {
    // After the close these bytes have been accounted for already.
    if (this.#over) return
    way.bytes += bytes
    this.#charge.sent(bytes)
    this.activeAt = this.#now()
    if (this.#draining !== null) this.#drained(this.#draining)
    else if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  /** All of this way's bytes are passed on: read more, or pass the end on. */
  #proceed(way: Way): void {
    if (this.#over || this.#draining !== null) return
    if (!way.sourceEnded) {
      way.source.resume()
      return
    }
    if (way.finSent) return
    way.finSent = true
    way.outlet.socket.end()
    if (this.#up.finSent && this.#down.finSent) this.#close('done')
  }

  #sourceEnded(way: Way): void {
    if (this.#over || way.sourceEnded) return
    way.sourceEnded = true
    if (way === this.#down) this.#charge.commit()
    if (way.held === null && way.outlet.inflight === 0) this.#proceed(way)
  }

  /** Nothing more is read; what is paid for is still delivered. */
  #drain(reason: RelayReason): void {
    if (this.#over || this.#draining !== null) return
    this.#draining = reason
    this.#client.pause()
    this.#target.pause()
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
    this.#finish({ reason, upBytes: this.#up.bytes, downBytes: this.#down.bytes })
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
      this.#target.destroySoon()
      this.#client.destroySoon()
    } else if (reason === 'client_failed') {
      this.#client.destroy()
      this.#target.resetAndDestroy()
    } else if (reason === 'target_failed') {
      this.#target.destroy()
      // With nothing received there is nothing to protect and the failure is passed on as it came. Else an RST would
      // make the client's kernel drop bytes that are charged: it gets all of them, then the end.
      if (this.#down.bytes === 0) this.#client.resetAndDestroy()
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

/** A sink that did not take its last bytes in time is cut off: they have been given back and must not be sent. */
function closeAfterFlush(way: Way): void {
  if (way.outlet.inflight > 0) way.outlet.socket.destroy()
  else lingeringClose(way.outlet.socket)
}

/** Starts relaying; the sockets are the relay's from here on, and closed when `ended` resolves. */
export function relay(options: RelayOptions): Relay {
  return new SocketRelay(options)
}
