/**
 * Opening a tunnel through an exit in fewer round trips, and the record of the exits for which that fails.
 */

import { performance } from 'node:perf_hooks'
import type { FeedExit } from '#feed'
import type { Ip } from '#lib/ip'
import { ReadTimeout, type SocketReader } from '../sockets/reader.ts'
import type { AnySocket } from '../sockets/source.ts'
import type { ExitSlot } from './health.ts'

/** An exit that did not accept a whole handshake in one segment is tried again after this. */
const AGAIN_MS = 10 * 60_000
/** The minimum wait for an answer before the ordinary handshake is used. */
const LEAST_PATIENCE_MS = 2000

/** A connection to an exit opened in advance, with its slot. */
export interface WarmConnection {
  readonly socket: AnySocket
  readonly ip: Ip
  readonly slot: ExitSlot
  /**
   * Called when the request failed on it and then succeeded on a new connection; `isClosed`: the exit had
   * closed it.
   */
  wasStale(isClosed: boolean): void
}

/** The means by which a tunnel may be opened in fewer round trips. */
export interface Shortcuts {
  warm: WarmConnection | null
  pipelining: Pipelining
  /** The latency of the exit's last connection; null: there was none. */
  latencyMs: number | null
}

/** How the request is sent the first time. */
export interface Way {
  warm: WarmConnection | null
  /** A SOCKS5 handshake in one segment. */
  atOnce: boolean
}

export const ORDINARY: Way = { warm: null, atOnce: false }

/**
 * The exit did not answer a shortened handshake, possibly because it was shortened. The ordinary handshake
 * follows over a new connection, and only its outcome counts.
 */
export class ShortcutFailed extends Error {
  /** No byte of an answer was received. */
  readonly isUnanswered: boolean
  constructor(isUnanswered: boolean, options?: ErrorOptions) {
    super('the exit did not answer a shortened handshake', options)
    this.isUnanswered = isUnanswered
  }

  /** The exit was silent; otherwise it closed the connection, or sent an invalid answer. */
  get isLate(): boolean {
    return this.cause instanceof ReadTimeout
  }
}

/** The time limit of a handshake. */
export interface Patience {
  /** Monotonic milliseconds. */
  deadline: number
  /** The shortcut has failed after this time without a first byte; null: none is used. */
  answerMs: number | null
}

/**
 * The time for which a shortened handshake waits for its answer, out of the time left until `deadline`
 * (monotonic milliseconds).
 */
export function patienceMs(latencyMs: number | null, deadline: number): number {
  // The ordinary handshake gets at least as much time.
  return Math.min(LEAST_PATIENCE_MS + 2 * (latencyMs ?? 0), (deadline - performance.now()) / 2)
}

/** Waits for the first bytes of an answer, and leaves them in the reader. */
export async function expectAnswer(reader: SocketReader, timeoutMs: number): Promise<void> {
  let chunk: Buffer | null
  try {
    chunk = await reader.read(Math.max(1, timeoutMs))
  } catch (error) {
    throw new ShortcutFailed(true, { cause: error })
  }
  if (chunk === null) throw new ShortcutFailed(true)
  reader.unread(chunk)
}

/** The SOCKS5 exits that accept greeting, login and request in one segment, as observed by this worker. */
export class Pipelining {
  readonly #known = new Map<bigint, { isAccepted: boolean; at: number }>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  isAccepted(id: bigint): boolean {
    return this.#known.get(id)?.isAccepted === true
  }

  /** Whether a health check should try it. A check without a target has nothing to request. */
  isUntried({ id, kind, probe_target: target }: FeedExit): boolean {
    if (kind !== 'socks5' || target === null) return false
    const known = this.#known.get(id)
    return known === undefined || (!known.isAccepted && this.#now() - known.at >= AGAIN_MS)
  }

  learn(id: bigint, isAccepted: boolean): void {
    this.#known.set(id, { isAccepted, at: this.#now() })
  }

  /** Removes exits that no longer exist or have changed. */
  keep(exits: readonly Pick<FeedExit, 'id'>[], changed: ReadonlySet<bigint>): void {
    const ids = new Set(exits.map(({ id }) => id))
    for (const id of this.#known.keys()) if (!ids.has(id) || changed.has(id)) this.#known.delete(id)
  }
}
