/** All that is relayed for somebody at this moment: who it is, how to end it, and what it came to. */

import { performance } from 'node:perf_hooks'
import type { Targeting } from '#proxies/grammar'
import { Charge } from './metering/charge.ts'
import { passwordMatches, type Credentials } from './admission/credentials.ts'
import type { FeedAccount } from '#feed'
import { Headcount } from './limits/shared.counter.ts'
import type { Purse } from './metering/account.lease.ts'
import { type Member, Roster } from './sockets/swap.list.ts'
import { targetFault, tooManyConnections } from './limits/host.limits.ts'
import type { RelayReason } from './relay.ts'
import type { Siblings } from './limits/coordinator.ts'
import { Cancel, type Signal } from './sockets/cancel.signal.ts'
import type { Target } from './targets/target.ts'
import type { Trace } from './records/trace.ts'
import type { Applied } from './responses/refusal.ts'

export interface SessionParts {
  account: FeedAccount
  /** Null: known by the client's address. */
  credentials: Credentials | null
  targeting: Targeting
  multiplier: 1 | 2
  /** The line in our own grammar, when it was written in somebody else's. */
  understood: string | null
  purse: Purse
  protocol: 'http' | 'connect' | 'socks5'
  clientAddress: string
  requestId: string
  trace: Trace
}

export interface SessionEnd {
  target: string
  reason: RelayReason | 'refused'
  upBytes: number
  downBytes: number
}

/** Bytes on their way: what ends them, and when the last one went, in monotonic milliseconds. */
export interface Flow {
  stop(reason: 'idle' | 'cut'): void
  readonly activeAt: number
}

/** One tunnel or one forwarded request, from the moment it is known whose it is. */
export class Session implements Member {
  place = -1
  readonly parts: SessionParts
  /** Those that were opened before it have lower ones. */
  readonly number: number
  readonly charge: Charge
  readonly startedAt = performance.now()
  /** Where it goes, once that is known. */
  target: Target | null = null
  /** Set once bytes flow. Until then `signal` ends what is being prepared. */
  flow: Flow | null = null
  /** Made when somebody asks for it: most sessions are never stopped while they are prepared. */
  #cancel: Cancel | null = null
  stopped = false
  readonly #tunnels: Pick<Tunnels, 'left'>
  #ended = false

  constructor(parts: SessionParts, tunnels: Pick<Tunnels, 'left' | 'opened'>) {
    this.parts = parts
    this.number = tunnels.opened
    this.charge = new Charge(parts.purse, parts.multiplier)
    this.#tunnels = tunnels
  }

  get signal(): Signal {
    this.#cancel ??= new Cancel()
    if (this.stopped) this.#cancel.abort()
    return this.#cancel
  }

  /** What is told of it to its client. */
  get applied(): Applied {
    const { trace, multiplier, targeting, purse, understood } = this.parts
    return {
      requestId: trace.id,
      multiplier,
      session: targeting.session,
      country: trace.country,
      balance: purse.balance,
      understood,
    }
  }

  /** A tunnel is open: nothing is being prepared any more. */
  opened(flow: Flow): void {
    this.flow = flow
    this.#cancel = null
  }

  /** Monotonic milliseconds of the last byte. */
  get activeAt(): number {
    return this.flow?.activeAt ?? this.startedAt
  }

  stop(reason: 'idle' | 'cut'): void {
    this.stopped = true
    this.#cancel?.abort()
    this.flow?.stop(reason)
  }

  /** Gives up its place; true the first time. */
  end(): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#tunnels.left(this)
    return true
  }
}

/** By what somebody was let in: a login with its password, or an address on the whitelist. */
export interface Right {
  login: string
  pool: string
  /** Null: by the password. */
  address: string | null
}

function rightOf({ account, credentials, clientAddress }: SessionParts): Right {
  const { login, pool } = account
  return { login, pool, address: credentials === null ? clientAddress : null }
}

