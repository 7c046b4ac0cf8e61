/** The leases of all accounts with traffic in this process. */

import { performance } from 'node:perf_hooks'
import type { ReportLine } from '#feed'
import { isProxyUserId, isReservedUserId, payerOf } from '#feed/user.ids'
import { AccountLease, type LeaseOptions } from './account.lease.ts'
import type { KeptLease } from './kept.lease.ts'
import { OpenPeaks } from './open.peaks.ts'
import { type HeldLease, UserLease } from './user.lease.ts'

/** Leases of proxy users without a reserve are parts of their limits, and have no bytes. */
const spendsItself = (access: bigint) => !isProxyUserId(access) || isReservedUserId(access)

export interface MeterOptions extends Omit<LeaseOptions, 'now' | 'isResumed'> {
  now?: () => number
  /** Leases that were open when this boot was interrupted. */
  kept?: readonly KeptLease[]
}

export class Meter {
  /** The gateway stops: leases without holders are not kept for a next tunnel. */
  isDraining = false
  /** The most sessions of each account, for the heartbeats. */
  readonly peaks = new OpenPeaks(() => this.#leases.values())
  readonly #options: LeaseOptions
  readonly #leases = new Map<bigint, AccountLease>()

  constructor(options: MeterOptions) {
    const { kept: resumed = [] } = options
    this.#options = {
      ...options,
      now: options.now ?? (() => performance.now()),
      isResumed: resumed.length > 0,
    }
    for (const kept of resumed) this.#add(kept.access, kept)
  }

  /**
   * The lease of an access or a proxy user, kept while it has holders; the caller decrements `holders` when it
   * is done.
   */
  hold(access: bigint): HeldLease {
    const own = this.#of(access)
    const lease = spendsItself(access) ? own : new UserLease(own, this.#of(payerOf(access)))
    lease.holders++
    return lease
  }

  /** Recalls the lease of an access, or of a proxy user. */
  recall(access: bigint): void {
    this.#leases.get(access)?.recall()
  }

  #of(access: bigint): AccountLease {
    return this.#leases.get(access) ?? this.#add(access)
  }

  #add(access: bigint, kept: KeptLease | null = null): AccountLease {
    const lease = new AccountLease(access, this.#options, kept)
    this.#leases.set(access, lease)
    return lease
  }

  /** How many tunnels and requests hold the account's lease. */
  holders(access: bigint): number {
    return this.#leases.get(access)?.holders ?? 0
  }

  /** The lines of the next report; forgets leases that are no longer needed. */
  collect(options: { closeAll: boolean }): ReportLine[] {
    const lines: ReportLine[] = []
    const givesBack = this.isDraining && this.#options.isAway?.() !== true
    for (const [access, lease] of this.#leases) {
      const isHeld = lease.holders + lease.usersHolding > 0
      lines.push(...lease.collect(options.closeAll || (givesBack && !isHeld)))
      if (!lease.empty || isHeld) continue
      this.peaks.ended(lease)
      this.#leases.delete(access)
    }
    return lines
  }

  /** A report has been settled. */
  settled(lines: readonly ReportLine[]): void {
    for (const line of lines) if (line.close) this.#leases.get(line.access)?.closed()
  }

  /** All open leases, according to the reports made so far. */
  kept(): KeptLease[] {
    return [...this.#leases.values()].flatMap(({ kept }) => kept ?? [])
  }

  get leases(): number {
    let open = 0
    for (const lease of this.#leases.values()) if (lease.leaseOpen) open++
    return open
  }

  /** Charged bytes leased to this process and not spent. */
  get heldBytes(): number {
    let held = 0
    for (const [access, lease] of this.#leases) if (spendsItself(access)) held += lease.heldBytes
    return held
  }

  /** Whether a lease request is under way. */
  get asking(): boolean {
    for (const lease of this.#leases.values()) if (lease.asking) return true
    return false
  }

  /** The gateway stops: ends the wait of all tunnels and requests for bytes. */
  end(): void {
    for (const lease of this.#leases.values()) lease.end()
  }
}
