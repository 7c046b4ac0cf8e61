/**
 * A purse is what one account may spend in this process. Every byte relayed is first taken from a lease, so that no
 * balance is ever overrun, on any number of gateways: bytes move from `remaining` (leased, unspent) to `reserved`
 * (about to be written) to `pending` (handed to the kernel, to be reported). All are charged bytes: payload times the
 * tariff's multiplier. They are plain numbers, exact up to 2^53, because they change with every chunk; bigint begins
 * where they leave this process.
 */

import type { CapWindow, LeaseGrant, ReportLine } from './feed.ts'
import type { KeptLease, PurseOptions } from './purse.options.ts'
import * as pace from './purse.pace.ts'
import { Waiters } from './waiters.ts'

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
  #want = pace.FIRST_WANT_BYTES
  #grantedAt = -Infinity
  #grantedBytes = 0
  /** What the account held beyond this lease at the last grant; null before the first one. */
  #elsewhere: number | null = null
  #spentAt: number
  #dryUntil = -Infinity
  #askAheadAt = -Infinity
  /** The cap that is reached, when it is that and not the balance. */
  #capped: CapWindow | null = null
  #recalledAt: number | null = null
  #asking = false
  /** Reports on their way that close a lease: until they are settled a new grant might fall onto that very lease. */
  #closings = 0
  readonly #waiters = new Waiters()
  #retryTimer: NodeJS.Timeout | null = null
  #orphans: ReportLine[] = []
  #closedForGood = false

  constructor(account: bigint, meter: PurseOptions, kept: KeptLease | null = null) {
    this.account = account
    this.#meter = meter
    this.#spentAt = meter.now()
    this.#lease = kept?.lease ?? null
    this.#remaining = kept?.bytes ?? 0
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

  /** Whether so many charged bytes can be reserved at once. */
  covers(need: number): boolean {
    return this.#remaining + this.#credit >= need
  }

  countRequest(): void {
    this.#requests++
  }

  /**
   * Waits until `need` charged bytes can be reserved. False: the balance is at its end. Waits on while other gateways
   * hold bytes of this account, or the feed is away.
   */
  more(need: number): Promise<boolean> {
    if (this.covers(need)) return Promise.resolve(true)
    if (this.#closedForGood || this.#meter.now() < this.#dryUntil) return Promise.resolve(false)
    const covered = this.#waiters.add(need)
    void this.#ask()
    return covered
  }

  /** Another gateway wants these bytes. */
  recall(): void {
    this.#recalledAt ??= this.#meter.now()
    this.#want = pace.FIRST_WANT_BYTES
  }

  /** Which cap of the customer's ended the last grant; null: none did. */
  get capped(): CapWindow | null {
    return this.#capped
  }

  /** True when nothing would be lost by forgetting this purse. */
  get empty(): boolean {
    return (
      this.#lease === null &&
      this.#reserved + this.#pending + this.#requests + this.#early + this.#credit === 0 &&
      this.#waiters.count === 0 &&
      this.#orphans.length === 0 &&
      !this.#asking &&
      this.#closings === 0
    )
  }

  get asking(): boolean {
    return this.#asking
  }

  /**
   * The account's balance as far as this process knows: what was elsewhere at the last grant, and the rest of the lease.
   * What was bought, or spent by other gateways, since then is not in it. Null before the first grant.
   */
  get balance(): number | null {
    return this.#elsewhere === null ? null : Math.max(0, this.#elsewhere + this.#remaining + this.#credit)
  }

  /** Leased and not spent. */
  get heldBytes(): number {
    return this.#remaining
  }

  get leaseOpen(): boolean {
    return this.#lease !== null
  }

  /** The lease as it is by the reports made so far; null when none is open. */
  get kept(): KeptLease | null {
    const bytes = this.#remaining + this.#reserved + this.#pending
    return this.#lease === null ? null : { account: this.account, lease: this.#lease, bytes }
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
    if (!closing) return lines
    this.#lease = null
    if (this.#elsewhere !== null) this.#elsewhere += this.#remaining
    this.#remaining = 0
    this.#grantedBytes = 0
    this.#recalledAt = null
    this.#closings++
    return lines
  }

  /** The report that closed the lease has been settled. */
  closed(): void {
    this.#closings--
    if (this.#waiters.count > 0) void this.#ask()
  }

  /** The gateway stops: nobody waits any more. */
  end(): void {
    this.#closedForGood = true
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer)
    this.#waiters.giveUp()
  }

  #mayClose(): boolean {
    if (this.#asking) return false
    const now = this.#meter.now()
    const idleMs = now - this.#spentAt
    // Called back: even when somebody waits here, for the rest is too small for them; two gateways that each sit on
    // such a rest would otherwise wait for each other.
    if (this.#recalledAt !== null)
      return idleMs >= pace.IDLE_RECALL_MS || now - this.#recalledAt >= pace.BUSY_RECALL_MS
    return idleMs >= pace.idleCloseMs(this.#meter.isAway) && this.#reserved === 0 && this.#waiters.count === 0
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
    if (sinceGrantMs < pace.QUICK_MS) this.#want = Math.min(this.#want * 2, pace.LARGEST_WANT_BYTES)
    else if (sinceGrantMs > pace.SLOW_MS) this.#want = Math.max(this.#want / 2, pace.FIRST_WANT_BYTES)
    const need = this.#waiters.most
    let grant: LeaseGrant
    try {
      const request = { account: this.account, want_bytes: BigInt(Math.max(this.#want, need)) }
      grant = await this.#meter.feed.lease(this.#meter.identity, request)
    } catch (fault) {
      // The feed is away. What is leased can still be spent; whoever waits is asked for again.
      this.#asking = false
      this.#meter.onFault?.(fault)
      this.#retryIn(pace.RETRY_AFTER_FAULT_MS)
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
    this.#elsewhere = Number(grant.elsewhere_bytes)
    this.#capped = grant.capped ?? null
    const now = this.#meter.now()
    if (bytes > 0) {
      this.#spentAt = now
      this.#grantedAt = now
      this.#grantedBytes = bytes
    } else {
      this.#askAheadAt = now + pace.NOTHING_GRANTED_MS
      if (!grant.outstanding) this.#dryUntil = now + pace.DRY_MS
    }
    this.#wake()
    if (this.#waiters.count === 0) return
    if (bytes > 0) void this.#ask()
    else if (grant.outstanding) this.#retryIn(50 + Math.random() * 50)
    else this.#waiters.giveUp()
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
      if (this.#waiters.count > 0) void this.#ask()
    }, ms)
  }

  #wake(): void {
    this.#waiters.wake(this.#remaining + this.#credit)
  }
}
