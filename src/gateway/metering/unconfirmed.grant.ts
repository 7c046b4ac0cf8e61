/**
 * A lease request that failed may have been executed all the same, or may be executed a while later: the
 * account then has an open lease that no gateway knows, and its bytes cannot be spent. So an account without
 * a known lease asks, without wanting any bytes, which one is open: soon, and once more when no such request
 * can be under way any longer.
 */

import type { Feed, LeaseGrant } from '#feed'

/** The server gives up on a request after a minute. */
const LATE_MS = 120_000
const FIRST_INQUIRY_MS = 1000
const LAST_INQUIRY_MS = 60_000

interface InquiryOptions {
  feed: Pick<Feed, 'lease'>
  identity: { gateway: string; boot: string }
  now: () => number
  onFault?: (fault: unknown) => void
}

export class UnconfirmedGrant {
  /** A failed request may be executed until then; null: none has failed. */
  #until: number | null = null
  #inquireAt = Infinity
  #retryMs = FIRST_INQUIRY_MS

  get exists(): boolean {
    return this.#until !== null
  }

  isDue(now: number): boolean {
    return this.#until !== null && now >= this.#inquireAt
  }

  /** Asks which lease is open; null: the server is away. */
  async inquire(
    { feed, identity, now, onFault }: InquiryOptions,
    access: bigint,
  ): Promise<LeaseGrant | null> {
    const sentAt = now()
    try {
      const grant = await feed.lease(identity, { access, want_bytes: 0n })
      this.answered(sentAt)
      return grant
    } catch (error) {
      this.#inquireAt = now() + this.#retryMs
      this.#retryMs = Math.min(this.#retryMs * 2, LAST_INQUIRY_MS)
      onFault?.(error)
      return null
    }
  }

  /** A request that wanted bytes failed. */
  failed(now: number): void {
    this.#until = now + LATE_MS
    this.#retryMs = FIRST_INQUIRY_MS
    this.#inquireAt = now + FIRST_INQUIRY_MS
  }

  /** The server answered a request sent at `sentAt`, and the answer named the open lease. */
  answered(sentAt: number): void {
    if (this.#until === null) return
    this.#retryMs = FIRST_INQUIRY_MS
    if (sentAt >= this.#until) this.#until = null
    else this.#inquireAt = this.#until
  }
}
