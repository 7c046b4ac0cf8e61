/**
 * The rate of calls, limited by each web server separately, in memory. It protects the time of that server: a
 * counter shared by all servers, such as that of password guesses, would add a database write to every
 * reading of a price list, which costs more than the reading itself. With several servers the limits multiply
 * by their number.
 */
import type { Pace as CallerPace } from '#db/call'
import { isLoopback, networkOf, parseIp } from '#lib/ip'
import { Refusal } from '#lib/refusal'

/** The tokens of a subject: the rate per second, and the burst after a pause. */
export interface PaceOptions {
  perSecond: number
  atOnce: number
}

/**
 * Calls that need no token, from one address: more than an office behind one address needs, and too few to
 * keep a server busy with long lists.
 */
export const publicPace: PaceOptions = { perSecond: 30, atOnce: 300 }

/** Calls in the name of one account, by session or API token, weighted by the `cost` of each call. */
export const accountPace: PaceOptions = { perSecond: 40, atOnce: 400 }

/** The maximum debt of a subject, as waiting time. */
const mostOwedMs = 60_000

/** The maximum number of subjects; beyond it the least recently active one is removed. */
const maxSubjects = 50_000

/**
 * Calls from this machine: its operator, the server's own requests when it renders pages, or a reverse proxy
 * that TRUST_PROXY does not name, behind which all customers share one address.
 */
export function isThisMachine(ip: string): boolean {
  const parsed = parseIp(ip)
  return parsed !== null && isLoopback(parsed)
}

/** The subject for calls from an address; null: this machine's own, which are not counted. */
export const subjectOf = (ip: string): string | null => (isThisMachine(ip) ? null : networkOf(ip))

type LimitState = Omit<CallerPace, 'retryAfterSeconds' | 'times'>

/** The headers of an answer that report the state of a limit. */
export const limitHeaders = ({ limit, remaining, resetSeconds }: LimitState) => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': resetSeconds,
})

/**
 * The headers that report the states of several limits: RateLimit-Policy and RateLimit of
 * draft-ietf-httpapi-ratelimit-headers-10.
 */
export function policyHeaders(limits: Readonly<Record<string, LimitState>>) {
  const each = (print: (state: LimitState) => string) =>
    Object.entries(limits)
      .map(([name, state]) => `"${name}";${print(state)}`)
      .join(', ')
  return {
    'ratelimit-policy': each(({ limit, windowSeconds }) => `q=${limit};w=${windowSeconds}`),
    ratelimit: each(({ remaining, resetSeconds }) => `r=${remaining};t=${resetSeconds}`),
  }
}

/** A refusal with the state of the limit that refused the call. */
export class PaceRefusal extends Refusal {
  readonly state: LimitState

  constructor(seconds: number, state: LimitState) {
    super('too_many_requests', { seconds }, seconds)
    this.state = state
  }
}

/**
 * Token buckets by the generic cell rate algorithm: one time per subject records how far its calls are ahead.
 */
export class Pace {
  /** Milliseconds since 1970, by subject; the most recent callers are last. */
  readonly #paidUntilMs = new Map<string, number>()
  /** The time of the last call, in milliseconds since 1970. */
  #lastMs = 0
  readonly #tokenMs: number
  readonly #windowMs: number

  constructor({ perSecond, atOnce }: PaceOptions) {
    this.#tokenMs = 1000 / perSecond
    this.#windowMs = this.#tokenMs * atOnce
  }

  /** The number of subjects kept. */
  get size(): number {
    return this.#paidUntilMs.size
  }

  /** Takes tokens, all or none; returns null, or the number of seconds by which the call came too early. */
  take(subject: string | null, now: Date, tokens = 1): number | null {
    if (subject === null) return null
    const nowMs = this.#at(now)
    const paidUntilMs = this.#paidUntil(subject, nowMs) + this.#tokenMs * tokens
    const earlyMs = paidUntilMs - (nowMs + this.#windowMs)
    // The sum of so many fractions of a second is not exact.
    if (earlyMs > 1e-3) return Math.max(1, Math.ceil(earlyMs / 1000))
    this.#paidUntilMs.delete(subject)
    this.#paidUntilMs.set(subject, paidUntilMs)
    this.#forget(nowMs)
    return null
  }

  /**
   * The tokens of a subject: of a full burst, at this moment, and the seconds until the burst is full.
   * `times`: how many of its tokens are taken for one.
   */
  state(subject: string, now: Date, times = 1): LimitState {
    const nowMs = this.#at(now)
    const aheadMs = this.#paidUntil(subject, nowMs) - nowMs
    return {
      limit: Math.round((this.#windowMs / this.#tokenMs) * times),
      windowSeconds: Math.ceil(this.#windowMs / 1000),
      remaining: Math.max(0, Math.floor(((this.#windowMs - aheadMs) / this.#tokenMs) * times + 1e-6)),
      resetSeconds: Math.ceil(aheadMs / 1000),
    }
  }

  /**
   * Charges tokens for work that was done already, even more than are left: later calls wait until the debt
   * is paid.
   */
  owe(subject: string, now: Date, tokens: number): void {
    const nowMs = this.#at(now)
    const paidUntilMs = this.#paidUntil(subject, nowMs) + this.#tokenMs * tokens
    this.#paidUntilMs.delete(subject)
    this.#paidUntilMs.set(subject, Math.min(paidUntilMs, nowMs + this.#windowMs + mostOwedMs))
    this.#forget(nowMs)
  }

  /** Returns a token. */
  giveBack(subject: string | null, now: Date): void {
    if (subject === null || !this.#paidUntilMs.has(subject)) return
    const nowMs = this.#at(now)
    this.#paidUntilMs.set(subject, Math.max(nowMs, this.#paidUntil(subject, nowMs) - this.#tokenMs))
  }

  #paidUntil(subject: string, nowMs: number): number {
    const known = this.#paidUntilMs.get(subject) ?? nowMs
    return Math.max(known, nowMs)
  }

  /**
   * The time of a call. When the clock is set back, all subjects are set back with it, so that nobody waits.
   */
  #at(now: Date): number {
    const nowMs = now.getTime()
    const backMs = this.#lastMs - nowMs
    this.#lastMs = nowMs
    if (backMs > this.#windowMs + mostOwedMs) this.#paidUntilMs.clear()
    else if (backMs > 0)
      for (const [subject, paidUntilMs] of this.#paidUntilMs)
        this.#paidUntilMs.set(subject, paidUntilMs - backMs)
    return nowMs
  }

  /** Removes idle subjects, two per call, so that the map stays small. */
  #forget(nowMs: number): void {
    let looked = 0
    for (const [subject, paidUntilMs] of this.#paidUntilMs) {
      if (looked++ === 2) return
      if (paidUntilMs <= nowMs || this.#paidUntilMs.size > maxSubjects) this.#paidUntilMs.delete(subject)
    }
  }
}
