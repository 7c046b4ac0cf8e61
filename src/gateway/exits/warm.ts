/**
 * Connections to an exit, over TLS where it is required, that are opened before a customer needs one. They
 * carry no customer's data: the login is sent with the request for a tunnel. Each has one of the exit's
 * slots.
 */

import { performance } from 'node:perf_hooks'
import type { FeedExit } from '#feed'
import { Cancellation } from '#lib/cancel-signal'
import type { Ip } from '#lib/ip'
import { type AnySocket, type ByteSource, type Receiver, sourceOf } from '../sockets/source.ts'
import type { NameResolver } from '../targets/resolver.ts'
import { reachExit } from './chain.ts'
import { ExitFailure } from './failure.ts'
import type { ExitSlot, ExitState } from './health.ts'
import type { WarmConnection } from './shortcuts.ts'

/** The time for which a connection is kept, unless the exit was observed to close idle ones. */
const FIRST_IDLE_MS = 50_000
/** How long a connection is kept, as a fraction of the time after which the exit closed an idle one. */
const IDLE_SHARE = 0.8
/** Observations of idle connections expire after this time: a restart of the exit looks the same. */
const RELEARN_MS = 60 * 60_000
/** An exit that closes a connection sooner than this does not allow idle ones. */
const LEAST_IDLE_MS = 1000
/** An exit that was not used for this long gets no new ones. */
const QUIET_MS = 5 * 60_000
const TICK_MS = 1000
const CONNECT_MS = 10_000
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000
/** The maximum fraction of the exit's limit on connections that waits unused. */
const SHARE_OF_LIMIT = 0.1

export interface WarmFigures {
  /** Currently open and waiting. */
  open: number
  used: number
  /** Closed unused: too old, closed by the exit, or dropped with the pool. */
  expired: number
  /** Failed when a tunnel was requested over them. */
  stale: number
}

export interface WarmOptions {
  names: Pick<NameResolver, 'resolve'>
  acquire: (exit: FeedExit) => Promise<ExitSlot | 'full' | 'open'>
  state: (id: bigint) => ExitState
  onFault: (fault: unknown) => void
  now?: (() => number) | undefined
}

/** A connection that waits. */
class WarmSocket implements Receiver, WarmConnection {
  readonly socket: AnySocket
  readonly ip: Ip
  readonly slot: ExitSlot
  readonly openedAt: number
  readonly #pool: WarmPool
  readonly #source: ByteSource

  constructor(
    pool: WarmPool,
    { socket, ip, slot, openedAt }: { socket: AnySocket; ip: Ip; slot: ExitSlot; openedAt: number },
  ) {
    this.#pool = pool
    this.socket = socket
    this.ip = ip
    this.slot = slot
    this.openedAt = openedAt
    this.#source = sourceOf(socket)
    this.#source.receiver = this
    this.#source.start()
  }

  /** Bytes that were not requested, possibly a 408: they must not be taken for the answer to a request. */
  received(): void {
    this.#pool.closedByExit(this)
  }

  ended(): void {
    this.#pool.closedByExit(this)
  }

  closed(): void {
    this.#pool.closedByExit(this)
  }

  detach(): void {
    this.#source.stop()
    this.#source.receiver = null
  }

  close(): void {
    this.detach()
    this.socket.destroy()
    this.slot.release()
  }

  wasStale(isClosed: boolean): void {
    this.#pool.wasStale(this, isClosed)
  }
}

/** The waiting connections of one exit. */
class WarmPool {
  exit: FeedExit
  readonly #options: WarmOptions
  readonly #now: () => number
  /** The oldest first. */
  #idle: WarmSocket[] = []
  #opening = 0
  #cancellation = new Cancellation()
  #isFillScheduled = false
  #usedAt = -Infinity
  #idleMs = FIRST_IDLE_MS
  #learntAt = 0
  /**
   * After a failure connections are opened one at a time, and not before `#resumeAt`; 0: the last one stayed
   * open.
   */
  #pauseMs = 0
  #resumeAt = -Infinity
  readonly #counts = { used: 0, expired: 0, stale: 0 }

  constructor(exit: FeedExit, options: WarmOptions) {
    this.exit = exit
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  figures(): WarmFigures {
    return { open: this.#idle.length, ...this.#counts }
  }

  /** The youngest connection, or null; a replacement is opened later. */
  take(): WarmConnection | null {
    this.#usedAt = this.#now()
    this.#expire()
    this.#scheduleFill()
    const taken = this.#idle.pop()
    if (taken === undefined) return null
    taken.detach()
    this.#counts.used++
    return taken
  }

  /**
   * Closes connections that are too old, or all of them while the breaker is not closed, and opens missing
   * ones.
   */
  maintain(): void {
    this.#expire()
    const [oldest] = this.#idle
    if (oldest !== undefined && this.#now() - oldest.openedAt >= LEAST_IDLE_MS) this.#pauseMs = 0
    this.#fill()
  }

  /** Closes all connections, including those being opened. */
  drop(): void {
    this.#cancellation.abort()
    this.#cancellation = new Cancellation()
    this.#counts.expired += this.#idle.length
    const dropped = this.#idle
    this.#idle = []
    for (const warm of dropped) warm.close()
  }

  closedByExit(warm: WarmSocket): void {
    this.#idle = this.#idle.filter((other) => other !== warm)
    this.#counts.expired++
    warm.close()
    this.#learn(this.#now() - warm.openedAt)
  }

  /**
   * A tunnel was opened over a new connection but not over this one, which the exit closed or did not answer
   * on.
   */
  wasStale(warm: WarmSocket, isClosed: boolean): void {
    this.#counts.stale++
    this.drop()
    if (isClosed) this.#learn(this.#now() - warm.openedAt)
  }

  #learn(ageMs: number): void {
    if (ageMs < LEAST_IDLE_MS) {
      this.#pause()
      return
    }
    this.#idleMs = Math.min(this.#idleMs, ageMs * IDLE_SHARE)
    this.#learntAt = this.#now()
  }

  /** Several connections that fail together count as one failure. */
  #pause(): void {
    const now = this.#now()
    if (now < this.#resumeAt) return
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2))
    this.#resumeAt = now + this.#pauseMs
  }

