/** The meter: the purses of all accounts that relay in this process. */

import type { ReportLine } from './feed.ts'
import type { KeptLease, PurseOptions } from './purse.options.ts'
import { Purse } from './purse.ts'

export interface MeterOptions extends Omit<PurseOptions, 'now'> {
  now?: () => number
  /** Leases that were open when this boot was interrupted. */
  kept?: readonly KeptLease[]
}

/** All purses of this process. */
export class Meter {
  readonly #options: PurseOptions
  readonly #purses = new Map<bigint, Purse>()
  readonly #users = new Map<bigint, number>()

  constructor(options: MeterOptions) {
    this.#options = { ...options, now: options.now ?? (() => performance.now()) }
    for (const kept of options.kept ?? [])
      this.#purses.set(kept.account, new Purse(kept.account, this.#options, kept))
  }

  /** The account's purse, kept while somebody holds it. */
  hold(account: bigint): { purse: Purse; letGo: () => void } {
    let purse = this.#purses.get(account)
    if (purse === undefined) {
      purse = new Purse(account, this.#options)
      this.#purses.set(account, purse)
    }
    this.#users.set(account, (this.#users.get(account) ?? 0) + 1)
    let held = true
    const letGo = () => {
      if (!held) return
      held = false
      const left = (this.#users.get(account) ?? 1) - 1
      if (left > 0) this.#users.set(account, left)
      else this.#users.delete(account)
    }
    return { purse, letGo }
  }

  recall(account: bigint): void {
    this.#purses.get(account)?.recall()
  }

  /** The lines of the next report; forgets purses that nobody needs any more. */
  collect(options: { closeAll: boolean }): ReportLine[] {
    const lines: ReportLine[] = []
    for (const [account, purse] of this.#purses) {
      lines.push(...purse.collect(options.closeAll))
      if (purse.empty && !this.#users.has(account)) this.#purses.delete(account)
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
