/** All that is relayed for somebody at this moment: who it is, how to end it, and what it came to. */

import { randomUUID } from 'node:crypto'
import type { Targeting } from '#proxies/grammar'
import { Charge } from './charge.ts'
import { passwordMatches, type Credentials } from './credentials.ts'
import type { FeedAccount } from './feed.ts'
import type { Purse } from './purse.ts'
import type { RelayReason } from './relay.ts'
import { ProxyRefusal, SOCKS_REPLY } from './refuse.ts'

export interface SessionParts {
  account: FeedAccount
  /** Null: known by the client's address. */
  credentials: Credentials | null
  targeting: Targeting
  multiplier: 1 | 2
  purse: Purse
  protocol: 'http' | 'connect' | 'socks5'
  clientAddress: string
  requestId: string
}

export interface SessionEnd {
  target: string
  reason: RelayReason | 'refused'
  upBytes: number
  downBytes: number
}

/** One tunnel or one forwarded request, from the moment it is known whose it is. */
export class Session {
  readonly parts: SessionParts
  readonly charge: Charge
  readonly startedAt = performance.now()
  /** Set once bytes flow; ends them. Until then `signal` ends what is being prepared. */
  onStop: ((reason: 'idle' | 'cut') => void) | null = null
  activeAt: () => number = () => this.startedAt
  readonly #abort = new AbortController()
  readonly #leave: (session: Session) => void
  #ended = false

  constructor(parts: SessionParts, leave: (session: Session) => void) {
    this.parts = parts
    this.charge = new Charge(parts.purse, parts.multiplier)
    this.#leave = leave
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  stop(reason: 'idle' | 'cut'): void {
    this.#abort.abort()
    this.onStop?.(reason)
  }

  /** Gives up its place; true the first time. */
  end(): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#leave(this)
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

export function newRequestId(): string {
  return randomUUID()
}

export class Tunnels {
  opened = 0
  readonly #sessions = new Set<Session>()
  readonly #perAccount = new Map<bigint, number>()
  readonly #mostPerAccount: number
  #whenEmpty: (() => void)[] = []

  constructor(options: { mostPerAccount: number }) {
    this.#mostPerAccount = options.mostPerAccount
  }

  get open(): number {
    return this.#sessions.size
  }

  /** Admits one more; 429 when the account has too many already. */
  enter(parts: SessionParts, letGo: () => void): Session {
    const { id } = parts.account
    const count = this.#perAccount.get(id) ?? 0
    if (count >= this.#mostPerAccount) {
      letGo()
      throw new ProxyRefusal({
        status: 429,
        code: 'too_many_connections',
        sentence: `this account has ${count} open connections, the most there may be`,
        error: 'http_request_denied',
        reply: SOCKS_REPLY.forbidden,
        retryAfterSeconds: 1,
      })
    }
    this.#perAccount.set(id, count + 1)
    const session = new Session(parts, (ended) => {
      letGo()
      this.#left(ended)
    })
    this.#sessions.add(session)
    this.opened++
    return session
  }

  /** By what right things are open: each of them once, of all that the condition holds for. */
  rights(where: (right: Right) => boolean): Right[] {
    const rights = new Map<string, Right>()
    for (const { parts } of this.#sessions) {
      const right = rightOf(parts)
      if (where(right)) rights.set(`${right.pool} ${right.login} ${right.address ?? ''}`, right)
    }
    return [...rights.values()]
  }

  /**
   * Whom the right belongs to now. What was opened by it is cut when that is nobody, somebody else, or a blocked
   * customer, or when the password is no longer the one that was given.
   */
  judge(right: Right, account: FeedAccount | null): number {
    let cut = 0
    for (const session of this.#sessions) {
      const { parts } = session
      const { login, pool, address } = rightOf(parts)
      if (login !== right.login || pool !== right.pool || address !== right.address) continue
      const isTheirs =
        parts.credentials === null
          ? account?.id === parts.account.id
          : passwordMatches(account, parts.credentials.digest)
      if (isTheirs && account?.blocked === false) continue
      session.stop('cut')
      cut++
    }
    return cut
  }

  /** Ends what has been silent since before that moment. */
  stopIdle(beforeMs: number): void {
    for (const session of this.#sessions) if (session.activeAt() < beforeMs) session.stop('idle')
  }

  stopAll(): void {
    for (const session of this.#sessions) session.stop('cut')
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

  #left(session: Session): void {
    this.#sessions.delete(session)
    const { id } = session.parts.account
    const left = (this.#perAccount.get(id) ?? 1) - 1
    if (left > 0) this.#perAccount.set(id, left)
    else this.#perAccount.delete(id)
    if (this.#sessions.size > 0) return
    const waiting = this.#whenEmpty
    this.#whenEmpty = []
    for (const resolve of waiting) resolve()
  }
}
