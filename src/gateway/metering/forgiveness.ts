/**
 * The bytes that are forgiven to one account in an hour. Behind another proxy a failed exit looks like a
 * target that took the bytes and closed the connection, so without a bound a target in collusion with the
 * customer could take any amount for nothing, 64 KiB at a time.
 *
 * The hours are those of this process, counted from its start by the monotonic clock: setting the system's
 * clock begins no new one.
 */

import { performance } from 'node:perf_hooks'

const HOUR_MS = 3_600_000
const BYTES_PER_HOUR = 10_000_000

export class Forgiveness {
  readonly #bytesPerHour: number
  readonly #now: () => number
  #hour = 0
  /** Payload bytes forgiven in this hour, by account. */
  readonly #forgiven = new Map<bigint, number>()

  constructor(bytesPerHour: number = BYTES_PER_HOUR, now: () => number = () => performance.now()) {
    this.#bytesPerHour = bytesPerHour
    this.#now = now
  }

  /** Forgives the account so many payload bytes, as far as its budget goes; returns how many. */
  forgive(account: bigint, bytes: number): number {
    if (bytes === 0) return 0
    const hour = Math.floor(this.#now() / HOUR_MS)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#forgiven.clear()
    }
    const before = this.#forgiven.get(account) ?? 0
    const forgiven = Math.min(bytes, this.#bytesPerHour - before)
    if (forgiven > 0) this.#forgiven.set(account, before + forgiven)
    return forgiven
  }
}
