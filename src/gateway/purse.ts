/**
 * A purse is what one account may spend in this process. Every byte relayed is first taken from a lease, so that no
 * balance is ever overrun, on any number of gateways: bytes move from `remaining` (leased, unspent) to `reserved`
 * (about to be written) to `pending` (handed to the kernel, to be reported). All are charged bytes: payload times the
 * tariff's multiplier. They are plain numbers, exact up to 2^53, because they change with every chunk; bigint begins
 * where they leave this process.
 */

import type { Feed, LeaseGrant, ReportLine } from './feed.ts'

const FIRST_WANT_BYTES = 256 * 1024
const LARGEST_WANT_BYTES = 64 * 1024 * 1024
/** A grant used up faster than this doubles the next one. */
const QUICK_MS = 200
const SLOW_MS = 2000
const IDLE_CLOSE_MS = 1000
const IDLE_RECALL_MS = 100
/** A lease that is called back while in use goes back after this long; its user then asks anew, for less. */
const BUSY_RECALL_MS = 500
/** After "nothing left" new tunnels are turned away this long without asking again. */
const DRY_MS = 50
/** After a grant of nothing we ask ahead of need only this much later. */
const NOTHING_GRANTED_MS = 100
const RETRY_AFTER_FAULT_MS = 250

interface Waiter {
  /** Charged bytes needed at once. */
  need: number
  resolve: (covered: boolean) => void
}

export interface PurseOptions {
  feed: Pick<Feed, 'lease'>
  identity: { gateway: string; boot: string }
  /** Monotonic milliseconds. */
  now: () => number
  onFault?: (fault: unknown) => void
}

export class Purse {
  readonly account: bigint
  readonly #meter: PurseOptions
  #lease: bigint | null = null
  #remaining = 0
  #reserved = 0
  #pending = 0
  #requests = 0
  /** Reserved bytes that were reported before they were sent, because their lease was called back. */
  #early = 0
  /** Bytes that were reported early and then not sent: spent before anything else, so nobody pays for them. */
  #credit = 0
  #want = FIRST_WANT_BYTES
  #grantedAt = -Infinity
  #grantedBytes = 0
  #spentAt: number
  #dryUntil = -Infinity
  #askAheadAt = -Infinity
  #recalledAt: number | null = null
  #asking = false
  /** Reports on their way that close a lease: until they are settled a new grant might fall onto that very lease. */
  #closings = 0
  #waiters: Waiter[] = []
  #retryTimer: NodeJS.Timeout | null = null
  #orphans: ReportLine[] = []
  #closedForGood = false

  constructor(account: bigint, meter: PurseOptions) {
    this.account = account
    this.#meter = meter
    this.#spentAt = meter.now()
  }

