/**
 * The pace of calls that need no token: 30 a second from one address, and 300 at once after a rest. That is more than
 * an office behind one address asks of the site, and little enough that nobody keeps a server busy with long lists.
 *
 * Every web server counts for itself, in memory. What is guarded here is the server's own time: a count that all of
 * them share, such as that of guesses at passwords, would cost each reading of a price list a write to the database,
 * which is more than the reading itself. With several servers an address may ask that many times as much.
 */
import { networkOf, parseIp } from '#lib/ip'

export const publicCallsPerSecond = 30
export const publicCallsAtOnce = 300

/** How many calls an address may make: so many a second, and so many at once after a rest. */
export interface PaceOptions {
  perSecond: number
  atOnce: number
}

const ofPublicCalls: PaceOptions = { perSecond: publicCallsPerSecond, atOnce: publicCallsAtOnce }

/** Addresses that are remembered; beyond that, the one that has been quiet for longest is forgotten. */
const maxAddresses = 50_000

/**
 * This machine's own: its operator, the pages that the server writes by asking itself, or a reverse proxy that
 * TRUST_PROXY does not name, behind which all customers look like one.
 */
export function isThisMachine(ip: string): boolean {
  const parsed = parseIp(ip)
  if (parsed === null) return false
  return parsed.family === 4 ? parsed.value >> 24n === 127n : parsed.value === 1n
}

/** The generic cell rate algorithm: a moment per address says how far its calls have run ahead. */
export class PublicPace {
  /** Milliseconds since 1970, by address; those that asked last stand last. */
  readonly #paidUntilMs = new Map<string, number>()
  readonly #callMs: number
  readonly #windowMs: number

  constructor({ perSecond, atOnce }: PaceOptions = ofPublicCalls) {
    this.#callMs = 1000 / perSecond
    this.#windowMs = this.#callMs * atOnce
  }

  /** How many addresses are remembered. */
  get size(): number {
    return this.#paidUntilMs.size
  }

  /** Counts a call, or what is worth so many of them; answers null, or for how many seconds it came too early. */
  admit(ip: string, now: Date, calls = 1): number | null {
    const seconds = this.wait(ip, now, calls)
    if (seconds !== null || isThisMachine(ip)) return seconds
    const subject = networkOf(ip)
    const nowMs = now.getTime()
    const paidUntilMs = this.#paidUntil(subject, nowMs)
    this.#paidUntilMs.delete(subject)
    this.#paidUntilMs.set(subject, paidUntilMs + this.#callMs * calls)
    this.#forget(nowMs)
    return null
  }

  /** For how many seconds a call would come too early; null: it would not. Nothing is counted. */
  wait(ip: string, now: Date, calls = 1): number | null {
    if (isThisMachine(ip)) return null
    const nowMs = now.getTime()
    const earlyMs = this.#paidUntil(networkOf(ip), nowMs) + this.#callMs * calls - (nowMs + this.#windowMs)
    // The sum of so many parts of a second is not exact.
    return earlyMs > 1e-3 ? Math.max(1, Math.ceil(earlyMs / 1000)) : null
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
      if (paidUntilMs <= nowMs || this.#paidUntilMs.size > maxAddresses) this.#paidUntilMs.delete(subject)
    }
  }
}
