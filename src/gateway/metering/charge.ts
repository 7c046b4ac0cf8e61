/**
 * The charge of one tunnel or request: what it takes from its account's lease, and when that becomes final.
 *
 * Bytes that the target took are owed. What was sent to an exit that failed before the target's first byte
 * costs nothing, so bytes sent until then are withheld from the reports. Two bounds keep a target in
 * collusion with the customer from passing its own failure off as an exit's: beyond 64 KiB bytes are owed as
 * they are sent, and what is forgiven comes out of a budget of the account.
 */

import { performance } from 'node:perf_hooks'
import type { CapWindow, UserLimit } from '#feed'
import type { ExitUse } from './exit.use.ts'
import type { Forgiveness } from './forgiveness.ts'
import type { HeldLease } from './user.lease.ts'

const MOST_WITHHELD_BYTES = 64 * 1024

/** The budget of forgiveness that a charge uses. */
export interface Forgiving {
  readonly account: bigint
  readonly forgiveness: Forgiveness
}

export class Charge {
  readonly multiplier: 1 | 2
  /** Payload bytes accepted by the kernel, whether they are owed or not. */
  relayedBytes = 0
  /** Monotonic milliseconds of the target's first byte, or of the end without one; null before. */
  firstByteAt: number | null = null
  /** Set while the bytes go to the target itself: no exit can have failed then. */
  reachesTarget = false
  /** Payload bytes that cost nothing although they were relayed. */
  forgivenBytes = 0
  readonly #lease: HeldLease
  readonly #forgiving: Forgiving
  #isOwed = false
  #isForgiven = false
  #withheld = 0
  /** The exit that the bytes pass through. */
  #use: ExitUse
  #isCounted = false

  constructor(lease: HeldLease, multiplier: 1 | 2, forgiving: Forgiving) {
    this.#lease = lease
    this.multiplier = multiplier
    this.#forgiving = forgiving
    this.#use = lease.uses.unknown
  }

  /** The bytes pass through this exit from now on. */
  passThrough(exit: bigint): void {
    if (this.#use.exit !== exit) this.#use = this.#lease.uses.of(exit)
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

  /**
   * The cap or limit of the customer's that is reached; null: the balance is exhausted, or bytes are
   * available.
   */
  get capped(): CapWindow | UserLimit | null {
    return this.#lease.capped
  }

  /** Reserved bytes were accepted by the kernel. */
  sent(bytes: number): void {
    this.relayedBytes += bytes
    if (this.#isOwed) {
      this.#lease.settle(bytes * this.multiplier, this.#use, bytes)
      return
    }
    this.#withheld += bytes
    if (this.#isForgiven) this.#forgive()
    else if (this.#withheld > MOST_WITHHELD_BYTES) this.#owe()
  }

  /** Reserved bytes will not be sent. */
  unsent(bytes: number): void {
    this.#lease.release(bytes * this.multiplier)
  }

  /**
   * The same request is sent again, because the kept connection of the first attempt was closed. Whether the
   * target received the first attempt is not known, so its bytes are forgiven within the budget.
   */
  restart(): void {
    this.#forgive()
  }

  /** The target has answered, at the moment `at`, or the exchange has ended properly: all bytes are owed. */
  commit(at?: number): void {
    this.firstByteAt ??= at ?? performance.now()
    this.#owe()
  }

  #owe(): void {
    if (this.#isOwed || this.#isForgiven) return
    this.#isOwed = true
    this.#lease.settle(this.#withheld * this.multiplier, this.#use, this.#withheld)
    this.#withheld = 0
  }

  /**
   * No answer came. Bytes that the target itself took are owed; those that an exit took are forgiven within
   * the budget, unless they are owed already.
   */
  failed(): void {
    if (this.#isOwed || this.#isForgiven) return
    if (this.reachesTarget) {
      this.#owe()
      return
    }
    this.#isForgiven = true
    this.#forgive()
  }

  /** Forgives the withheld bytes as far as the budget goes; the others are owed. */
  #forgive(): void {
    const { account, forgiveness } = this.#forgiving
    const forgiven = forgiveness.forgive(account, this.#withheld)
    this.forgivenBytes += forgiven
    this.#lease.release(forgiven * this.multiplier)
    this.#lease.settle((this.#withheld - forgiven) * this.multiplier, this.#use, this.#withheld)
    this.#withheld = 0
  }

  /** Counts one request in the statistics, once. */
  countRequest(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#lease.countRequest(this.#use)
  }
}
