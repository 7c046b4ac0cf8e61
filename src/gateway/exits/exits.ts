/**
 * The exits of all pools: as the feed gives them, in the order for a targeting, and with a slot for each
 * connection.
 */

import type { Feed, FeedExit } from '#feed'
import { ExitPermits } from '../limits/exit.permits.ts'
import type { WorkerBus } from '../limits/worker.bus.ts'
import { Answers } from './answers.ts'
import { PlaceOutcomes } from './place.outcomes.ts'
import {
  Candidates,
  exitServes,
  type ExitTargeting,
  isRotating,
  renewals,
  rendezvous,
  stickyKey,
} from './choice.ts'
import type { NameResolver } from '../targets/resolver.ts'
import { type ExitSlot, HealthTracker } from './health.ts'
import { Pipelining } from './shortcuts.ts'
import { WarmPools } from './warm.ts'

export type { ExitHealth } from './health.ts'
export type { WarmFigures } from './warm.ts'

/** A slot, or the reason why none is available. */
type Acquired = ExitSlot | 'full' | 'open'

const REFRESH_MS = 60_000
const RETRY_MS = 1000

export class Exits {
  readonly #feed: Pick<Feed, 'exits'>
  readonly #onFault: (fault: unknown) => void
  readonly #onReplaced: (exits: readonly FeedExit[]) => void
  readonly #clock: () => number
  #exits: FeedExit[] = []
  #timer: NodeJS.Timeout | null = null
  #refreshing: Promise<void> | null = null
  #isStale = false
  #isStopped = false
  readonly health: HealthTracker
  /** How they answered customers' connections, for the heartbeats. */
  readonly answers = new Answers()
  /** How the connections to each country ended, for the heartbeats. */
  readonly places: PlaceOutcomes
  readonly pipelining = new Pipelining()
  /** Connections that are made ahead. */
  readonly warm: WarmPools
  /** Null: there are no other workers. */
  readonly #permits: ExitPermits | null

  constructor(options: {
    feed: Pick<Feed, 'exits'>
    /** Looks up the exits for which connections are opened in advance. */
    names: Pick<NameResolver, 'resolve'>
    onFault: (fault: unknown) => void
    /** Called with all exits when they are loaded, and when they may have changed. */
    onReplaced?: (exits: readonly FeedExit[]) => void
    /** Epoch milliseconds; the clocks of all gateways should agree. */
    clock?: () => number
    health?: HealthTracker
    /** The other workers of this machine, which share the limits of exits. */
    bus?: WorkerBus | null
  }) {
    this.#feed = options.feed
    this.#onFault = options.onFault
    this.#onReplaced = options.onReplaced ?? (() => undefined)
    this.#clock = options.clock ?? Date.now
    this.places = new PlaceOutcomes(this.#clock)
    const health = options.health ?? new HealthTracker()
    this.health = health
    const { bus = null } = options
    const permits = bus === null ? null : new ExitPermits(bus, (id) => health.connections(id))
    if (permits !== null) health.onRelease = (id) => permits.left(id)
    this.#permits = permits
    this.warm = new WarmPools({
      names: options.names,
      acquire: async (exit) => await this.acquire(exit),
      state: (id) => health.state(id),
      onFault: options.onFault,
    })
  }

  /**
   * Requests the exits from the feed; while it does not answer the known exits are kept, and the request is
   * repeated after a second.
   */
  refresh(): Promise<void> {
    this.#isStale = true
    this.#refreshing ??= this.#load().finally(() => (this.#refreshing = null))
    return this.#refreshing
  }

  /**
   * The exits that serve the targeting, in the order in which they are tried. Their health is not considered
   * here.
   */
  candidates(who: { access: bigint; pool: string }, targeting: ExitTargeting): Candidates {
    const fitting = this.#exits.filter((exit) => exit.pool === who.pool && exitServes(exit, targeting))
    const rotates = isRotating(targeting)
    // Without a preset the key of a rotating line decides nothing, and a random one would be a part of each
    // tunnel's cost.
    const hasKey = !rotates || fitting.some(({ preset }) => preset !== null)
    const key = hasKey ? stickyKey(who, targeting, this.#clock()) : ''
    const times = targeting.renewal === undefined ? 0 : renewals(who, targeting, this.#clock())
    if (times > 0) return this.#renewed(fitting, targeting, { key, times })
    return new Candidates(rendezvous(fitting, rotates ? null : key), targeting, key)
  }

  /**
   * The exits of a session that its owner ended: a seller gives the new key another address; of exits with
   * addresses of their own, the next one is used.
   */
  #renewed(
    fitting: readonly FeedExit[],
    targeting: ExitTargeting,
    { key, times }: { key: string; times: number },
  ): Candidates {
    const again = `${key}|${times}`
    if (fitting.every(({ preset }) => preset !== null))
      return new Candidates(rendezvous(fitting, again), targeting, again)
    const order = rendezvous(fitting, key)
    const first = times % Math.max(1, order.length)
    return new Candidates([...order.slice(first), ...order.slice(0, first)], targeting, again)
  }

  /**
   * A slot for one connection of the exit; a promise only where the workers of this machine share its limit.
   */
  acquire(exit: FeedExit): Acquired | Promise<Acquired> {
    const { max_connections: most } = exit
    if (this.#permits === null || most === null) return this.health.acquire(exit)
    if (this.health.state(exit.id) === 'open') return 'open'
    return this.#acquireWithPermit(exit, this.#permits, most)
  }

  async #acquireWithPermit(exit: FeedExit, permits: ExitPermits, most: number): Promise<Acquired> {
    const counted = await permits.take(exit, most)
    if (counted === null) return 'full'
    const slot = this.health.acquire(exit)
    counted()
    return slot
  }

  /** All exits of all pools. */
  get all(): readonly FeedExit[] {
    return this.#exits
  }

  /** Uses the exits known before a restart until the feed answers. */
  restore(exits: FeedExit[]): void {
    this.#replace(exits)
  }

  stop(): void {
    this.#isStopped = true
    this.warm.stop()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #load(): Promise<void> {
    let nextMs = REFRESH_MS
    // A change announced while an answer is under way is not contained in that answer.
    while (this.#isStale) {
      this.#isStale = false
      try {
        this.#replace(await this.#feed.exits())
      } catch (error) {
        this.#onFault(error)
        nextMs = RETRY_MS
      }
    }
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.refresh(), nextMs).unref()
  }

  #replace(exits: FeedExit[]): void {
    const before = new Map(this.#exits.map((exit) => [exit.id, connectionOf(exit)]))
    const isChanged = (exit: FeedExit) => before.get(exit.id) !== connectionOf(exit)
    const changed = new Set(exits.filter(isChanged).map(({ id }) => id))
    this.#exits = exits
    this.#onReplaced(exits)
    this.health.keep(exits, changed)
    this.pipelining.keep(exits, changed)
    this.warm.keep(exits, changed)
  }
}

/** Everything that decides how an exit is connected to. */
function connectionOf(exit: FeedExit): string {
  const { id: _id, places: _places, weight: _weight, warm_connections: _warm, ...rest } = exit
  return JSON.stringify(rest)
}