  #expire(): void {
    if (this.#options.state(this.exit.id) !== 'closed') {
      this.drop()
      return
    }
    const now = this.#now()
    if (now - this.#learntAt >= RELEARN_MS) this.#idleMs = FIRST_IDLE_MS
    for (;;) {
      const [oldest] = this.#idle
      if (oldest === undefined || now - oldest.openedAt < this.#idleMs) return
      this.#idle.shift()
      this.#counts.expired++
      oldest.close()
    }
  }

  /** Runs after the tunnel that is being opened has sent its request. */
  #scheduleFill(): void {
    if (this.#isFillScheduled) return
    this.#isFillScheduled = true
    setImmediate(() => {
      this.#isFillScheduled = false
      this.#fill()
    })
  }

  #fill(): void {
    const { warm_connections: wanted, max_connections: limit, id } = this.exit
    const now = this.#now()
    if (now < this.#resumeAt || now - this.#usedAt > QUIET_MS || this.#options.state(id) !== 'closed') return
    const most = limit === null ? wanted : Math.min(wanted, Math.floor(limit * SHARE_OF_LIMIT))
    const missing = most - this.#idle.length - this.#opening
    const count = this.#pauseMs === 0 ? missing : Math.min(missing, this.#opening === 0 ? 1 : 0)
    for (let index = 0; index < count; index++) void this.#open()
  }

  async #open(): Promise<void> {
    const signal = this.#cancellation
    this.#opening++
    try {
      const slot = await this.#options.acquire(this.exit)
      if (typeof slot === 'string') this.#pause()
      else await this.#connect(slot, signal)
    } catch (error) {
      if (signal.aborted) return
      // A customer's own connection, or a health check, will show whether the exit has failed.
      this.#pause()
      if (!(error instanceof ExitFailure)) this.#options.onFault(error)
    } finally {
      this.#opening--
    }
  }

  async #connect(slot: ExitSlot, signal: Cancellation): Promise<void> {
    const { exit } = this
    try {
      // The trial of a breaker that has opened in the meantime belongs to a customer's connection or a health
      // check.
      if (signal.aborted || this.#options.state(exit.id) !== 'closed') throw new Error('the pool was dropped')
      const { names } = this.#options
      const deadline = performance.now() + CONNECT_MS
      const link = { exit, credentials: null, names, signal, deadline, shortcuts: null, reached: null }
      const reached = await reachExit(link)
      if (signal.aborted) {
        reached.socket.destroy()
        throw new Error('the pool was dropped')
      }
      this.#idle.push(new WarmSocket(this, { ...reached, slot, openedAt: this.#now() }))
    } catch (error) {
      slot.release()
      throw error
    }
  }
}

/** The waiting connections of all exits that have any. */
export class WarmPools {
  readonly #options: WarmOptions
  readonly #pools = new Map<bigint, WarmPool>()
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(options: WarmOptions) {
    this.#options = options
  }

  /**
   * A connection for one tunnel, or null: the caller opens one itself. Its slot belongs to the caller from
   * here on.
   */
  take(exit: FeedExit): WarmConnection | null {
    if (exit.warm_connections === 0 || this.#isStopped) return null
    let pool = this.#pools.get(exit.id)
    if (pool === undefined) {
      pool = new WarmPool(exit, this.#options)
      this.#pools.set(exit.id, pool)
      this.#timer ??= setInterval(() => this.maintain(), TICK_MS).unref()
    }
    return pool.take()
  }

  maintain(): void {
    for (const pool of this.#pools.values()) pool.maintain()
  }

  /** Drops the connections to exits that no longer exist or are connected to differently. */
  keep(exits: readonly FeedExit[], changed: ReadonlySet<bigint>): void {
    const byId = new Map(exits.map((exit) => [exit.id, exit]))
    for (const [id, pool] of this.#pools) {
      const exit = byId.get(id)
      if (exit === undefined || changed.has(id) || exit.warm_connections < pool.exit.warm_connections)
        pool.drop()
      if (exit === undefined) this.#pools.delete(id)
      else pool.exit = exit
    }
  }

  figures(id: bigint): WarmFigures {
    return this.#pools.get(id)?.figures() ?? { open: 0, used: 0, expired: 0, stale: 0 }
  }

  /** Closes all connections, and makes no more. */
  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearInterval(this.#timer)
    for (const pool of this.#pools.values()) pool.drop()
    this.#pools.clear()
  }
}
