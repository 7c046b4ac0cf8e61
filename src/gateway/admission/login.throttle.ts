/**
 * The brake on guessing: wrong passwords are counted by the network they come from, over all workers of this machine.
 * Who has shown the right password from an address lately is let through there, so that one customer's old script does
 * not lock out the others behind the same address.
 */

import { networkOf } from '#lib/ip'
import type { Credentials } from './credentials.ts'
import type { FamilyWord, Siblings } from '../limits/coordinator.ts'

const WINDOW_MS = 60_000
export const FAILURES_PER_WINDOW = 30
const MOST_NETWORKS = 20_000
const MOST_GOOD = 20_000
/** Told to the other workers of one network: behind one address there are rarely more customers. */
const MOST_VOUCHED = 500

interface Failures {
  count: number
  until: number
}

/** Failures by network, each network's counted for a minute from its first one. */
export class FailureCounts {
  readonly #now: () => number
  readonly #counts = new Map<string, Failures>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** How many there are, and how long they count; 0 when none does any more. */
  of(network: string): { count: number; leftMs: number } {
    const found = this.#counts.get(network)
    const leftMs = found === undefined ? 0 : found.until - this.#now()
    return found === undefined || leftMs <= 0 ? { count: 0, leftMs: 0 } : { count: found.count, leftMs }
  }

  add(network: string): { count: number; leftMs: number } {
    const { count, leftMs } = this.of(network)
    return this.set(network, { count: count + 1, leftMs: count === 0 ? WINDOW_MS : leftMs })
  }

  set(network: string, { count, leftMs }: { count: number; leftMs: number }) {
    const now = this.#now()
    // A map keeps the order of insertion: the first one is the one that began longest ago.
    this.#counts.delete(network)
    if (this.#counts.size >= MOST_NETWORKS) this.#dropOld(now)
    this.#counts.set(network, { count, until: now + leftMs })
    return { count, leftMs }
  }

  /** Those with so many or more. */
  *over(count: number): Generator<[network: string, leftMs: number]> {
    const now = this.#now()
    for (const [network, entry] of this.#counts)
      if (entry.count >= count && entry.until > now) yield [network, entry.until - now]
  }

  #dropOld(now: number): void {
    for (const [network, { until }] of this.#counts) if (until <= now) this.#counts.delete(network)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size >= MOST_NETWORKS && oldest !== undefined) this.#counts.delete(oldest)
  }
}

export class GuessingBrake {
  readonly #siblings: Siblings | null
  readonly #failures: FailureCounts
  /** Who has shown the right password, by network: see `goodKey`. */
  readonly #good = new Map<string, Set<string>>()
  #goodCount = 0

  constructor(options: { now?: () => number; siblings?: Siblings | null } = {}) {
    this.#failures = new FailureCounts(options.now ?? (() => performance.now()))
    this.#siblings = options.siblings ?? null
    this.#siblings?.hear((word) => this.#heard(word))
  }

  /** Seconds this address has to wait with these credentials; 0: go on. */
  waitSeconds(address: string, credentials: Credentials): number {
    const network = networkOf(address)
    const { count, leftMs } = this.#failures.of(network)
    if (count < FAILURES_PER_WINDOW) return 0
    if (this.#good.get(network)?.has(goodKey(address, credentials)) === true) return 0
    return Math.ceil(leftMs / 1000)
  }

  failed(address: string, credentials: Credentials): void {
    const network = networkOf(address)
    const good = this.#good.get(network)
    if (good?.delete(goodKey(address, credentials)) === true) this.#goodCount--
    if (good?.size === 0) this.#good.delete(network)
    this.#failures.add(network)
    this.#siblings?.say({ kind: 'guess', network })
  }

  succeeded(address: string, credentials: Credentials): void {
    this.#trust(networkOf(address), goodKey(address, credentials))
  }

  /** What the other workers say. */
  #heard(word: FamilyWord): void {
    if (word.kind === 'vouched') {
      for (const key of word.keys) this.#trust(word.network, key)
    } else if (word.kind === 'braked') {
      const { network, leftMs } = word
      this.#failures.set(network, { count: FAILURES_PER_WINDOW, leftMs })
      const keys = [...(this.#good.get(network) ?? [])].slice(-MOST_VOUCHED)
      if (keys.length > 0) this.#siblings?.say({ kind: 'vouch', network, keys })
    }
  }

  #trust(network: string, key: string): void {
    if (this.#goodCount >= MOST_GOOD) {
      this.#good.clear()
      this.#goodCount = 0
    }
    const good = this.#good.get(network)
    if (good === undefined) this.#good.set(network, new Set([key]))
    if (good?.has(key) === true) return
    good?.add(key)
    this.#goodCount++
  }
}

function goodKey(address: string, credentials: Credentials): string {
  return `${address} ${credentials.digest.toString('hex')}`
}
