/**
 * The bytes that one account may spend in this process, or that the limits of a proxy user leave it here: no balance is
 * ever overrun, on any number of gateways, since every byte is taken from a lease first. Bytes move from `remaining`
 * (leased, unspent) to `reserved` (about to be written) to `pending` (accepted by the kernel, to be reported). All are
 * charged bytes: payload times the tariff's multiplier. They are plain numbers, exact up to 2^53, because they change
 * with every chunk; bigint is used where they leave this process.
 */

import type { CapWindow, Feed, LeaseGrant, ReportLine, UserLimit } from '#feed'
import { type ExitUse, ExitUses } from './exit.use.ts'
import * as pacing from './lease.pacing.ts'
import { type LeaseState, LeaseStateMachine } from './lease.state.ts'
import type { KeptLease } from './kept.lease.ts'
import { LeaseWaiters } from './lease.waiters.ts'
import { UnconfirmedGrant } from './unconfirmed.grant.ts'
import { UseRate } from './use.rate.ts'

export interface LeaseOptions {
  feed: Pick<Feed, 'lease'>
  identity: { gateway: string; boot: string }
  /** Monotonic milliseconds. */
  now: () => number
  onFault?: (fault: unknown) => void
  /** Whether the server is unavailable: leases are kept then. */
  isAway?: () => boolean
  /** A lease that was not used for so long is given back. Default: a minute. */
  idleCloseMs?: number | undefined
  /** Whether this process continues the previous boot, which may have spent from leases that it did not save. */
  isResumed?: boolean
}

export class AccountLease {
  readonly access: bigint
  /** Tunnels and requests that spend from it at present. */
  holders = 0
  /** The largest number of holders at a time since it was last reported. */
  peak = 0
  /** Holders of the leases of its proxy users, which spend from this lease too. */
  usersHolding = 0
  /** The pending bytes by exit. */
  readonly uses = new ExitUses()
  readonly #options: LeaseOptions
  readonly #machine: LeaseStateMachine
  /** Not null while a lease is open. */
  #lease: bigint | null = null
  #remaining = 0
  #reserved = 0
  #pending = 0
  #requests = 0
  /** Reserved bytes that were reported before they were sent, because their lease was recalled. */
  #reportedEarly = 0
  /** Bytes that were reported early and then not sent: spent before anything else, at no charge. */
  #credit = 0
  readonly #rate: UseRate
  /** All known grants to the open lease; null: unknown, because an interrupted process may have had some. */
  #grantedTotal: number | null
  /** When less than this is left, more is requested. */
  #askBelow = 0
  /** The last request was granted in full: the next one follows the account's use. */
  #isFull = true
  /** What the account held beyond this lease at the last grant; null before the first one. */
  #elsewhereBytes: number | null = null
  #spentAt: number
  #exhaustedUntil = -Infinity
  #askAheadAt = -Infinity
  #followUseAt = -Infinity
  /** Requests that failed in a row. */
  #failures = 0
  #capped: CapWindow | UserLimit | null = null
  #recalledAt: number | null = null
  readonly #unconfirmed = new UnconfirmedGrant()
  readonly #waiters = new LeaseWaiters()
  /** Last lines of leases that the server has replaced. */
  #replacedLines: ReportLine[] = []
  /** The lease was given back because it held too much: its holders get a smaller one. */
  #isReopened = false
  #isOver = false

  constructor(access: bigint, options: LeaseOptions, kept: KeptLease | null = null) {
    this.access = access
    this.#options = options
    this.#spentAt = options.now()
    this.#rate = new UseRate(this.#spentAt)
    this.#machine = new LeaseStateMachine(kept === null ? 'none' : 'open')
    this.#lease = kept?.lease ?? null
    this.#remaining = kept?.bytes ?? 0
    this.#grantedTotal = this.#nothingGranted
  }

