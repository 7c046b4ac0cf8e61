/**
 * A purse is what one account may spend in this process. Every byte relayed is first taken from a lease, so that no
 * balance is ever overrun, on any number of gateways: bytes move from `remaining` (leased, unspent) to `reserved`
 * (about to be written) to `pending` (handed to the kernel, to be reported). All are charged bytes: payload times the
 * tariff's multiplier. They are plain numbers, exact up to 2^53, because they change with every chunk; bigint begins
 * where they leave this process.
 */

import type { CapWindow, LeaseGrant, ReportLine } from '#feed'
import { Doubt } from './unconfirmed.grant.ts'
import type { KeptLease, PurseOptions } from './lease.options.ts'
import * as pace from './lease.pacing.ts'
import { Waiters } from './lease.waiters.ts'

export class Purse {
  readonly account: bigint
  /** Tunnels and requests that spend from it at present. */
  holders = 0
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
  readonly #doubt = new Doubt()
  readonly #waiters = new Waiters()
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
    this.#waiters.wake(this.#remaining + this.#credit)
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
      !this.#doubt.any &&
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
    if (this.#lease === null) {
      if (this.#doubt.isDue(this.#meter.now()) && this.#waiters.count === 0) void this.#look()
      return lines
    }
    const closing = close ? !this.#asking : this.#mayClose()
    if (this.#pending === 0 && this.#requests === 0 && !closing) return lines
    if (closing) {
      // What is on its way to the kernel cannot be called back, so it is reported as sent. Should it not arrive
      // there, the account has credit for it here.
      this.#pending += this.#reserved
      this.#early += this.#reserved
      this.#reserved = 0
    }
    lines.push(this.#line(this.#lease, closing))
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
    this.#waiters.giveUp()
    if (this.#doubt.any && this.#lease === null) void this.#look()
  }

  #line(lease: bigint, close: boolean): ReportLine {
    const [charged_bytes, requests] = [BigInt(this.#pending), this.#requests]
    this.#pending = 0
    this.#requests = 0
    return { lease, account: this.account, charged_bytes, requests, close }
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
    this.#waiters.calm()
    const sentAt = this.#meter.now()
    this.#want = pace.wantAfter(this.#want, sentAt - this.#grantedAt)
    const need = this.#waiters.most
    let grant: LeaseGrant
    try {
      const request = { account: this.account, want_bytes: BigInt(Math.max(this.#want, need)) }
      grant = await this.#meter.feed.lease(this.#meter.identity, request)
    } catch (fault) {
      // The feed is away. What is leased can still be spent; whoever waits is asked for again.
      this.#asking = false
      this.#doubt.failed(this.#meter.now())
      this.#meter.onFault?.(fault)
      this.#retryIn(pace.RETRY_AFTER_FAULT_MS)
      return
    }
    this.#asking = false
    this.#doubt.answered(sentAt)
    this.#granted(grant)
  }

  /** Which lease is open? One that we did not know of goes back with the next report. */
  async #look(): Promise<void> {
    if (this.#asking || this.#closings > 0) return
    this.#asking = true
    const found = await this.#doubt.look(this.#meter, this.account)
    this.#asking = false
    if (found !== null && found.lease !== 0n) this.#lease = found.lease
    this.#remaining += Number(found?.granted_bytes ?? 0n)
    if (this.#waiters.count > 0) void this.#ask()
  }

  #granted(grant: LeaseGrant): void {
    const bytes = Number(grant.granted_bytes)
    if (this.#lease !== null && grant.lease !== 0n && this.#lease !== grant.lease) this.#replaceLease()
    if (grant.lease !== 0n) this.#lease = grant.lease
    this.#remaining += bytes
    this.#elsewhere = Number(grant.elsewhere_bytes)
    this.#capped = grant.capped ?? null
    const now = this.#meter.now()
    const isGivenBack = bytes === 0 && this.#doubt.any && this.#lease !== null
    if (bytes > 0) {
      this.#spentAt = now
      this.#grantedAt = now
      this.#grantedBytes = bytes
    } else {
      this.#askAheadAt = now + pace.NOTHING_GRANTED_MS
      // What we never heard of lies in it: it is given back, and asked for anew.
      if (isGivenBack) this.#recalledAt = -Infinity
      else if (!grant.outstanding) this.#dryUntil = now + pace.DRY_MS
    }
    this.#waiters.wake(this.#remaining + this.#credit)
    if (this.#waiters.count === 0) return
    if (bytes > 0) void this.#ask()
    else if (grant.outstanding) this.#retryIn(50 + Math.random() * 50)
    else if (!isGivenBack) this.#waiters.giveUp()
  }

  /**
   * The server has closed our lease on its own, as it does when it takes a gateway for lost, and opened another.
   * What was spent is still owed to the old one; its rest is no longer ours, and what is on its way to the kernel
   * must be paid from the new one.
   */
  #replaceLease(): void {
    if (this.#lease === null) return
    this.#orphans.push(this.#line(this.#lease, true))
    this.#remaining = -this.#reserved
    this.#closings++
  }

  #retryIn(ms: number): void {
    if (!this.#closedForGood) this.#waiters.askIn(ms, () => void this.#ask())
  }
}
