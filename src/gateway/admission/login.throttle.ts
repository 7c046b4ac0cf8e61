/**
 * Throttles failed logins: they are counted by the network they come from, over all workers of this machine.
 * Credentials that were right from an address a short while ago are still accepted from there, so that one
 * customer's old script does not lock out others behind the same address.
 */

import { networkOf } from '#lib/ip'
import { readUsername } from '#proxies/dialects'
import { FAILURES_PER_WINDOW, FailureCounts } from '../limits/failure.counts.ts'
import type { CoordinatorMessage, WorkerBus } from '../limits/worker.bus.ts'
import type { Credentials } from './credentials.ts'

const MOST_VERIFIED = 20_000
/** The most keys of one network that are sent to the other workers: one address rarely has more customers. */
const MOST_TOLD = 500

export class LoginThrottle {
  readonly #bus: WorkerBus | null
  readonly #failures: FailureCounts
  /** Credentials that were right, by network: see `keyOf`. */
  readonly #verified = new Map<string, Set<string>>()
  #verifiedCount = 0

  constructor(options: { now?: () => number; bus?: WorkerBus | null } = {}) {
    this.#failures = new FailureCounts(options.now ?? (() => performance.now()))
    this.#bus = options.bus ?? null
    this.#bus?.subscribe((message) => this.#receive(message))
  }

  /** Seconds that this address has to wait with these credentials; 0: none. */
  waitSeconds(address: string, credentials: Credentials): number {
    const network = networkOf(address)
    const { count, leftMs } = this.#failures.of(network)
    if (count < FAILURES_PER_WINDOW) return 0
    if (this.#verified.get(network)?.has(keyOf(address, credentials)) === true) return 0
    return Math.ceil(leftMs / 1000)
  }

  failed(address: string, credentials: Credentials): void {
    const network = networkOf(address)
    const verified = this.#verified.get(network)
    if (verified?.delete(keyOf(address, credentials)) === true) this.#verifiedCount--
    if (verified?.size === 0) this.#verified.delete(network)
    this.#failures.add(network)
    this.#bus?.send({ kind: 'login_failed', network })
  }

  succeeded(address: string, credentials: Credentials): void {
    this.#addVerified(networkOf(address), keyOf(address, credentials))
  }

  #receive(message: CoordinatorMessage): void {
    if (message.kind === 'logins_verified') {
      for (const key of message.keys) this.#addVerified(message.network, key)
    } else if (message.kind === 'throttled') {
      const { network, leftMs } = message
      this.#failures.set(network, { count: FAILURES_PER_WINDOW, leftMs })
      const keys = [...(this.#verified.get(network) ?? [])].slice(-MOST_TOLD)
      if (keys.length > 0) this.#bus?.send({ kind: 'logins_verified', network, keys })
    }
  }

  #addVerified(network: string, key: string): void {
    if (this.#verifiedCount >= MOST_VERIFIED) {
      this.#verified.clear()
      this.#verifiedCount = 0
    }
    const verified = this.#verified.get(network)
    if (verified === undefined) this.#verified.set(network, new Set([key]))
    if (verified?.has(key) === true) return
    verified?.add(key)
    this.#verifiedCount++
  }
}

/** The login is part of the key: a wrong login with the same password proves nothing about the right one. */
function keyOf(address: string, { username, digest }: Credentials): string {
  return `${address} ${readUsername(username)?.login ?? ''} ${digest.toString('hex')}`
}
