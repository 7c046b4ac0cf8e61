/**
 * Connections of customers who have capped them, on all gateways together. This gateway holds permits of the account,
 * asks for one more when all are in use, and gives back those that have lain idle for a moment. Accounts without a cap
 * cost nothing here.
 */

import type { Feed, FeedAccount } from './feed.ts'
import { tooManyConnections } from './limits.ts'

/** Another gateway gives back what lies idle within this time: a refusal is not final before. */
const GIVE_BACK_MS = 200
const ASK_AGAIN_MS = 100
const PATIENCE_MS = 600
const CLOSE_MS = 1000

interface Held {
  /** Granted to this gateway. */
  permits: number
  /** Connections that are about to be open. */
  entering: number
  timer: NodeJS.Timeout | null
  /** Calls of one account are made one after the other: the last answer is the truth. */
  asking: Promise<unknown>
}

export interface PermitsOptions {
  feed: Pick<Feed, 'permits'>
  identity: { gateway: string; boot: string }
  /** How many connections of the account are open here. */
  open: (account: bigint) => number
  onFault: (fault: unknown) => void
}

const capOf = ({ limits }: FeedAccount) => limits?.connections ?? null

export class Permits {
  readonly #options: PermitsOptions
  readonly #held = new Map<bigint, Held>()

  constructor(options: PermitsOptions) {
    this.#options = options
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
      const held = this.#of(id)
      held.entering++
      if (this.#needed(id, held) <= held.permits || (await this.#ask(id, held, cap))) {
        return () => {
          held.entering--
          this.left(id)
        }
      }
      held.entering--
      this.left(id)
      if (this.#needed(id, held) >= cap || performance.now() > deadline) throw tooManyConnections(cap)
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
  }

  /** A connection has ended: what is idle goes back soon, or serves the next one until then. */
  left(account: bigint): void {
    const held = this.#held.get(account)
    if (held === undefined) return
    held.timer ??= setTimeout(() => {
      held.timer = null
      if (this.#needed(account, held) < held.permits) void this.#giveBack(account, held)
      else this.#forgetIdle(account, held)
    }, GIVE_BACK_MS).unref()
  }

  /** The cap has changed: how many of the connections that are open here are too many now. */
  async tooMany(account: FeedAccount): Promise<number> {
    const cap = capOf(account)
    const { id } = account
    if (cap === null && !this.#held.has(id)) return 0
    const held = this.#of(id)
    await this.#tell(id, held)
    this.left(id)
    if (cap !== null) return Math.max(0, this.#needed(id, held) - held.permits)
    // Nobody counts any more; the server has forgotten what we held.
    this.#held.delete(id)
    return 0
  }

  /** Everything has ended: what is held goes back without waiting. */
  async close(): Promise<void> {
    const all = [...this.#held]
    for (const [, { timer }] of all) if (timer !== null) clearTimeout(timer)
    const given = all.map(([account, held]) => this.#tell(account, held).catch(this.#options.onFault))
    // A server that is away takes them for given back soon after it is there again.
    const patience = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
    await Promise.race([Promise.all(given), patience])
  }

  #of(account: bigint): Held {
    const known = this.#held.get(account)
    if (known !== undefined) return known
    const held: Held = { permits: 0, entering: 0, timer: null, asking: Promise.resolve() }
    this.#held.set(account, held)
    return held
  }

  #needed(account: bigint, held: Held): number {
    return this.#options.open(account) + held.entering
  }

  /** Whether there is a permit for everything that is open or about to be. */
  async #ask(account: bigint, held: Held, cap: number): Promise<boolean> {
    try {
      await this.#tell(account, held)
      return this.#needed(account, held) <= held.permits
    } catch (fault) {
      // The server is away: until it is back the cap is kept here alone.
      this.#options.onFault(fault)
      return this.#needed(account, held) <= cap
    }
  }

  #tell(account: bigint, held: Held): Promise<void> {
    const { feed, identity } = this.#options
    const telling = held.asking.then(async () => {
      held.permits = await feed.permits(identity, { account, want: this.#needed(account, held) })
    })
    held.asking = telling.catch(() => undefined)
    return telling
  }

  async #giveBack(account: bigint, held: Held): Promise<void> {
    try {
      await this.#tell(account, held)
      this.#forgetIdle(account, held)
    } catch (fault) {
      this.#options.onFault(fault)
      this.left(account)
    }
  }

  #forgetIdle(account: bigint, held: Held): void {
    if (held.permits === 0 && held.timer === null && this.#needed(account, held) === 0)
      this.#held.delete(account)
  }
}
