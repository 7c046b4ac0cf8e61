/**
 * A request for a lease that failed may have been heard all the same, and may be heard a while after: the account then
 * has a lease open that nobody here knows of, and its bytes are nobody's to spend. So a purse that holds no lease asks,
 * without wanting any bytes, which one is open: soon, and once more when no such request can be under way any longer.
 */

import type { LeaseGrant } from '#feed'
import type { PurseOptions } from './lease.options.ts'

/** The server gives up on a request after a minute. */
const LATE_MS = 120_000
const FIRST_LOOK_MS = 1000
const LAST_LOOK_MS = 60_000

export class Doubt {
  /** A request that failed may still be heard until then; null: none did. */
  #until: number | null = null
  #lookAt = Infinity
  #lookMs = FIRST_LOOK_MS

  get any(): boolean {
    return this.#until !== null
  }

  isDue(now: number): boolean {
    return this.#until !== null && now >= this.#lookAt
  }

  /** Asks which lease is open; null: the server is away. */
  async look({ feed, identity, now, onFault }: PurseOptions, account: bigint): Promise<LeaseGrant | null> {
    const sentAt = now()
    try {
      const grant = await feed.lease(identity, { account, want_bytes: 0n })
      this.answered(sentAt)
      return grant
    } catch (fault) {
      this.#lookAt = now() + this.#lookMs
      this.#lookMs = Math.min(this.#lookMs * 2, LAST_LOOK_MS)
      onFault?.(fault)
      return null
    }
  }

  /** A request that wanted bytes failed. */
  failed(now: number): void {
    this.#until = now + LATE_MS
    this.#lookMs = FIRST_LOOK_MS
    this.#lookAt = now + FIRST_LOOK_MS
  }

  /** The server has answered a request of `sentAt`: it said which lease is open. */
  answered(sentAt: number): void {
    if (this.#until === null) return
    this.#lookMs = FIRST_LOOK_MS
    if (sentAt >= this.#until) this.#until = null
    else this.#lookAt = this.#until
  }
}
