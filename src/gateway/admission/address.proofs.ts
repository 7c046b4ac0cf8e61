/**
 * Proofs of addresses: a customer who lists an address proves it by one connection from there with a
 * password. The account carries its unproven addresses, so that a connection needs no lookup; proofs are sent
 * in batches, and again until the server has answered.
 */

import { LRUCache } from 'lru-cache'
import type { AddressProof, Feed, FeedAccount } from '#feed'
import { withTimeout } from '#lib/timeout'

const BATCH_MS = 100
const RETRY_MS = 2000
const MOST_IN_BATCH = 500
/** Bounds the memory while the server is unreachable. Proofs beyond it are made by later connections. */
const MOST_WAITING = 10_000
/** For this long after the server's answer a cached account may still list the address as unproven. */
const TOLD_MS = 60_000
const STOP_MS = 1000

export interface AddressProofsOptions {
  feed: Pick<Feed, 'prove'>
  onFault: (fault: unknown) => void
}

export class AddressProofs {
  readonly #options: AddressProofsOptions
  /** By access and address. */
  readonly #waiting = new Map<string, AddressProof>()
  readonly #told = new LRUCache<string, true>({
    maxSize: MOST_WAITING,
    sizeCalculation: () => 1,
    ttl: TOLD_MS,
  })
  #timer: NodeJS.Timeout | null = null
  #sending: Promise<void> | null = null
  #isStopped = false

  constructor(options: AddressProofsOptions) {
    this.#options = options
  }

  /** A connection from the address was authenticated by the account's password. */
  connected({ access, to_prove }: FeedAccount, address: string): void {
    if (to_prove?.includes(address) !== true) return
    const key = `${access} ${address}`
    if (this.#waiting.has(key) || this.#told.has(key) || this.#waiting.size >= MOST_WAITING) return
    this.#waiting.set(key, { access, address })
    this.#sendIn(BATCH_MS)
  }

  /** An address was put on a whitelist, perhaps again: an earlier answer does not apply to it. */
  listed(): void {
    this.#told.clear()
  }

  /**
   * Sends the pending proofs, unless the server is unreachable. A lost proof is made again by a later
   * connection.
   */
  async stop({ isAway }: { isAway: boolean }): Promise<void> {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (isAway) return
    this.#sending ??= this.#send()
    await withTimeout(this.#sending, STOP_MS, () => undefined)
  }

  #sendIn(ms: number): void {
    if (this.#timer !== null || this.#sending !== null || this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#sending = this.#send()
    }, ms)
    this.#timer.unref()
  }

  async #send(): Promise<void> {
    const nextMs = await this.#sendBatch()
    this.#sending = null
    if (this.#waiting.size > 0) this.#sendIn(nextMs)
  }

  /** Returns the time in milliseconds after which the next batch may be sent. */
  async #sendBatch(): Promise<number> {
    if (this.#waiting.size === 0) return BATCH_MS
    const batch = [...this.#waiting].slice(0, MOST_IN_BATCH)
    try {
      await this.#options.feed.prove(batch.map(([, proof]) => proof))
    } catch (error) {
      this.#options.onFault(error)
      return RETRY_MS
    }
    for (const [key] of batch) {
      this.#waiting.delete(key)
      this.#told.set(key, true)
    }
    return BATCH_MS
  }
}
