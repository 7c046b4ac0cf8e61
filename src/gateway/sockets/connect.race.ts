/** Connecting to one of several addresses of a host, whichever accepts first (RFC 8305 5). */

import { Cancellation, type CancelSignal } from '#lib/cancel-signal'
import type { Ip } from '#lib/ip'
import { clearDeadline, type DeadlineTick, type Expiring, setDeadline } from './deadline.ts'
import { ConnectError, connectTo } from './socket.factory.ts'
import type { AnySocket } from './source.ts'

/** The connection attempt delay: the next address is tried as well after this time. */
const NEXT_MS = 250

/** An address, and the local one to connect from. */
export interface Way {
  ip: Ip
  localAddress: string | null
}

export interface RaceOptions {
  port: number
  signal: CancelSignal
  /** Monotonic milliseconds. */
  deadline: number
}

interface Settled {
  resolve: (socket: AnySocket) => void
  reject: (error: Error) => void
}

/**
 * Attempts in the order of the addresses, each begun when the previous one has failed or its delay has
 * passed.
 */
class Race implements Expiring {
  index = -1
  readonly #ways: readonly Way[]
  readonly #options: RaceOptions
  readonly #settled: Settled
  /** Cancels all attempts. */
  readonly #cancellation = new Cancellation()
  readonly #abort = () => this.#fail(new Error('the client closed the connection'))
  readonly #errors: ConnectError[] = []
  #begun = 0
  #tick: DeadlineTick | null = null
  #isOver = false

  constructor(ways: readonly Way[], options: RaceOptions, settled: Settled) {
    this.#ways = ways
    this.#options = options
    this.#settled = settled
  }

  start(): void {
    const { signal } = this.#options
    signal.addEventListener('abort', this.#abort)
    if (signal.aborted) this.#abort()
    else this.#next()
  }

  expired(): void {
    this.#tick = null
    this.#next()
  }

  #next(): void {
    const way = this.#ways[this.#begun]
    const { port, deadline } = this.#options
    const timeoutMs = deadline - performance.now()
    if (way === undefined || (timeoutMs <= 0 && this.#begun > 0)) return
    this.#begun++
    connectTo({ ...way, port, timeoutMs: Math.max(1, timeoutMs), signal: this.#cancellation }).then(
      (socket) => this.#connected(socket),
      (error: Error) => this.#failed(error),
    )
    if (this.#begun < this.#ways.length) this.#tick = setDeadline(this, NEXT_MS)
  }

  #connected(socket: AnySocket): void {
    if (this.#isOver) socket.destroy()
    else if (this.#end()) this.#settled.resolve(socket)
  }

  #failed(error: Error): void {
    if (this.#isOver) return
    if (!(error instanceof ConnectError)) {
      this.#fail(error)
      return
    }
    this.#errors.push(error)
    if (this.#tick !== null) clearDeadline(this, this.#tick)
    this.#tick = null
    this.#next()
    if (this.#errors.length === this.#begun) this.#fail(new AggregateError(this.#errors))
  }

  #fail(error: Error): void {
    if (this.#end()) this.#settled.reject(error)
  }

  /** Ends all attempts; true the first time. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    if (this.#tick !== null) clearDeadline(this, this.#tick)
    this.#options.signal.removeEventListener('abort', this.#abort)
    this.#cancellation.abort()
    return true
  }
}

/**
 * A connection to the first of the addresses to accept, as `connectTo` returns it; the other attempts are
 * ended. Rejects with an AggregateError of ConnectErrors when all have failed, and with an ordinary error
 * when the signal aborts.
 */
export function raceTo(ways: readonly Way[], options: RaceOptions): Promise<AnySocket> {
  return new Promise((resolve, reject) => new Race(ways, options, { resolve, reject }).start())
}
