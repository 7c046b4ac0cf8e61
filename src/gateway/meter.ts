/** The meter: the purses of all accounts that relay in this process. */

import type { ReportLine } from './feed.ts'
import { Purse, type PurseOptions } from './purse.ts'

export interface MeterOptions extends Omit<PurseOptions, 'now'> {
  now?: () => number
}

/** All purses of this process. */
export class Meter {
  readonly #options: PurseOptions
  readonly #purses = new Map<bigint, Purse>()
  readonly #users = new Map<bigint, number>()

  constructor(options: MeterOptions) {
    this.#options = { ...options, now: options.now ?? (() => performance.now()) }
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

  get leases(): number {
    let open = 0
    for (const purse of this.#purses.values()) if (purse.leaseOpen) open++
    return open
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
