/**
 * A worker's part of sharing connections evenly. The kernel chooses the worker that accepts a connection, by
 * a hash: of eight, seven may come to one worker. A worker that has more load than another one hands the
 * connection on before anything is read from it (docs/decisions/0019-connections-shared-evenly.md).
 */

import type { AcceptedOn, LoadMessage, LoadNotice, PassedConnection } from './messages.ts'

/** A flow in bulk transfer is as much load as this many open connections, of which most are idle. */
export const BULK_LOAD = 64
/**
 * Handing over costs about half as much as a tunnel: this many handovers per second, and reports of the load,
 * are negligible.
 */
const PER_SECOND = 20
/** After this many changes the load is reported immediately instead of at the next tick. */
const REPORTS_AT_ONCE = 64
/** A change smaller than this fraction of the load is reported within a second instead of immediately. */
const PART_OF_LOAD = 8
const EVERY_CHANGE_MS = 1000
/** The ignored difference of loads grows by one with every this many recent handovers. */
const SPENT_PER_DIFFERENCE = 4
/**
 * An answer takes milliseconds. There is none when the message lost its descriptor, because a process has
 * reached its limit of open files.
 */
const ANSWER_MS = 10_000

/** The bus, as far as it is used here. */
export interface LoadBus {
  readonly workers: number
  send(message: LoadMessage, connection?: PassedConnection): void
  subscribe(listener: (notice: LoadNotice | { kind: string }, connection?: PassedConnection) => void): void
}

export interface LoadSharingOptions {
  /** Null: there are no other workers. */
  bus: LoadBus | null
  /** The load of this worker at present. */
  load: () => number
  /** Whether this worker accepts connections at present. */
  accepts: () => boolean
  /**
   * Serves a connection that was accepted on this port; false when the worker is closing, and leaves it open
   * then.
   */
  serve: (on: AcceptedOn, connection: PassedConnection) => boolean
  /** Monotonic milliseconds. */
  now?: () => number
}

/** A connection that was sent to another worker, which has not answered. */
interface Sent {
  to: number
  on: AcceptedOn
  connection: PassedConnection
  timer: NodeJS.Timeout
}

/** Another worker: its last report, plus the connections handed to it since. */
interface OtherLoad {
  load: number
  accepts: boolean
}

/** A count of recent events that decreases by PER_SECOND. */
class Recent {
  #count = 0
  #at = -Infinity

  at(nowMs: number): number {
    this.#count = Math.max(0, this.#count - ((nowMs - this.#at) / 1000) * PER_SECOND)
    this.#at = nowMs
    return this.#count
  }

  add(): void {
    this.#count++
  }
}

/**
 * Limits the cost of handing over: the more connections were handed over recently, the larger the difference
 * that is ignored. A few connections that open together are divided evenly. With thousands per second the
 * kernel's choice is even enough, and only flows in bulk transfer matter.
 */
export class HandoverAllowance {
  readonly #spent = new Recent()

