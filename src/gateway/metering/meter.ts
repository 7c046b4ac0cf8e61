/** The meter: the purses of all accounts that relay in this process. */

import { performance } from 'node:perf_hooks'
import type { ReportLine } from '#feed'
import type { KeptLease, PurseOptions } from './lease.options.ts'
import { Purse } from './account.lease.ts'

export interface MeterOptions extends Omit<PurseOptions, 'now'> {
  now?: () => number
  /** Leases that were open when this boot was interrupted. */
  kept?: readonly KeptLease[]
}

/** All purses of this process. */
export class Meter {
  readonly #options: PurseOptions
  readonly #purses = new Map<bigint, Purse>()

  constructor(options: MeterOptions) {
    this.#options = { ...options, now: options.now ?? (() => performance.now()) }
    for (const kept of options.kept ?? [])
      this.#purses.set(kept.account, new Purse(kept.account, this.#options, kept))
  }

  /** The account's purse, kept while somebody holds it: who holds it lets it go. */
  hold(account: bigint): Purse {
    let purse = this.#purses.get(account)
    if (purse === undefined) {
      purse = new Purse(account, this.#options)
      this.#purses.set(account, purse)
    }
    purse.holders++
    return purse
  }

  recall(account: bigint): void {
    this.#purses.get(account)?.recall()
  }

  /** How many hold the account's purse. */
  holders(account: bigint): number {
    return this.#purses.get(account)?.holders ?? 0
  }

  /** The lines of the next report; forgets purses that nobody needs any more. */
  collect(options: { closeAll: boolean }): ReportLine[] {
    const lines: ReportLine[] = []
    for (const [account, purse] of this.#purses) {
      lines.push(...purse.collect(options.closeAll))
      if (purse.empty && purse.holders === 0) this.#purses.delete(account)
    }
    return lines
  }

  /** A report has been settled. */
  settled(lines: readonly ReportLine[]): void {
    for (const line of lines) if (line.close) this.#purses.get(line.account)?.closed()
  }

  /** All open leases, as they are by the reports made so far. */
  kept(): KeptLease[] {
    return [...this.#purses.values()].flatMap(({ kept }) => kept ?? [])
  }

  get leases(): number {
    let open = 0
    for (const purse of this.#purses.values()) if (purse.leaseOpen) open++
    return open
  }

  /** Charged bytes leased to this process and not spent. */
  get heldBytes(): number {
    let held = 0
    for (const purse of this.#purses.values()) held += purse.heldBytes
    return held
  }

  /** Whether a lease call is under way. */
  get asking(): boolean {
    for (const purse of this.#purses.values()) if (purse.asking) return true
    return false
  }

  /** Nobody waits for bytes any more. */
  end(): void {
    for (const purse of this.#purses.values()) purse.end()
  }
}
