/**
 * The choice of a server when there are several: the first usable one. A server that was lost is not used for
 * a rest, which doubles while the server is lost soon after each return, so that a gateway does not change
 * back and forth.
 */

export interface ChoiceOptions {
  servers: number
  /** Waits after all servers have failed: doubling from the first to the last. */
  retryMs: { first: number; last: number }
  /** How long a lost server is not used while another one serves: doubling from the first to the last. */
  restMs: { first: number; last: number }
  /** Returns numbers from 0 to 1. Default: `Math.random`. */
  random?: () => number
}

interface ServerRecord {
  restMs: number
  restsUntil: number
  /** The time since when it serves; null: it does not serve. */
  servesSince: number | null
}

/**
 * The time limit of an attempt in the first round, when there are several servers; it doubles with every
 * round.
 */
const FIRST_PATIENCE_MS = 1500
/** The longest time limit, also used for attempts for which no call waits. */
export const LAST_PATIENCE_MS = 10_000

export class ServerChoice {
  readonly #options: ChoiceOptions
  readonly #servers: ServerRecord[]
  readonly #random: () => number
  #delayMs: number
  /** Servers that were lost or tried in this round. */
  readonly #tried = new Set<number>()
  #round = 0

  constructor(options: ChoiceOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
    this.#delayMs = options.retryMs.first
    this.#servers = Array.from({ length: options.servers }, () => ({
      restMs: options.restMs.first,
      restsUntil: -Infinity,
      servesSince: null,
    }))
  }

  /** The server to try now, how long to wait before, and how long it may take to answer. */
  next(now: number): { server: number; waitMs: number; patienceMs: number } {
    const count = this.#servers.length
    let waitMs = 0
    if (this.#tried.size === count) {
      this.#tried.clear()
      this.#round++
      waitMs = this.#delayMs * (0.5 + this.#random() / 2)
      this.#delayMs = Math.min(this.#delayMs * 2, this.#options.retryMs.last)
    }
    const patienceMs =
      count === 1 ? LAST_PATIENCE_MS : Math.min(FIRST_PATIENCE_MS * 2 ** this.#round, LAST_PATIENCE_MS)
    const server = this.#ordered(now).find((one) => !this.#tried.has(one)) ?? 0
    this.#tried.add(server)
    return { server, waitMs, patienceMs }
  }

  /** The server answers. */
  serves(server: number, now: number): void {
    this.#tried.clear()
    this.#round = 0
    this.#delayMs = this.#options.retryMs.first
    const record = this.#servers[server]
    if (record !== undefined) record.servesSince ??= now
  }

  /** The gateway left the server, which had no fault. */
  left(server: number): void {
    const record = this.#servers[server]
    if (record !== undefined) record.servesSince = null
  }

  /** The server could not be reached, was lost, or cannot do its work. */
  lost(server: number, now: number): void {
    this.#tried.add(server)
    const record = this.#servers[server]
    if (record === undefined) return
    const { first, last } = this.#options.restMs
    if (record.servesSince !== null) {
      const hasLasted = record.restsUntil === -Infinity || now - record.servesSince > record.restMs
      record.restMs = hasLasted ? first : Math.min(record.restMs * 2, last)
    }
    record.servesSince = null
    // All gateways of a shop lose a server at once: they must not come back at once.
    record.restsUntil = now + record.restMs * (0.75 + this.#random() / 2)
  }

  /** A server before this one in the list that has had its rest; null: there is none. */
  better(than: number, now: number): number | null {
    const found = this.#servers.findIndex(({ restsUntil }, server) => server < than && restsUntil <= now)
    return found < 0 ? null : found
  }

  /** Rested servers in the order of the list, then those whose rest ends first. */
  #ordered(now: number): number[] {
    const rest = (server: number) => Math.max(0, (this.#servers[server]?.restsUntil ?? 0) - now)
    return this.#servers.map((_, server) => server).toSorted((a, b) => rest(a) - rest(b) || a - b)
  }
}
