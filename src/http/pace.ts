/**
 * How fast calls may come, counted for each web server by itself, in memory. What is guarded here is the server's own
 * time: a count that all servers share, such as that of guesses at passwords, would cost each reading of a price list a
 * write to the database, which is more than the reading itself. With several servers a caller may ask that many times
 * as much.
 */
import { isLoopback, networkOf, parseIp } from '#lib/ip'

/** How many tokens a subject gets: so many a second, and so many at once after a rest. */
export interface PaceOptions {
  perSecond: number
  atOnce: number
}

/**
 * Calls that need no token, from one address: more than an office behind one address asks of the site, and little
 * enough that nobody keeps a server busy with long lists.
 */
export const publicPace: PaceOptions = { perSecond: 30, atOnce: 300 }

/** Calls in the name of one account, by session or API token, weighed as `costs.ts` says. */
export const accountPace: PaceOptions = { perSecond: 40, atOnce: 400 }

/** Subjects that are remembered; beyond that, the one that has been quiet for longest is forgotten. */
const maxSubjects = 50_000

/**
 * This machine's own: its operator, the pages that the server writes by asking itself, or a reverse proxy that
 * TRUST_PROXY does not name, behind which all customers look like one.
 */
export function isThisMachine(ip: string): boolean {
  const parsed = parseIp(ip)
  return parsed !== null && isLoopback(parsed)
}

/** The subject that calls from an address are counted to; null: this machine's own, which are not counted. */
export const subjectOf = (ip: string): string | null => (isThisMachine(ip) ? null : networkOf(ip))

/** Token buckets as the generic cell rate algorithm: a moment per subject says how far its calls have run ahead. */
export class Pace {
  /** Milliseconds since 1970, by subject; those that asked last stand last. */
  readonly #paidUntilMs = new Map<string, number>()
  readonly #tokenMs: number
  readonly #windowMs: number

  constructor({ perSecond, atOnce }: PaceOptions) {
    this.#tokenMs = 1000 / perSecond
    this.#windowMs = this.#tokenMs * atOnce
  }

  /** How many subjects are remembered. */
  get size(): number {
    return this.#paidUntilMs.size
  }

  /** Takes tokens, all or none; answers null, or for how many seconds the call came too early. */
  take(subject: string | null, now: Date, tokens = 1): number | null {
    if (subject === null) return null
    const nowMs = now.getTime()
    const paidUntilMs = this.#paidUntil(subject, nowMs) + this.#tokenMs * tokens
    const earlyMs = paidUntilMs - (nowMs + this.#windowMs)
    // The sum of so many parts of a second is not exact.
    if (earlyMs > 1e-3) return Math.max(1, Math.ceil(earlyMs / 1000))
    this.#paidUntilMs.delete(subject)
    this.#paidUntilMs.set(subject, paidUntilMs)
    this.#forget(nowMs)
    return null
  }

  /** Gives a token back that was taken. */
  giveBack(subject: string | null, now: Date): void {
    if (subject === null || !this.#paidUntilMs.has(subject)) return
    const nowMs = now.getTime()
    this.#paidUntilMs.set(subject, Math.max(nowMs, this.#paidUntil(subject, nowMs) - this.#tokenMs))
  }

  #paidUntil(subject: string, nowMs: number): number {
    const known = this.#paidUntilMs.get(subject) ?? nowMs
    // Farther ahead than the window can hold, and the clock was set back.
    return known > nowMs && known <= nowMs + this.#windowMs ? known : nowMs
  }

  /** The quiet ones, two for each that comes, so that the rest stays as small as it can. */
  #forget(nowMs: number): void {
    let looked = 0
    for (const [subject, paidUntilMs] of this.#paidUntilMs) {
      if (looked++ === 2) return
      if (paidUntilMs <= nowMs || this.#paidUntilMs.size > maxSubjects) this.#paidUntilMs.delete(subject)
    }
  }
}