  /** Takes what `payloadBytes` cost, as far as the lease goes; tells how many payload bytes are covered. */
  reserve(payloadBytes: number, multiplier: number): number {
    const available = Math.max(0, this.#remaining + this.#credit)
    const covered = Math.min(payloadBytes, Math.floor(available / multiplier))
    const charged = covered * multiplier
    const fromCredit = Math.min(charged, this.#credit)
    this.#credit -= fromCredit
    this.#early += fromCredit
    this.#remaining -= charged - fromCredit
    this.#reserved += charged - fromCredit
    if (covered > 0) this.#spentAt = this.#meter.now()
    if (this.#remaining < this.#grantedBytes / 4) this.#askAhead()
    return covered
  }

  /** Reserved bytes were handed to the kernel: they are owed. */
  settle(chargedBytes: number): void {
    const early = Math.min(chargedBytes, this.#early)
    this.#early -= early
    this.#reserved -= chargedBytes - early
    this.#pending += chargedBytes - early
  }

  /** Reserved bytes will never be sent: they are given back. */
  release(chargedBytes: number): void {
    const early = Math.min(chargedBytes, this.#early)
    this.#early -= early
    this.#credit += early
    this.#reserved -= chargedBytes - early
    this.#remaining += chargedBytes - early
    this.#wake()
  }

  countRequest(): void {
    this.#requests++
  }

  /**
   * Waits until `need` charged bytes can be reserved. False: the balance is at its end. Waits on while other gateways
   * hold bytes of this account, or the feed is away.
   */
  more(need: number): Promise<boolean> {
    if (this.#remaining + this.#credit >= need) return Promise.resolve(true)
    if (this.#closedForGood || this.#meter.now() < this.#dryUntil) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#waiters.push({ need, resolve })
      void this.#ask()
    })
  }

  /** Another gateway wants these bytes. */
  recall(): void {
    this.#recalledAt ??= this.#meter.now()
    this.#want = FIRST_WANT_BYTES
  }

  /** True when nothing would be lost by forgetting this purse. */
  get empty(): boolean {
    return (
      this.#lease === null &&
      this.#reserved + this.#pending + this.#requests + this.#early + this.#credit === 0 &&
      this.#waiters.length === 0 &&
      this.#orphans.length === 0 &&
      !this.#asking &&
      this.#closings === 0
    )
  }

  get asking(): boolean {
    return this.#asking
  }

  get leaseOpen(): boolean {
    return this.#lease !== null
  }

  /** What goes into the next report. `close` gives the lease back whatever its state (the gateway stops). */
  collect(close: boolean): ReportLine[] {
    const lines = this.#orphans
    this.#orphans = []
    if (this.#lease === null) return lines
    const closing = close ? !this.#asking : this.#mayClose()
    if (this.#pending === 0 && this.#requests === 0 && !closing) return lines
    if (closing) {
      // What is on its way to the kernel cannot be called back, so it is reported as sent. Should it not arrive
      // there, the account has credit for it here.
      this.#pending += this.#reserved
      this.#early += this.#reserved
      this.#reserved = 0
    }
    lines.push({
      lease: this.#lease,
      account: this.account,
      charged_bytes: BigInt(this.#pending),
      requests: this.#requests,
      close: closing,
    })
    this.#pending = 0
    this.#requests = 0
    if (closing) this.#leaseClosed()
    return lines
  }

  /** The report that closed the lease has been settled. */
  closed(): void {
    this.#closings--
    if (this.#waiters.length > 0) void this.#ask()
  }

  /** The gateway stops: nobody waits any more. */
  end(): void {
    this.#closedForGood = true
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#resolveAll(false)
  }

  #leaseClosed(): void {
    this.#lease = null
    this.#remaining = 0
    this.#grantedBytes = 0
    this.#recalledAt = null
    this.#closings++
  }

  #mayClose(): boolean {
    if (this.#asking) return false
    const now = this.#meter.now()
    const idleMs = now - this.#spentAt
    // Called back: even when somebody waits here, for the rest is too small for them; two gateways that each sit on
    // such a rest would otherwise wait for each other.
    if (this.#recalledAt !== null) return idleMs >= IDLE_RECALL_MS || now - this.#recalledAt >= BUSY_RECALL_MS
    return idleMs >= IDLE_CLOSE_MS && this.#reserved === 0 && this.#waiters.length === 0
  }

  #askAhead(): void {
    if (!this.#asking && this.#closings === 0 && this.#meter.now() >= this.#askAheadAt) void this.#ask()
  }

  async #ask(): Promise<void> {
    if (this.#asking || this.#closings > 0 || this.#closedForGood) return
    this.#asking = true
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#retryTimer = null
    const sinceGrantMs = this.#meter.now() - this.#grantedAt
    if (sinceGrantMs < QUICK_MS) this.#want = Math.min(this.#want * 2, LARGEST_WANT_BYTES)
    else if (sinceGrantMs > SLOW_MS) this.#want = Math.max(this.#want / 2, FIRST_WANT_BYTES)
    const need = this.#waiters.reduce((most, waiter) => Math.max(most, waiter.need), 0)
    let grant: LeaseGrant
    try {
      const request = { account: this.account, want_bytes: BigInt(Math.max(this.#want, need)) }
      grant = await this.#meter.feed.lease(this.#meter.identity, request)
    } catch (fault) {
      // The feed is away. What is leased can still be spent; whoever waits is asked for again.
      this.#asking = false
      this.#meter.onFault?.(fault)
      this.#retryIn(RETRY_AFTER_FAULT_MS)
      return
    }
    this.#asking = false
    this.#granted(grant)
  }

  #granted(grant: LeaseGrant): void {
    const bytes = Number(grant.granted_bytes)
    if (this.#lease !== null && grant.lease !== 0n && this.#lease !== grant.lease) this.#replaceLease()
    // Zero is no lease's number: nothing was opened.
    if (grant.lease !== 0n) this.#lease = grant.lease
    this.#remaining += bytes
    const now = this.#meter.now()
    if (bytes > 0) {
      this.#spentAt = now
      this.#grantedAt = now
      this.#grantedBytes = bytes
    } else {
      this.#askAheadAt = now + NOTHING_GRANTED_MS
      if (!grant.outstanding) this.#dryUntil = now + DRY_MS
    }
    this.#wake()
    if (this.#waiters.length === 0) return
    if (bytes > 0) void this.#ask()
    else if (grant.outstanding) this.#retryIn(50 + Math.random() * 50)
    else this.#resolveAll(false)
  }

  /**
   * The server has closed our lease on its own, as it does when it takes a gateway for lost, and opened another.
   * What was spent is still owed to the old one; its rest is no longer ours, and what is on its way to the kernel
   * must be paid from the new one.
   */
  #replaceLease(): void {
    if (this.#lease === null) return
    this.#orphans.push({
      lease: this.#lease,
      account: this.account,
      charged_bytes: BigInt(this.#pending),
      requests: this.#requests,
      close: true,
    })
    this.#pending = 0
    this.#requests = 0
    this.#remaining = -this.#reserved
    this.#closings++
  }

  #retryIn(ms: number): void {
    if (this.#retryTimer !== null || this.#closedForGood) return
    this.#retryTimer = setTimeout(() => {
      this.#retryTimer = null
      if (this.#waiters.length > 0) void this.#ask()
    }, ms)
  }

  #wake(): void {
    const available = this.#remaining + this.#credit
    const ready = this.#waiters.filter((waiter) => waiter.need <= available)
    if (ready.length === 0) return
    this.#waiters = this.#waiters.filter((waiter) => waiter.need > available)
    for (const waiter of ready) waiter.resolve(true)
  }

  #resolveAll(covered: boolean): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.resolve(covered)
  }
}
