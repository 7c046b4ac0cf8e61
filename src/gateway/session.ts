/** One tunnel or forwarded request, from its admission to its end. */

import { performance } from 'node:perf_hooks'
import type { FeedExit, PortKind, UserLimit } from '#feed'
import { Cancellation, type CancelSignal } from '#lib/cancel-signal'
import type { SwapListItem } from '#lib/swap-list'
import { withTimeout } from '#lib/timeout'
import type { Admitted } from './admission/admission.ts'
import type { Client } from './admission/credentials.ts'
import { hostRefusal } from './limits/host.limits.ts'
import type { CountedConnection } from './limits/connection.limiter.ts'
import { Charge, type Forgiving } from './metering/charge.ts'
import type { Forgiveness } from './metering/forgiveness.ts'
import type { HeldLease } from './metering/metering.ts'
import type { Trace } from './records/trace.ts'
import { type ProxyRefusal, refusal } from './responses/refusal.ts'
import type { Applied } from './responses/responses.ts'
import type { Target } from './targets/target.ts'

/** A client's connection to one of the ports, counted for its address. */
export interface GatewayClient extends Client {
  counted: CountedConnection
}

/** Why it is stopped from outside; `ended`: the owner of the login asked for it. */
export type StopReason = 'idle' | 'cut' | 'ended'

/** A running transfer: how to stop it, and the time of the last relayed byte in monotonic milliseconds. */
export interface Flow {
  stop(reason: StopReason): void
  readonly activeAt: number
}

const userSentences: Readonly<Record<UserLimit, string>> = {
  user_total: 'the traffic that this proxy user may use in all is used up',
  user_month: 'the traffic that this proxy user may use per month is used up',
  user_day: 'the traffic that this proxy user may use per day is used up',
  user_off: 'this proxy user is frozen, or its time is over',
}

export class Session implements SwapListItem, Forgiving {
  index = -1
  readonly admitted: Admitted
  readonly clientAddress: string
  readonly port: PortKind
  readonly lease: HeldLease
  readonly forgiveness: Forgiveness
  readonly trace: Trace
  /** Ascending in the order of opening. */
  readonly number: number
  readonly charge: Charge
  readonly startedAt = performance.now()
  /** Set once it is known. */
  target: Target | null = null
  /** Set once bytes flow; until then `signal` cancels the preparation. */
  flow: Flow | null = null
  /** Null: it is not stopped. */
  stopReason: StopReason | null = null
  /** Created on first use: most sessions are never stopped while they are prepared. */
  #cancellation: Cancellation | null = null
  readonly #onEnd: (session: Session) => void
  #isEnded = false

  constructor(
    {
      admitted,
      clientAddress,
      port,
      lease,
      forgiveness,
      trace,
    }: Pick<Session, 'admitted' | 'clientAddress' | 'port' | 'lease' | 'forgiveness' | 'trace'>,
    number: number,
    onEnd: (session: Session) => void,
  ) {
    this.admitted = admitted
    this.clientAddress = clientAddress
    this.port = port
    this.lease = lease
    this.forgiveness = forgiveness
    this.trace = trace
    this.number = number
    this.charge = new Charge(lease, admitted.multiplier, this)
    this.#onEnd = onEnd
  }

  /** Whom forgiven bytes and lookups of names count for: the customer, with all pools and proxy users together. */
  get account(): bigint {
    const { owner, access } = this.admitted.account
    return owner ?? access
  }

  /** Records the connection that it uses, a new or a kept one. */
  uses({ exit, country }: { exit: Pick<FeedExit, 'id' | 'kind'>; country: string | null }): void {
    this.trace.exit = exit.id
    this.trace.country = country
    this.charge.passThrough(exit.id)
    this.charge.reachesTarget = exit.kind === 'direct'
  }

  get isStopped(): boolean {
    return this.stopReason !== null
  }

  get signal(): CancelSignal {
    this.#cancellation ??= new Cancellation()
    if (this.isStopped) this.#cancellation.abort()
    return this.#cancellation
  }

  /** The values that the response reports about the session. */
  get applied(): Applied {
    const { multiplier, targeting, understood } = this.admitted
    return {
      requestId: this.trace.id,
      multiplier,
      session: targeting.session,
      country: this.trace.country,
      balance: this.lease.balance,
      understood,
    }
  }

  /** Records the target; 403 when the account's own limits deny it. */
  allow(target: Target): void {
    this.target = target
    const denied = hostRefusal(this.admitted.account, target)
    if (denied !== null) throw denied
  }

  /**
   * Waits until this many payload bytes are covered: 402 when the balance is exhausted or a cap reached, 503
   * when late.
   */
  async cover(payloadBytes: number, patienceMs: number): Promise<void> {
    if (this.charge.covers(payloadBytes)) return
    const isCovered = await withTimeout(this.charge.more(payloadBytes), patienceMs, () => {
      throw refusal('traffic_unavailable', 'the balance cannot be looked up at present')
    })
    if (!isCovered) throw this.noTraffic()
  }

  /** The 402 for an exhausted balance, or for a cap of the customer's that is reached. */
  noTraffic(): ProxyRefusal {
    const { capped } = this.charge
    if (capped === null) return refusal('no_traffic', 'the traffic of this pool is used up')
    const ofUser = capped in userSentences ? userSentences[capped as UserLimit] : null
    if (ofUser !== null) return refusal('user_limit_reached', ofUser)
    return refusal('cap_reached', `the traffic that you allow this pool per ${capped} is used up`)
  }

  /** A tunnel is open: the preparation is over. */
  opened(flow: Flow): void {
    this.flow = flow
    this.#cancellation = null
  }

  /** Monotonic milliseconds of the last byte. */
  get activeAt(): number {
    return this.flow?.activeAt ?? this.startedAt
  }

  stop(reason: StopReason): void {
    this.stopReason ??= reason
    this.#cancellation?.abort()
    this.flow?.stop(reason)
  }

  /** Closes the session; true the first time. */
  end(): boolean {
    if (this.#isEnded) return false
    this.#isEnded = true
    this.#onEnd(this)
    return true
  }
}
