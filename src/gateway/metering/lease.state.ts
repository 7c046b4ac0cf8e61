/**
 * The states of an account's lease in this process, and the one table of its transitions. A lease is open in
 * `open`, `extending` and `replacing`. At most one request is under way, and none before every report that
 * closes a lease is settled: a grant could extend that very lease.
 */

export type LeaseState =
  /** There is no lease. */
  | 'none'
  /** There is no lease, and a request is under way. */
  | 'asking'
  | 'open'
  /** A lease is open, and a request for more is under way. */
  | 'extending'
  /** The report that closes the lease is not settled. */
  | 'closing'
  /** A lease is open; the report that closes the one that it replaces is not settled. */
  | 'replacing'
  /** Neither the report that closes the replaced lease nor the one that closes its successor is settled. */
  | 'closing_both'

export type LeaseEvent =
  /** A request was sent. */
  | 'ask'
  /** It was answered with the open lease, or with the first one. */
  | 'granted'
  /** It was answered without a lease, or it failed. */
  | 'nothing'
  /** It was answered with another lease: the server has closed the open one by itself. */
  | 'replaced'
  /** A report was made that closes the lease. */
  | 'close'
  /** Such a report was settled. */
  | 'settled'

/** An event that is missing in a state cannot happen there. */
export const TRANSITIONS: Readonly<Record<LeaseState, Readonly<Partial<Record<LeaseEvent, LeaseState>>>>> = {
  none: { ask: 'asking' },
  asking: { granted: 'open', nothing: 'none' },
  open: { ask: 'extending', close: 'closing' },
  extending: { granted: 'open', nothing: 'open', replaced: 'replacing' },
  closing: { settled: 'none' },
  replacing: { close: 'closing_both', settled: 'open' },
  closing_both: { settled: 'closing' },
}

export class LeaseStateMachine {
  #state: LeaseState

  constructor(state: 'none' | 'open') {
    this.#state = state
  }

  get state(): LeaseState {
    return this.#state
  }

  allows(event: LeaseEvent): boolean {
    return TRANSITIONS[this.#state][event] !== undefined
  }

  /** Changes the state; false, and no change, when the event cannot happen in it. */
  apply(event: LeaseEvent): boolean {
    const next = TRANSITIONS[this.#state][event]
    if (next === undefined) return false
    this.#state = next
    return true
  }

  /** Whether a request is under way. */
  get isAsking(): boolean {
    return this.#state === 'asking' || this.#state === 'extending'
  }
}