export interface TunnelsOptions {
  mostPerAccount: number
  /** How many are open for the account here. */
  openFor: (account: bigint) => number
  /** One of the account's has come to its end. */
  onLeft: (account: bigint) => void
  /** The other workers of this machine, with whom an account's tunnels are counted together. */
  siblings?: Siblings | null
}

export class Tunnels {
  opened = 0
  readonly #sessions = new Roster<Session>()
  readonly #mostPerAccount: number
  readonly #onLeft: TunnelsOptions['onLeft']
  readonly #accounts: Headcount<bigint>
  #whenEmpty: (() => void)[] = []

  constructor({ mostPerAccount, openFor, onLeft, siblings = null }: TunnelsOptions) {
    this.#mostPerAccount = mostPerAccount
    this.#onLeft = onLeft
    this.#accounts = new Headcount({
      counted: 'accounts',
      most: mostPerAccount,
      own: openFor,
      read: BigInt,
      siblings,
    })
  }

  get open(): number {
    return this.#sessions.size
  }

  /** Admits one more, which holds its purse until it ends; 429 when the account has too many already. */
  enter(parts: SessionParts): Session {
    const { account, purse } = parts
    if (this.#accounts.isFull(account.id, purse.holders - 1)) {
      purse.holders--
      throw tooManyConnections(this.#mostPerAccount)
    }
    this.#accounts.changed(account.id, purse.holders)
    const session = new Session(parts, this)
    this.#sessions.add(session)
    this.opened++
    return session
  }

  /** Cuts so many of the account's, the newest first: what is at work longest has most to lose. */
  cutNewest(account: bigint, count: number): void {
    const theirs = this.#sessions
      .all()
      .filter(({ parts }) => parts.account.id === account)
      .toSorted((one, other) => other.number - one.number)
    let left = count - theirs.filter(({ stopped }) => stopped).length
    for (const session of theirs) {
      if (left <= 0) return
      if (session.stopped) continue
      session.stop('cut')
      left--
    }
  }

  /** By what right things are open: each of them once, of all that the condition holds for. */
  rights(where: (right: Right) => boolean): Right[] {
    const rights = new Map<string, Right>()
    for (const { parts } of this.#sessions.all()) {
      const right = rightOf(parts)
      if (where(right)) rights.set(`${right.pool} ${right.login} ${right.address ?? ''}`, right)
    }
    return [...rights.values()]
  }

  /**
   * Whom the right belongs to now. What was opened by it is cut when that is nobody, somebody else, or a blocked
   * customer, when the password is no longer the one that was given, or when their limits deny its target now.
   */
  judge(right: Right, account: FeedAccount | null): number {
    let cut = 0
    for (const session of this.#sessions.all()) {
      const { parts } = session
      const { login, pool, address } = rightOf(parts)
      if (login !== right.login || pool !== right.pool || address !== right.address) continue
      const isTheirs =
        parts.credentials === null
          ? account?.id === parts.account.id
          : passwordMatches(account, parts.credentials.digest)
      const denied =
        account !== null && session.target !== null && targetFault(account, session.target) !== null
      if (isTheirs && account?.blocked === false && !denied) continue
      session.stop('cut')
      cut++
    }
    return cut
  }

  /** Ends what has been silent since before that moment. */
  stopIdle(beforeMs: number): void {
    for (const session of this.#sessions.all()) if (session.activeAt < beforeMs) session.stop('idle')
  }

  stopAll(): void {
    for (const session of this.#sessions.all()) session.stop('cut')
  }

  /** Resolves when nothing is open, or after so long. */
  whenEmpty(patienceMs: number): Promise<void> {
    if (this.#sessions.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      this.#whenEmpty.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** It has come to its end. */
  left(session: Session): void {
    this.#sessions.remove(session)
    const { account, purse } = session.parts
    purse.holders--
    this.#accounts.changed(account.id, purse.holders)
    this.#onLeft(account.id)
    if (this.#sessions.size > 0) return
    const waiting = this.#whenEmpty
    this.#whenEmpty = []
    for (const resolve of waiting) resolve()
  }
}