  /** Takes the cost of `payloadBytes`, as far as the lease covers it; returns the covered payload bytes. */
  reserve(payloadBytes: number, multiplier: number): number {
    const covered = Math.min(payloadBytes, this.coverable(multiplier))
    const charged = covered * multiplier
    const fromCredit = Math.min(charged, this.#credit)
    this.#credit -= fromCredit
    this.#reportedEarly += fromCredit
    this.#remaining -= charged - fromCredit
    this.#reserved += charged - fromCredit
    this.#rate.add(charged)
    if (covered > 0) this.#spentAt = this.#options.now()
    if (this.#remaining < this.#askBelow) this.#askAhead()
    return covered
  }

  /** The payload bytes that can be reserved now. */
  coverable = (multiplier: number) => Math.floor(Math.max(0, this.#remaining + this.#credit) / multiplier)

  /** Reserved bytes were accepted by the kernel, `relayedBytes` of payload through this exit: they are owed. */
  settle(chargedBytes: number, use: ExitUse = this.uses.unknown, relayedBytes = 0): void {
    const early = Math.min(chargedBytes, this.#reportedEarly)
    const owed = chargedBytes - early
    this.#reportedEarly -= early
    this.#reserved -= owed
    this.#pending += owed
    this.uses.add(use, owed, relayedBytes, 0)
  }

  /** Reserved bytes will never be sent: they are given back. */
  release(chargedBytes: number): void {
    const early = Math.min(chargedBytes, this.#reportedEarly)
    this.#reportedEarly -= early
    this.#credit += early
    this.#reserved -= chargedBytes - early
    this.#remaining += chargedBytes - early
    this.#waiters.wake(this.#remaining + this.#credit)
  }

  /** Whether so many charged bytes can be reserved at once. */
  covers(need: number): boolean {
    return this.#remaining + this.#credit >= need
  }

  countRequest(use: ExitUse = this.uses.unknown): void {
    this.#requests++
    this.uses.add(use, 0, 0, 1)
  }

  /**
   * Waits until `need` charged bytes can be reserved; false when the balance is exhausted. Waits as long as other gateways
   * hold bytes of this account, or the server is away.
   */
  more(need: number): Promise<boolean> {
    if (this.covers(need)) return Promise.resolve(true)
    if (this.#isOver || this.#options.now() < this.#exhaustedUntil) return Promise.resolve(false)
    const covered = this.#waiters.add(need)
    void this.#ask()
    return covered
  }

  /** Another gateway needs these bytes. */
  recall(): void {
    this.#recalledAt ??= this.#options.now()
  }

  /** The customer's cap or the proxy user's limit that ended the last grant; null: none did. */
  get capped(): CapWindow | UserLimit | null {
    return this.#capped
  }

  /** Whether nothing would be lost by forgetting it. */
  get empty(): boolean {
    return (
      this.#machine.state === 'none' &&
      this.#reserved + this.#pending + this.#requests + this.#reportedEarly + this.#credit === 0 &&
      this.#waiters.count === 0 &&
      this.#replacedLines.length === 0 &&
      !this.#unconfirmed.exists
    )
  }

  get asking(): boolean {
    return this.#machine.isAsking
  }

  get state(): LeaseState {
    return this.#machine.state
  }

  /**
   * The account's balance as far as this process knows: what it held elsewhere at the last grant, and the rest of the
   * lease. Purchases and the spending of other gateways since then are not in it. Null before the first grant.
   */
  get balance(): number | null {
    if (this.#elsewhereBytes === null) return null
    return Math.max(0, this.#elsewhereBytes + this.#remaining + this.#credit)
  }

  /** Leased and not spent. */
  get heldBytes(): number {
    return this.#remaining
  }

  get leaseOpen(): boolean {
    return this.#lease !== null
  }

  /** The lease according to the reports made so far; null when none is open. */
  get kept(): KeptLease | null {
    const bytes = this.#remaining + this.#reserved + this.#pending
    return this.#lease === null ? null : { access: this.access, lease: this.#lease, bytes }
  }

  /** The lines of the next report. `close` gives the lease back whatever its state, when the gateway stops. */
  collect(close: boolean): ReportLine[] {
    const lines = this.#replacedLines
    this.#replacedLines = []
    if (this.#lease === null) {
      if (this.#unconfirmed.isDue(this.#options.now()) && this.#waiters.count === 0) void this.#inquire()
      return lines
    }
    const closing = this.#machine.allows('close') && (close || this.#mayClose())
    if (!closing) this.#followUse()
    if (this.#pending === 0 && this.#requests === 0 && !closing) return lines
    if (closing) {
      // Bytes on their way to the kernel cannot be called back: they are reported as sent. Those that do not get there
      // become credit.
      this.#pending += this.#reserved
      this.uses.addReserved(this.#reserved)
      this.#reportedEarly += this.#reserved
      this.#reserved = 0
    }
    this.#addLines(lines, this.#lease, closing)
    if (!closing) return lines
    this.#lease = null
    if (this.#elsewhereBytes !== null) this.#elsewhereBytes += this.#remaining
    this.#remaining = 0
    this.#grantedTotal = this.#nothingGranted
    this.#askBelow = 0
    this.#recalledAt = null
    this.#machine.apply('close')
    return lines
  }

  /** The report that closed the lease has been settled. */
  closed(): void {
    // An earlier process of this boot may have made the report: this process does not hold its lease.
    if (!this.#machine.apply('settled')) return
    const isNeeded = this.#waiters.count > 0 || (this.#isReopened && this.holders + this.usersHolding > 0)
    this.#isReopened = false
    if (isNeeded) void this.#ask()
  }

  /** Ends the waits of tunnels and requests: the gateway stops, and grants no more bytes. */
  end(): void {
    this.#isOver = true
    this.#waiters.giveUp()
    if (this.#unconfirmed.exists && this.#lease === null) void this.#inquire()
  }

  /** A line for each exit, of which the last closes the lease. */
  #addLines(lines: ReportLine[], lease: bigint, close: boolean): void {
    const { access } = this
    const uses = this.uses.take()
    for (const [index, use] of uses.entries()) {
      const line: ReportLine = {
        lease,
        access,
        charged_bytes: BigInt(use.charged),
        requests: use.requests,
        close: close && index === uses.length - 1,
      }
      if (use.exit !== null) line.exit = use.exit
      if (use.relayed > 0) line.relayed_bytes = BigInt(use.relayed)
      lines.push(line)
      use.charged = use.relayed = use.requests = 0
    }
    if (uses.length === 0) lines.push({ lease, access, charged_bytes: 0n, requests: 0, close })
    this.#pending = 0
    this.#requests = 0
  }

  #mayClose(): boolean {
    const now = this.#options.now()
    const idleMs = now - this.#spentAt
    // A recalled lease is given back even while a tunnel waits here, because the rest is too small for that tunnel: two
    // gateways with such rests would otherwise wait for each other.
    if (this.#recalledAt !== null)
      return idleMs >= pacing.IDLE_RECALL_MS || now - this.#recalledAt >= pacing.BUSY_RECALL_MS
    if (this.#reserved > 0 || this.#waiters.count > 0 || this.#options.isAway?.() === true) return false
    if (idleMs >= (this.#options.idleCloseMs ?? pacing.IDLE_CLOSE_MS)) return true
    this.#isReopened = pacing.isSurplus(this.#rate.at(now), this.#remaining)
    return this.#isReopened
  }

  /** Requests more when the lease no longer covers the account's use for long enough. */
  #followUse(): void {
    const now = this.#options.now()
    if (!this.#isFull || now < this.#followUseAt || this.#recalledAt !== null) return
    if (pacing.isShort(this.#rate.at(now), this.#remaining)) this.#askAhead()
  }

  #askAhead(): void {
    if (this.#machine.allows('ask') && this.#options.now() >= this.#askAheadAt) void this.#ask()
  }

  async #ask(): Promise<void> {
    if (this.#isOver || !this.#machine.apply('ask')) return
    this.#waiters.cancelAsk()
    const { feed, identity, now, onFault } = this.#options
    const sentAt = now()
    const wanted = Math.max(pacing.wantOf(this.#rate.at(sentAt), this.#remaining), this.#waiters.most)
    let grant: LeaseGrant
    try {
      grant = await feed.lease(identity, { access: this.access, want_bytes: BigInt(wanted) })
    } catch (error) {
      // The server is unavailable. Leased bytes can still be spent; a request for the waiting tunnels is repeated later.
      this.#machine.apply('nothing')
      this.#unconfirmed.failed(now())
      this.#askAheadAt = now() + pacing.aheadRetryMs(++this.#failures)
      onFault?.(error)
      this.#retryIn(pacing.RETRY_AFTER_FAULT_MS)
      return
    }
    this.#failures = 0
    this.#unconfirmed.answered(sentAt)
    this.#granted(grant, wanted)
  }

  /** Asks which lease is open. An unknown one is given back with the next report. */
  async #inquire(): Promise<void> {
    if (!this.#machine.apply('ask')) return
    const found = await this.#unconfirmed.inquire(this.#options, this.access)
    this.#answered(found?.lease ?? 0n)
    if (found !== null && found.lease !== 0n) this.#remaining += this.#receive(found)
    if (this.#waiters.count > 0) void this.#ask()
  }

  /** The server has answered with this lease; 0: with none. */
  #answered(lease: bigint): void {
    if (lease === 0n) {
      this.#machine.apply('nothing')
      return
    }
    if (this.#lease === null || this.#lease === lease) this.#machine.apply('granted')
    else this.#replaceLease(this.#lease)
    this.#lease = lease
  }

  #granted(grant: LeaseGrant, wanted: number): void {
    this.#answered(grant.lease)
    const bytes = this.#receive(grant)
    this.#remaining += bytes
    this.#elsewhereBytes = Number(grant.elsewhere_bytes)
    this.#capped = grant.capped ?? null
    const now = this.#options.now()
    this.#isFull = bytes >= wanted
    this.#askBelow = pacing.askBelow(this.#remaining, this.#isFull)
    const isComplete = grant.lease_bytes !== undefined && this.#options.isResumed !== true
    const isGivenBack = bytes === 0 && !isComplete && this.#unconfirmed.exists && this.#lease !== null
    if (bytes > 0) {
      this.#spentAt = now
      this.#followUseAt = now + pacing.FOLLOW_USE_MS
    } else {
      this.#askAheadAt = now + pacing.NOTHING_GRANTED_MS
      // The lease may hold bytes of a grant that was never received: it is given back, and asked for anew.
      if (isGivenBack) this.#recalledAt = -Infinity
      else if (!grant.outstanding) this.#exhaustedUntil = now + pacing.EXHAUSTED_MS
    }
    this.#waiters.wake(this.#remaining + this.#credit)
    if (this.#waiters.count === 0) return
    if (bytes > 0) void this.#ask()
    else if (grant.outstanding) this.#retryIn(50 + Math.random() * 50)
    else if (!isGivenBack) this.#waiters.giveUp()
  }

  /** The bytes that a grant adds to the open lease: its own, and those of grants whose answers were lost. */
  #receive({ lease, granted_bytes, lease_bytes }: LeaseGrant): number {
    const known = this.#grantedTotal
    const granted = Number(granted_bytes)
    // No lease is open.
    if (lease === 0n || lease_bytes === undefined) return granted
    const total = Number(lease_bytes)
    this.#grantedTotal = total
    return known === null ? granted : total - known
  }

  /** The known total of a lease before its first grant: 0, or null when an interrupted process may have had grants. */
  get #nothingGranted(): number | null {
    return this.#options.isResumed === true ? null : 0
  }

  /**
   * The server has closed the lease by itself, as it does when it takes a gateway for lost, and opened another. What was
   * spent is still owed to the old one; its rest is gone, and bytes on their way to the kernel are paid from the new one.
   */
  #replaceLease(replaced: bigint): void {
    this.#addLines(this.#replacedLines, replaced, true)
    this.#remaining = -this.#reserved
    this.#grantedTotal = this.#nothingGranted
    this.#machine.apply('replaced')
  }

  #retryIn(ms: number): void {
    if (!this.#isOver) this.#waiters.askIn(ms, () => void this.#ask())
  }
}
