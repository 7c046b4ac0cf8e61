/**
 * Connections of customers who have capped them, on all gateways together: this gateway holds permits of the account, as
 * many as it needs. Accounts without a cap cost nothing here.
 */

import { Allotment } from './permit.pool.ts'
import type { Feed, FeedAccount } from '#feed'
import { tooManyConnections } from './host.limits.ts'

/** Another gateway gives back what lies idle within this time: a refusal is not final before. */
const GIVE_BACK_MS = 200
const ASK_AGAIN_MS = 100
const PATIENCE_MS = 600
const CLOSE_MS = 1000

export interface PermitsOptions {
  feed: Pick<Feed, 'permits'>
  identity: { gateway: string; boot: string }
  /** How many connections of the account are open here. */
  open: (account: bigint) => number
  onFault: (fault: unknown) => void
}

const capOf = ({ limits }: FeedAccount) => limits?.connections ?? null

export class Permits {
  readonly #onFault: PermitsOptions['onFault']
  readonly #held: Allotment

  constructor({ feed, identity, open, onFault }: PermitsOptions) {
    this.#onFault = onFault
    this.#held = new Allotment({
      open,
      ask: (account, { want }) => feed.permits(identity, { account, want }),
      idleMs: GIVE_BACK_MS,
      onFault,
    })
  }

  /** Whether connections of the account need permits. */
  counts(account: FeedAccount): boolean {
    return capOf(account) !== null
  }

  /**
   * Keeps a place for one more connection; 429 when the account's cap leaves none. Whoever has it calls the function
   * that comes back in the moment in which the connection is open, or will not be.
   */
  async enter(account: FeedAccount): Promise<() => void> {
    const cap = capOf(account)
    if (cap === null) return () => undefined
    const { id } = account
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const opened = this.#held.enter(id, cap)
      if (await this.#covers(id, cap)) return opened
      opened()
      if (this.#held.needed(id) >= cap || performance.now() > deadline) throw tooManyConnections(cap)
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }

  /** A connection has ended. */
  left(account: bigint): void {
    this.#held.left(account)
  }

  /** The cap has changed: how many of the connections that are open here are too many now. */
  async tooMany(account: FeedAccount): Promise<number> {
    const cap = capOf(account)
    const { id } = account
    if (cap === null && !this.#held.has(id)) return 0
    const permits = await this.#held.tell(id, cap ?? 0)
    if (cap !== null) return Math.max(0, this.#held.needed(id) - permits)
    // Nobody counts any more; the server has forgotten what we held.
    this.#held.drop(id)
    return 0
  }

  /** Everything has ended: what is held goes back without waiting. */
  async close(): Promise<void> {
    // A server that is away takes them for given back soon after it is there again.
    const patience = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
    await Promise.race([this.#held.close(), patience])
  }

  async #covers(account: bigint, cap: number): Promise<boolean> {
    try {
      return await this.#held.covers(account)
    } catch (fault) {
      // The server is away: until it is back the cap is kept here alone.
      this.#onFault(fault)
      return this.#held.needed(account) <= cap
    }
  }
}
