/**
 * How the exits are doing, as far as this worker has seen: a circuit breaker for each, and how many connections it has.
 *
 * A breaker opens after three failures in a row or ten of the last twenty connections, and at once for what no second
 * try will mend (refused credentials, a budget at its end). After a while, longer each time, one connection is let
 * through as a trial: when it succeeds all is well again. Failures of targets, and of settings an exit cannot serve,
 * are not counted: a customer must not be able to close an exit for the others.
 */

import type { FeedExit } from '#feed'

const IN_A_ROW = 3
const WINDOW = 20
const OF_THE_WINDOW = 10
const FIRST_PAUSE_MS = 5_000
const LASTING_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 5 * 60_000

export type ExitState = 'closed' | 'open' | 'half_open'

export interface ExitHealth {
  /** `closed`: in use. `open`: left alone for a while. `half_open`: one trial at a time. */
  state: ExitState
  connections: number
  succeeded: number
  failed: number
  /** How long the last connection that succeeded took to be made; null: none has. */
  latencyMs: number | null
  /** What the last failure was; null: there was none, or it has succeeded since. */
  lastFailure: string | null
}

/** A place among the connections of an exit; it is told once how it went, and left once the connection is over. */
export interface Seat {
  succeeded(latencyMs: number): void
  failed(what: string, lasting: boolean): void
  leave(): void
}

interface Entry {
  connections: number
  succeeded: number
  failed: number
  latencyMs: number | null
  lastFailure: string | null
  /** Monotonic milliseconds of the last success or failure. */
  toldAt: number
  inARow: number
  /** The last outcomes, true for a failure. */
  window: boolean[]
  /** Set while the breaker is not closed. */
  tripped: { until: number; pauseMs: number; trial: boolean } | null
}

class TakenSeat implements Seat {
  readonly #health: Health
  readonly #id: bigint
  readonly #entry: Entry
  readonly #isTrial: boolean
  #told = false
  #left = false

  constructor(health: Health, { id, entry, isTrial }: { id: bigint; entry: Entry; isTrial: boolean }) {
    this.#health = health
    this.#id = id
    this.#entry = entry
    this.#isTrial = isTrial
  }

  succeeded(latencyMs: number): void {
    if (this.#tell()) this.#health.good(this.#entry, latencyMs)
  }

  failed(what: string, lasting: boolean): void {
    if (this.#tell()) this.#health.bad(this.#entry, what, lasting)
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    this.#tell()
    this.#entry.connections--
    this.#health.onLeave(this.#id)
  }

  /** The next may try when this one has told, or has come to nothing. */
  #tell(): boolean {
    if (this.#told) return false
    this.#told = true
    if (this.#isTrial && this.#entry.tripped !== null) this.#entry.tripped.trial = false
    return true
  }
}

export class Health {
  readonly #entries = new Map<bigint, Entry>()
  readonly #now: () => number
  /** Told when a connection of an exit has ended. */
  onLeave: (id: bigint) => void = () => undefined

  constructor(options: { now?: () => number } = {}) {
    this.#now = options.now ?? (() => performance.now())
  }

  /** A seat, or why there is none at present. */
  enter(exit: Pick<FeedExit, 'id' | 'max_connections'>): Seat | 'full' | 'open' {
    const entry = this.#entry(exit.id)
    if (exit.max_connections !== null && entry.connections >= exit.max_connections) return 'full'
    const { tripped } = entry
    if (tripped !== null && (tripped.trial || this.#now() < tripped.until)) return 'open'
    if (tripped !== null) tripped.trial = true
    entry.connections++
    return new TakenSeat(this, { id: exit.id, entry, isTrial: tripped !== null })
  }

  /** Something was learned outside of a connection: a health check, or a failure that became clear later. */
  note(id: bigint, outcome: { latencyMs: number } | { what: string; lasting: boolean }): void {
    const entry = this.#entry(id)
    if ('latencyMs' in outcome) this.good(entry, outcome.latencyMs)
    else this.bad(entry, outcome.what, outcome.lasting)
  }

  /** How many connections it has here. */
  connections(id: bigint): number {
    return this.#entries.get(id)?.connections ?? 0
  }

  of(id: bigint): ExitHealth {
    const { connections, succeeded, failed, latencyMs, lastFailure } = this.#entry(id)
    return { state: this.state(id), connections, succeeded, failed, latencyMs, lastFailure }
  }

  state(id: bigint): ExitState {
    const { tripped } = this.#entry(id)
    if (tripped === null) return 'closed'
    return this.#now() < tripped.until ? 'open' : 'half_open'
  }

  /** How long nothing was heard of it; since ever: infinity. */
  silentMs(id: bigint): number {
    return this.#now() - this.#entry(id).toldAt
  }

  /** Forgets exits that are no more, and the breaker of those that were changed: a new password deserves a new try. */
  keep(exits: readonly Pick<FeedExit, 'id'>[], changed: ReadonlySet<bigint>): void {
    const ids = new Set(exits.map(({ id }) => id))
    for (const [id, entry] of this.#entries) {
      if (!ids.has(id) && entry.connections === 0) this.#entries.delete(id)
      else if (changed.has(id)) this.#close(entry)
    }
  }

  #entry(id: bigint): Entry {
    let entry = this.#entries.get(id)
    if (entry === undefined) {
      entry = {
        connections: 0,
        succeeded: 0,
        failed: 0,
        latencyMs: null,
        lastFailure: null,
        toldAt: -Infinity,
        inARow: 0,
        window: [],
        tripped: null,
      }
      this.#entries.set(id, entry)
    }
    return entry
  }

  good(entry: Entry, latencyMs: number): void {
    entry.succeeded++
    entry.latencyMs = latencyMs
    entry.toldAt = this.#now()
    entry.inARow = 0
    remember(entry, false)
    // A connection from before the breaker opened says nothing about now.
    if (entry.tripped === null || this.#now() >= entry.tripped.until) this.#close(entry)
  }

  #close(entry: Entry): void {
    if (entry.tripped !== null) entry.window = []
    entry.tripped = null
    entry.inARow = 0
    entry.lastFailure = null
  }

  bad(entry: Entry, what: string, lasting: boolean): void {
    entry.failed++
    entry.lastFailure = what
    entry.toldAt = this.#now()
    entry.inARow++
    remember(entry, true)
    const { tripped } = entry
    if (tripped !== null) {
      // Those that were on their way when it opened do not make it open longer.
      if (this.#now() < tripped.until) return
      const pauseMs = Math.min(
        LONGEST_PAUSE_MS,
        Math.max(tripped.pauseMs * 2, lasting ? LASTING_PAUSE_MS : 0),
      )
      entry.tripped = { until: this.#now() + pauseMs, pauseMs, trial: false }
      return
    }
    const many = entry.window.filter((failed) => failed).length >= OF_THE_WINDOW
    if (!lasting && entry.inARow < IN_A_ROW && !many) return
    const pauseMs = lasting ? LASTING_PAUSE_MS : FIRST_PAUSE_MS
    entry.tripped = { until: this.#now() + pauseMs, pauseMs, trial: false }
  }
}

function remember(entry: Entry, failed: boolean): void {
  entry.window.push(failed)
  if (entry.window.length > WINDOW) entry.window.shift()
}
