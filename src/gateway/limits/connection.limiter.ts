/**
 * Limits the connections of every client address, on all workers of this machine. Customers open thousands
 * from one address, so there is a much lower limit only for those that have not been authenticated yet:
 * incomplete heads, and handshakes that never end. How exact this is over several workers:
 * `shared.counter.ts`.
 */

import { networkOf } from '#lib/ip'
import { memoized } from '#lib/memo'
import { SharedCounter } from './shared.counter.ts'
import type { WorkerBus } from './worker.bus.ts'

export interface ConnectionLimiterOptions {
  /** Connections of one address. */
  most: number
  /** Of these, connections that have not been authenticated. */
  mostUnauthenticated: number
  /** Default: no other workers. */
  bus?: WorkerBus | null
}

const networkAt = memoized(20_000, networkOf)

interface NetworkCounts {
  open: number
  unauthenticated: number
}

/** One connection, counted for its address. */
export class CountedConnection {
  readonly #limiter: ConnectionLimiter
  readonly #network: string
  #isAuthenticated = false

  constructor(limiter: ConnectionLimiter, network: string) {
    this.#limiter = limiter
    this.#network = network
  }

  authenticated(): void {
    if (this.#isAuthenticated) return
    this.#isAuthenticated = true
    this.#limiter.count(this.#network, 0, -1)
  }

  closed(): void {
    this.#limiter.count(this.#network, -1, this.#isAuthenticated ? 0 : -1)
    this.#isAuthenticated = true
  }
}

export class ConnectionLimiter {
  readonly #open: SharedCounter<string>
  readonly #unauthenticated: SharedCounter<string>
  readonly #networks = new Map<string, NetworkCounts>()

  constructor({ most, mostUnauthenticated, bus = null }: ConnectionLimiterOptions) {
    const read = (network: string) => network
    this.#open = new SharedCounter({
      counted: 'addresses',
      most,
      own: (network) => this.#networks.get(network)?.open ?? 0,
      read,
      bus,
    })
    this.#unauthenticated = new SharedCounter({
      counted: 'unauthenticated',
      most: mostUnauthenticated,
      own: (network) => this.#networks.get(network)?.unauthenticated ?? 0,
      read,
      bus,
    })
  }

  /** Counts one more connection of the address; null when it has too many. */
  accept(address: string): CountedConnection | null {
    const network = networkAt(address)
    const counts = this.#networks.get(network)
    if (this.#open.isFull(network, counts?.open ?? 0)) return null
    if (this.#unauthenticated.isFull(network, counts?.unauthenticated ?? 0)) return null
    this.count(network, 1, 1)
    return new CountedConnection(this, network)
  }

  /** Adds to the counts of a network; for `CountedConnection`. */
  count(network: string, open: number, unauthenticated: number): void {
    let counts = this.#networks.get(network)
    if (counts === undefined) this.#networks.set(network, (counts = { open: 0, unauthenticated: 0 }))
    counts.open += open
    counts.unauthenticated += unauthenticated
    if (counts.open === 0) this.#networks.delete(network)
    this.#open.changed(network, counts.open)
    this.#unauthenticated.changed(network, counts.unauthenticated)
  }
}