  /** Whether a connection may be handed to a worker with less load by `difference`; counts it if so. */
  take(difference: number, nowMs: number): boolean {
    if (difference <= 0 || difference <= this.#spent.at(nowMs) / SPENT_PER_DIFFERENCE) return false
    this.#spent.add()
    return true
  }
}

export class LoadSharing {
  readonly #options: LoadSharingOptions
  readonly #now: () => number
  /** What is known of the other workers that take connections. */
  readonly #loads = new Map<number, OtherLoad>()
  /**
   * Another worker accepts connections, so it may take some or hand some over. Otherwise loads are not
   * needed.
   */
  #hasPeer = false
  readonly #sent = new Map<number, Sent>()
  readonly #allowance = new HandoverAllowance()
  readonly #reports = new Recent()
  #lastId = 0
  #reported: number | null = null
  #reportedAccepts = false
  #reportedAt = -Infinity
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(options: LoadSharingOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    options.bus?.subscribe((notice, connection) => this.#receive(notice as LoadNotice, connection))
  }

  /** Connections that were sent to another worker and may come back. */
  get pending(): number {
    return this.#sent.size
  }

  /** Called when the worker listens: it reports its load and takes connections from others. */
  start(): void {
    const { bus } = this.#options
    if (bus === null) return
    this.#report()
    // The coordinator receives the same number of reports whatever the number of workers.
    this.#timer = setInterval(() => this.#report(), Math.max(50, 10 * bus.workers)).unref()
  }

  /** Stops taking connections and handing them over. */
  stop(): void {
    this.#isStopped = true
    this.#loads.clear()
    if (this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#options.bus?.send({ kind: 'load', load: null, accepts: false })
  }

  /**
   * A connection was accepted and stays here. The other workers are informed before they get the next one.
   */
  kept(): void {
    if (this.#timer === null || !this.#hasPeer || this.#reports.at(this.#now()) >= REPORTS_AT_ONCE) return
    this.#reports.add()
    this.#report()
  }

  /**
   * Hands an accepted connection to the worker with the least load of those that accept; false when that is
   * this one. A worker that accepts none gets none: two workers that share little work cost more than one.
   */
  handOver(on: AcceptedOn, connection: PassedConnection): boolean {
    const { bus, load } = this.#options
    if (bus === null || !this.#hasPeer) return false
    let to = 0
    let least: OtherLoad | null = null
    for (const [worker, other] of this.#loads)
      if (other.accepts && (least === null || other.load < least.load)) {
        least = other
        to = worker
      }
    const own = load()
    if (least === null || !this.#allowance.take(own - least.load, this.#now())) return false
    const id = ++this.#lastId
    const timer = setTimeout(() => this.#settle(id)?.connection.close(), ANSWER_MS).unref()
    this.#sent.set(id, { to, on, connection, timer })
    least.load++
    this.#reported = own
    bus.send({ kind: 'connection', id, to, on, load: own }, connection)
    return true
  }

  #report(): void {
    const [load, accepts] = [this.#options.load(), this.#options.accepts()]
    const now = this.#now()
    if (accepts === this.#reportedAccepts) {
      if (load === this.#reported || !this.#hasPeer) return
      const isSmall = this.#reported !== null && Math.abs(load - this.#reported) * PART_OF_LOAD < load
      if (isSmall && now - this.#reportedAt < EVERY_CHANGE_MS) return
    }
    this.#reported = load
    this.#reportedAccepts = accepts
    this.#reportedAt = now
    this.#options.bus?.send({ kind: 'load', load, accepts })
  }

  #receive(notice: LoadNotice, connection?: PassedConnection): void {
    if (notice.kind === 'load_of') this.#told(notice)
    else if (notice.kind === 'connection_passed') this.#passed(notice, connection)
    else if (notice.kind === 'connection_answered') this.#answered(notice.id, notice.isTaken)
  }

  #told({ worker, load, accepts }: Extract<LoadNotice, { kind: 'load_of' }>): void {
    if (load === null || this.#isStopped) this.#loads.delete(worker)
    else {
      let known = load
      for (const { to } of this.#sent.values()) if (to === worker) known++
      this.#loads.set(worker, { load: known, accepts })
    }
    const had = this.#hasPeer
    this.#hasPeer = [...this.#loads.values()].some((other) => other.accepts)
    if (this.#hasPeer && !had && this.#timer !== null) this.#report()
  }

  #passed(
    { id, from, on }: Extract<LoadNotice, { kind: 'connection_passed' }>,
    connection?: PassedConnection,
  ) {
    const isTaken = connection !== undefined && this.#options.serve(on, connection)
    // The sender has a descriptor too: closing this one closes no connection.
    if (!isTaken) connection?.close()
    const load = this.#timer === null ? null : this.#options.load()
    this.#reported = load
    this.#options.bus?.send({ kind: 'connection_answered', id, from, isTaken, load })
  }

  #answered(id: number, isTaken: boolean): void {
    const sent = this.#settle(id)
    if (sent === undefined) return
    if (isTaken || !this.#options.serve(sent.on, sent.connection)) sent.connection.close()
  }

  #settle(id: number): Sent | undefined {
    const sent = this.#sent.get(id)
    if (sent === undefined) return undefined
    this.#sent.delete(id)
    clearTimeout(sent.timer)
    return sent
  }
}
