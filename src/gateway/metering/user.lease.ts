/**
 * What a proxy user may spend: the lease of its limits and the lease of its account together. Every byte is
 * taken from both; the first counts it for the proxy user, the second pays for it. So ten thousand proxy users
 * of a gateway share one lease of the balance, and none of it lies idle with any of them.
 */

import type { CapWindow, UserLimit } from '#feed'
import type { AccountLease } from './account.lease.ts'
import type { ExitUse, ExitUses } from './exit.use.ts'

/** The part of a lease that sessions and charges use. */
export type HeldLease = Pick<
  AccountLease,
  | 'holders'
  | 'peak'
  | 'uses'
  | 'reserve'
  | 'settle'
  | 'release'
  | 'covers'
  | 'countRequest'
  | 'more'
  | 'capped'
  | 'balance'
>

export class UserLease implements HeldLease {
  readonly #limits: AccountLease
  readonly #payer: AccountLease
  /** The proxy user's own limits did not cover what was needed last. */
  #isLimited = false

  /** Takes the lease of the proxy user, and that of its account. */
  constructor(limits: AccountLease, payer: AccountLease) {
    this.#limits = limits
    this.#payer = payer
  }

  /** Tunnels and requests of the proxy user. */
  get holders(): number {
    return this.#limits.holders
  }

  set holders(count: number) {
    this.#payer.usersHolding += count - this.#limits.holders
    this.#limits.holders = count
  }

  /** The largest number of holders at a time. */
  get peak(): number {
    return this.#limits.peak
  }

  set peak(count: number) {
    this.#limits.peak = count
  }

  /** The account's uses: bytes are reported by exit where they are paid. */
  get uses(): ExitUses {
    return this.#payer.uses
  }

  reserve(payloadBytes: number, multiplier: number): number {
    const possible = Math.min(
      payloadBytes,
      this.#limits.coverable(multiplier),
      this.#payer.coverable(multiplier),
    )
    // Reserves even 0 bytes: a lease that is low then requests more.
    this.#limits.reserve(possible, multiplier)
    return this.#payer.reserve(possible, multiplier)
  }

  settle(chargedBytes: number, use?: ExitUse, relayedBytes?: number): void {
    this.#limits.settle(chargedBytes)
    this.#payer.settle(chargedBytes, use, relayedBytes)
  }

  release(chargedBytes: number): void {
    this.#limits.release(chargedBytes)
    this.#payer.release(chargedBytes)
  }

  covers(need: number): boolean {
    return this.#limits.covers(need) && this.#payer.covers(need)
  }

  countRequest(use?: ExitUse): void {
    this.#limits.countRequest()
    this.#payer.countRequest(use)
  }

  async more(need: number): Promise<boolean> {
    // Both are asked for at once: a first connection waits for one answer only.
    const paid = this.#payer.more(need)
    this.#isLimited = !(await this.#limits.more(need))
    return !this.#isLimited && (await paid)
  }

  /**
   * The cap or limit that ended the last grant: of the proxy user's lease when that is exhausted or did not cover
   * what was needed last, else of the account's.
   */
  get capped(): CapWindow | UserLimit | null {
    const ofUser = this.#isLimited || !this.#limits.covers(1) ? this.#limits.capped : null
    return ofUser ?? this.#payer.capped
  }

  get balance(): number | null {
    const [left, paid] = [this.#limits.balance, this.#payer.balance]
    return left === null || paid === null ? (left ?? paid) : Math.min(left, paid)
  }
}
