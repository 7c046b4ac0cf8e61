/**
 * The health of the exits as observed by this worker: a circuit breaker for each, and its connections.
 *
 * A breaker opens after three failures in a row or ten among the last twenty connections, and at once for
 * failures that no retry will fix (refused credentials, an exhausted balance). After a pause, longer each
 * time, one connection is admitted as a trial; when it succeeds the breaker closes. Failures of targets, and
 * settings that an exit cannot serve, do not count: a customer must not be able to close an exit for the
 * others.
 */

import type { FeedExit } from '#feed'

const IN_A_ROW = 3
const WINDOW = 20
const OF_THE_WINDOW = 10
const FIRST_PAUSE_MS = 5_000
/** After a failure that no retry will fix. */
const LASTING_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 5 * 60_000

export type ExitState = 'closed' | 'open' | 'half_open'

export interface ExitHealth {
  /** `closed`: in use. `open`: not used for a while. `half_open`: one trial at a time. */
  state: ExitState
  connections: number
  succeeded: number
  failed: number
  /** The time that the last successful connection took; null: there was none. */
  latencyMs: number | null
  /** The last failure; null: there was none since the last success. */
  lastFailure: string | null
}

interface Entry {
  connections: number
  succeeded: number
  failed: number
  latencyMs: number | null
  lastFailure: string | null
  /** Monotonic milliseconds of the last success or failure. */
  reportedAt: number
  inARow: number
  /** The last outcomes; true for a failure. */
  window: boolean[]
  /** Null: the breaker is closed. */
  tripped: { until: number; pauseMs: number; trial: boolean } | null
}

/**
 * One of the connections of an exit: its outcome is reported once, and it is released when the connection is
 * closed.
 */
export class ExitSlot {
  readonly #health: HealthTracker
  readonly #id: bigint
  readonly #entry: Entry
  readonly #isTrial: boolean
  #isReported = false
  #isReleased = false

  constructor(health: HealthTracker, { id, entry, isTrial }: { id: bigint; entry: Entry; isTrial: boolean }) {
    this.#health = health
    this.#id = id
    this.#entry = entry
    this.#isTrial = isTrial
  }

  succeeded(latencyMs: number): void {
    if (this.#report()) this.#health.countSuccess(this.#entry, latencyMs)
  }

  failed(what: string, lasting: boolean): void {
    if (this.#report()) this.#health.countFailure(this.#entry, what, lasting)
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#report()
    this.#entry.connections--
    this.#health.onRelease(this.#id)
  }

  /** The next trial may begin when this one has an outcome, or was released without one. */
  #report(): boolean {
    if (this.#isReported) return false
    this.#isReported = true
    if (this.#isTrial && this.#entry.tripped !== null) this.#entry.tripped.trial = false
    return true
  }
}

export class HealthTracker {
  readonly #entries = new Map<bigint, Entry>()
  readonly #now: () => number
  /** Called when a slot of the exit is released. */
  onRelease: (id: bigint) => void = () => undefined

  constructor(options: { now?: () => number } = {}) {
    this.#now = options.now ?? (() => performance.now())
  }

  /** A slot, or the reason why none is available. */
  acquire(exit: Pick<FeedExit, 'id' | 'max_connections'>): ExitSlot | 'full' | 'open' {
    const entry = this.#entry(exit.id)
    if (exit.max_connections !== null && entry.connections >= exit.max_connections) return 'full'
    const { tripped } = entry
    if (tripped !== null && (tripped.trial || this.#now() < tripped.until)) return 'open'
    if (tripped !== null) tripped.trial = true
    entry.connections++
    return new ExitSlot(this, { id: exit.id, entry, isTrial: tripped !== null })
  }

  /** Counts an outcome without a slot: of a health check, or a failure that became clear later. */
  note(id: bigint, outcome: { latencyMs: number } | { what: string; lasting: boolean }): void {
    const entry = this.#entry(id)
    if ('latencyMs' in outcome) this.countSuccess(entry, outcome.latencyMs)
    else this.countFailure(entry, outcome.what, outcome.lasting)
  }

  /** The number of the exit's connections on this worker. */
  connections(id: bigint): number {
    return this.#entries.get(id)?.connections ?? 0
  }

  /** The time that the last successful connection took to open; null: there was none. */
  latencyMs(id: bigint): number | null {
    return this.#entries.get(id)?.latencyMs ?? null
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

  /** The time since the last outcome; infinite when there was none. */
  silentMs(id: bigint): number {
    return this.#now() - this.#entry(id).reportedAt
  }

  /**
   * Removes exits that no longer exist, and closes the breaker of changed ones, since a new password
   * justifies a new attempt.
   */
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
        reportedAt: -Infinity,
        inARow: 0,
        window: [],
        tripped: null,
      }
      this.#entries.set(id, entry)
    }
    return entry
  }

  countSuccess(entry: Entry, latencyMs: number): void {
    entry.succeeded++
    entry.latencyMs = latencyMs
    entry.reportedAt = this.#now()
    entry.inARow = 0
    remember(entry, false)
    // A connection begun before the breaker opened says nothing about the current state.
    if (entry.tripped === null || this.#now() >= entry.tripped.until) this.#close(entry)
  }

  #close(entry: Entry): void {
    if (entry.tripped !== null) entry.window = []
    entry.tripped = null
    entry.inARow = 0
    entry.lastFailure = null
  }

  countFailure(entry: Entry, what: string, lasting: boolean): void {
    entry.failed++
    entry.lastFailure = what
    entry.reportedAt = this.#now()
    entry.inARow++
    remember(entry, true)
    const { tripped } = entry
    if (tripped !== null) {
      // Connections begun before the breaker opened do not make the pause longer.
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
