/**
 * The charge of one tunnel or request: what it takes from its account's lease, and when that becomes final.
 *
 * A target that fails before its first byte costs nothing, so bytes sent until then are withheld from the reports. Only up
 * to a bound: beyond it bytes are owed as they are sent, else a target in collusion with the customer could take uploads
 * of any size for nothing by closing the connection at the end.
 */

import { performance } from 'node:perf_hooks'
import type { CapWindow } from '#feed'
import type { AccountLease } from './account.lease.ts'

const MOST_WITHHELD_BYTES = 64 * 1024

export class Charge {
  readonly multiplier: 1 | 2
  /** Payload bytes accepted by the kernel, whether they are owed or not. */
  relayedBytes = 0
  /** Monotonic milliseconds of the target's first byte, or of the end without one; null before. */
  firstByteAt: number | null = null
  readonly #lease: AccountLease
  #isOwed = false
  #isForgiven = false
  #withheld = 0
  #isCounted = false

  constructor(lease: AccountLease, multiplier: 1 | 2) {
    this.#lease = lease
    this.multiplier = multiplier
  }

  /** Reserves payload bytes as far as the lease covers them; returns how many. */
  reserve(bytes: number): number {
    return this.#lease.reserve(bytes, this.multiplier)
  }

  /** Whether so many payload bytes are covered now. */
  covers(bytes: number): boolean {
    return this.#lease.covers(bytes * this.multiplier)
  }

  /** Waits until at least so many payload bytes are covered; false when the balance is exhausted. */
  more(bytes = 1): Promise<boolean> {
    return this.#lease.more(bytes * this.multiplier)
  }

  /** The cap of the customer's that is reached; null: the balance is exhausted, or there is more. */
  get capped(): CapWindow | null {
    return this.#lease.capped
  }

  /** Reserved bytes were accepted by the kernel. */
  sent(bytes: number): void {
    this.relayedBytes += bytes
    if (this.#isOwed) {
      this.#lease.settle(bytes * this.multiplier)
      return
    }
    if (this.#isForgiven) {
      this.#lease.release(bytes * this.multiplier)
      return
    }
    this.#withheld += bytes
    if (this.#withheld > MOST_WITHHELD_BYTES) this.#owe()
  }

  /** Reserved bytes will not be sent. */
  unsent(bytes: number): void {
    this.#lease.release(bytes * this.multiplier)
  }

  /** The same request is sent again over another connection: its bytes on the first one cost nothing. */
  restart(): void {
    this.#lease.release(this.#withheld * this.multiplier)
    this.#withheld = 0
  }

  /** The target has answered, at that moment, or the exchange has ended properly: all of it is owed. */
  commit(at?: number): void {
    this.firstByteAt ??= at ?? performance.now()
    this.#owe()
  }

  /** Whether what was relayed is charged. */
  get isOwed(): boolean {
    return this.#isOwed
  }

  #owe(): void {
    if (this.#isOwed || this.#isForgiven) return
    this.#isOwed = true
    this.#lease.settle(this.#withheld * this.multiplier)
    this.#withheld = 0
  }

  /** The target failed: withheld bytes cost nothing, owed ones stay owed. */
  forgive(): void {
    if (this.#isOwed || this.#isForgiven) return
    this.#isForgiven = true
    this.#lease.release(this.#withheld * this.multiplier)
    this.#withheld = 0
  }

  /** Counts one request in the statistics, once. */
  countRequest(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#lease.countRequest()
  }
}
