/**
 * Limits the tunnels and requests of accounts: the gateway's own limit, over all workers of this machine, and
 * the cap that a customer may set, over all gateways together. For an account with a cap this gateway holds
 * permits, as many as it needs; accounts without one cost no call.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed, FeedAccount } from '#feed'
import { withTimeout } from '#lib/timeout'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'
import { PermitPool } from './permit.pool.ts'
import { SharedCounter } from './shared.counter.ts'
import type { WorkerBus } from './worker.bus.ts'

/** Gateways return idle permits after this time: a refusal is not final before. */
const IDLE_MS = 200
const RETRY_MS = 100
const PATIENCE_MS = 600
const CLOSE_MS = 1000

export interface AccountLimiterOptions {
  feed: Pick<Feed, 'permits'>
  identity: { gateway: string; boot: string }
  /** The gateway's own limit of one account. */
  most: number
  /** How many are open on this worker. */
  open: (access: bigint) => number
  bus: WorkerBus | null
  onFault: (fault: unknown) => void
}

function tooManyConnections(most: number): ProxyRefusal {
  const sentence = `this account has ${most} open connections, the most there may be`
  return refusal('too_many_connections', sentence, { retryAfterSeconds: 1 })
}

const capOf = ({ limits }: FeedAccount) => limits?.connections ?? null

export class AccountLimiter {
  readonly #most: number
  readonly #onFault: AccountLimiterOptions['onFault']
  readonly #counter: SharedCounter<bigint>
  readonly #permits: PermitPool

  constructor({ feed, identity, most, open, bus, onFault }: AccountLimiterOptions) {
    this.#most = most
    this.#onFault = onFault
    this.#counter = new SharedCounter({ counted: 'accounts', most, own: open, read: BigInt, bus })
    this.#permits = new PermitPool({
      open,
      request: (access, { want }) => feed.permits(identity, { access, want }),
      idleMs: IDLE_MS,
      onFault,
    })
  }

  /** The 429 for one more, when `open` others are open here; null when it may be opened. */
  refusalOf(access: bigint, open: number): ProxyRefusal | null {
    return this.#counter.isFull(access, open) ? tooManyConnections(this.#most) : null
  }

  /** A connection was opened; `open` are open here now. */
  opened(access: bigint, open: number): void {
    this.#counter.changed(access, open)
  }

  /** A connection has ended; `open` are open here now. */
  ended(access: bigint, open: number): void {
    this.#counter.changed(access, open)
    this.#permits.left(access)
  }

  hasCap(account: FeedAccount): boolean {
    return capOf(account) !== null
  }

  /**
   * Reserves a permit for one more connection; 429 when the account's cap leaves none. The caller calls the
   * returned function when the connection is open, or when it is certain that it will not be.
   */
  async enter(account: FeedAccount): Promise<() => void> {
    const cap = capOf(account)
    if (cap === null) return () => undefined
    const { access } = account
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const opened = this.#permits.enter(access, cap)
      if (await this.#covers(access, cap)) return opened
      opened()
      if (this.#permits.needed(access) >= cap || performance.now() > deadline) throw tooManyConnections(cap)
      await sleep(RETRY_MS)
    }
  }

  /** The cap has changed: returns the number of open connections that exceed it. */
  async tooMany(account: FeedAccount): Promise<number> {
    const cap = capOf(account)
    const { access } = account
    if (cap === null && !this.#permits.has(access)) return 0
    const granted = await this.#permits.report(access, cap ?? 0)
    if (cap !== null) return Math.max(0, this.#permits.needed(access) - granted)
    // The cap was removed, and the server keeps no count.
    this.#permits.drop(access)
    return 0
  }

  /** All connections are closed: permits are returned immediately. */
  async close(): Promise<void> {
    // An unreachable server treats them as returned soon after it is back.
    await withTimeout(this.#permits.close(), CLOSE_MS, () => undefined)
  }

  async #covers(access: bigint, cap: number): Promise<boolean> {
    try {
      return await this.#permits.covers(access)
    } catch (error) {
      // The server is unreachable: until it is back the cap applies to this gateway alone.
      this.#onFault(error)
      return this.#permits.needed(access) <= cap
    }
  }
}
