/**
 * The charge of one tunnel or one request: what it takes from its account's purse, and when that becomes final.
 *
 * A target that fails before its first byte costs nothing, so what was sent until then is withheld from the reports.
 * Only up to a bound: past it the bytes are owed as they go, else a target in league with the customer would take
 * uploads of any size for nothing by breaking off at the end.
 */

import { performance } from 'node:perf_hooks'
import type { CapWindow } from '#feed'
import type { Purse } from './account.lease.ts'

const WITHHELD_PAYLOAD_BYTES = 64 * 1024

export class Charge {
  readonly multiplier: 1 | 2
  /** Payload bytes handed to the kernel, whether they are owed or not. */
  relayedBytes = 0
  /** Monotonic milliseconds of the target's first byte, or of the end without one; null before. */
  heardAt: number | null = null
  readonly #purse: Purse
  #committed = false
  #forgiven = false
  #withheld = 0
  #counted = false

  constructor(purse: Purse, multiplier: 1 | 2) {
    this.#purse = purse
    this.multiplier = multiplier
  }

  /** How many of these payload bytes the lease covers; they are taken from it. */
  reserve(bytes: number): number {
    return this.#purse.reserve(bytes, this.multiplier)
  }

  /** Whether so many payload bytes are covered now. */
  covers(bytes: number): boolean {
    return this.#purse.covers(bytes * this.multiplier)
  }

  /** Waits until at least so many payload bytes are covered. False: the balance is at its end. */
  more(bytes = 1): Promise<boolean> {
    return this.#purse.more(bytes * this.multiplier)
  }

  /** Which cap of the customer's leaves nothing more; null: it is the balance that does, or there is more. */
  get capped(): CapWindow | null {
    return this.#purse.capped
  }

  /** Reserved bytes are with the kernel now. */
  sent(bytes: number): void {
    this.relayedBytes += bytes
    if (this.#committed) {
      this.#purse.settle(bytes * this.multiplier)
      return
    }
    if (this.#forgiven) {
      this.#purse.release(bytes * this.multiplier)
      return
    }
    this.#withheld += bytes
    if (this.#withheld > WITHHELD_PAYLOAD_BYTES) this.#owe()
  }

  /** Reserved bytes will not be sent. */
  unsent(bytes: number): void {
    this.#purse.release(bytes * this.multiplier)
  }

  /** The same request is sent once more, over another connection: what went over the first one costs nothing. */
  restart(): void {
    this.#purse.release(this.#withheld * this.multiplier)
    this.#withheld = 0
  }

  /** The target has answered, at this moment, or the exchange came to a clean end: all of it is owed. */
  commit(at?: number): void {
    this.heardAt ??= at ?? performance.now()
    this.#owe()
  }

  /** Whether what was relayed is to be paid for. */
  get isOwed(): boolean {
    return this.#committed
  }

  #owe(): void {
    if (this.#committed || this.#forgiven) return
    this.#committed = true
    this.#purse.settle(this.#withheld * this.multiplier)
    this.#withheld = 0
  }

  /** The target failed. What is withheld is free; what is owed already stays so. */
  forgive(): void {
    if (this.#committed || this.#forgiven) return
    this.#forgiven = true
    this.#purse.release(this.#withheld * this.multiplier)
    this.#withheld = 0
  }

  /** One more request in the statistics. */
  countRequest(): void {
    if (this.#counted) return
    this.#counted = true
    this.#purse.countRequest()
  }
}
