/** All open sessions of this worker: opened for admitted clients, and cut when their right ends. */

import type { FeedAccount, FeedEvent, PortKind } from '#feed'
import { SwapList } from '#lib/swap-list'
import { withTimeout } from '#lib/timeout'
import type { Admitted } from './admission/admission.ts'
import { passwordMatches, portKindOf } from './admission/credentials.ts'
import { Terms } from './admission/terms.ts'
import { mayStay, userRefusal } from './admission/proxy-users.ts'
import type { AccountLimiter } from './limits/account.limiter.ts'
import { hostRefusal } from './limits/host.limits.ts'
import type { Forgiveness } from './metering/forgiveness.ts'
import type { Metering } from './metering/metering.ts'
import type { Trace } from './records/trace.ts'
import { refusal } from './responses/refusal.ts'
import { type GatewayClient, Session } from './session.ts'

/** The right by which a client was admitted: a login with its password, or a whitelisted address. */
export interface Right {
  login: string
  /** The login of the account when this is a proxy user's; null otherwise. */
  parent: string | null
  pool: string
  /** The whitelisted address; null: the client was admitted by its password. */
  address: string | null
  port: PortKind
}

function rightOf({ admitted, clientAddress, port }: Session): Right {
  const { login, pool, user } = admitted.account
  return {
    login,
    parent: user?.parent ?? null,
    pool,
    address: admitted.credentials === null ? clientAddress : null,
    port,
  }
}

/**
 * Whether the owner of the login has ended the session since it was admitted, in case the gateway has missed
 * the announcement.
 */
function hasEnded({ admitted, trace }: Session, { ended }: FeedAccount): boolean {
  if (ended === undefined) return false
  const known = admitted.account.ended
  if ((ended.all_ms ?? 0) > (known?.all_ms ?? 0) || ended.requests.includes(trace.id)) return true
  const { session } = admitted.targeting
  const atMs = (of: typeof known) => of?.sessions.find(({ name }) => name === session)?.at_ms ?? 0
  return session !== null && atMs(ended) > atMs(known)
}

export class Sessions {
  /** How many were opened since the start. */
  opened = 0
  /**
   * Set once the gateway stops: no connection is kept for a further request. Those that were accepted are
   * still served.
   */
  isDraining = false
  /** Set when draining ends: no session is opened from then on. */
  isClosing = false
  readonly #sessions = new SwapList<Session>()
  /** When the sessions of proxy users end. */
  readonly #terms = new Terms<Session>((session) => session.stop('cut'))
  readonly #limiter: Pick<AccountLimiter, 'refusalOf' | 'opened' | 'ended'>
  readonly #metering: Pick<Metering, 'healthy' | 'hold'>
  readonly #forgiveness: Forgiveness
  readonly #onEnd = (session: Session) => this.#ended(session)
  #whenEmpty: (() => void)[] = []

  constructor(
    limiter: Pick<AccountLimiter, 'refusalOf' | 'opened' | 'ended'>,
    metering: Pick<Metering, 'healthy' | 'hold'>,
    forgiveness: Forgiveness,
  ) {
    this.#limiter = limiter
    this.#metering = metering
    this.#forgiveness = forgiveness
  }

  /** How many are open. */
  get size(): number {
    return this.#sessions.size
  }

  /**
   * Opens a session, which holds its account's lease until it ends. Refuses with 429 when the account has too
   * many, with 503 while the gateway stops or its journal cannot be written.
   */
  open(admitted: Admitted, client: GatewayClient, trace: Trace): Session {
    client.counted.authenticated()
    trace.multiplier = admitted.multiplier
    trace.settings = admitted.settings
    if (this.isClosing) throw refusal('stopping', 'this gateway is being stopped')
    if (!this.#metering.healthy)
      throw refusal('journal_full', 'this gateway cannot keep its accounts at present')
    const { access } = admitted.account
    const lease = this.#metering.hold(access)
    const tooMany = this.#limiter.refusalOf(access, lease.holders - 1)
    if (tooMany !== null) {
      lease.holders--
      throw tooMany
    }
    if (lease.holders > lease.peak) lease.peak = lease.holders
    this.#limiter.opened(access, lease.holders)
    const port = portKindOf(client.slot)
    const forgiveness = this.#forgiveness
    const parts = { admitted, clientAddress: client.address, port, lease, forgiveness, trace }
    const session = new Session(parts, this.opened, this.#onEnd)
    this.#sessions.add(session)
    if (admitted.account.user !== undefined) this.#terms.set(session, admitted.account.user.expires_ms)
    this.opened++
    return session
  }

  /** Cuts this many of the account's sessions, newest first: the oldest would lose most. */
  cutNewest(access: bigint, count: number): void {
    const theirs = this.#sessions
      .all()
      .filter(({ admitted }) => admitted.account.access === access)
      .toSorted((one, other) => other.number - one.number)
    let left = count - theirs.filter(({ isStopped }) => isStopped).length
    for (const session of theirs) {
      if (left <= 0) return
      if (session.isStopped) continue
      session.stop('cut')
      left--
    }
  }

  /** The different rights of open sessions, of a login and its proxy users or of all, that fulfil the condition. */
  rights(where: (right: Right) => boolean, login: string | null = null): Right[] {
    const rights = new Map<string, Right>()
    for (const session of login === null ? this.#sessions.all() : this.of(login)) {
      const right = rightOf(session)
      if (where(right)) rights.set(`${right.pool} ${right.login} ${right.port} ${right.address ?? ''}`, right)
    }
    return [...rights.values()]
  }

  /**
   * Cuts the sessions of a right that now belongs to `account`: all when that is null, another customer or a
   * blocked one, those with an outdated password, those whose target the account's limits deny, and what is
   * not allowed to a proxy user any more. Returns the number cut.
   */
  cutUnauthorized(right: Right, account: FeedAccount | null): number {
    let cut = 0
    for (const session of this.#sessions.all()) {
      const { admitted, target } = session
      const { login, pool, address, port } = rightOf(session)
      if (login !== right.login || pool !== right.pool) continue
      if (address !== right.address || port !== right.port) continue
      if (account !== null) session.trace.withholdsHosts = account.withholds_hosts === true
      const isTheirs =
        admitted.credentials === null
          ? account?.access === admitted.account.access
          : passwordMatches(account, admitted.credentials.digest)
      const isDenied = account !== null && target !== null && hostRefusal(account, target) !== null
      const mayGoOn = isTheirs && account?.blocked === false && !isDenied && this.#mayGoOn(session, account)
      if (mayGoOn && !hasEnded(session, account)) continue
      session.stop(mayGoOn ? 'ended' : 'cut')
      cut++
    }
    return cut
  }

  /** Whether the owner of a proxy user still allows the session; it is cut when the new term ends. */
  #mayGoOn(session: Session, { user }: FeedAccount): boolean {
    if (user === undefined) return true
    this.#terms.set(session, user.expires_ms)
    const { account, targeting } = session.admitted
    const { country } = session.trace
    if (account.user !== undefined && !mayStay(user, { before: account.user, targeting, country }))
      return false
    return userRefusal(user, session.clientAddress) === null
  }

  /** Cuts the sessions of a login: all, or the one with this request id. Returns the number cut. */
  cutOf(login: string, which: string): number {
    const theirs = this.of(login).filter(({ trace }) => which === 'all' || trace.id === which)
    for (const session of theirs) session.stop('cut')
    return theirs.length
  }

  /** Ends what the owner of a login asked for, apart from proxy users. Returns the number ended. */
  end({ login, pool, ending, name }: Extract<FeedEvent, { type: 'sessions_ended' }>): number {
    let ended = 0
    for (const session of this.#sessions.all()) {
      const { account, targeting } = session.admitted
      if (account.login !== login || account.pool !== pool) continue
      if (ending === 'session' && targeting.session !== name) continue
      if (ending === 'request' && session.trace.id !== name) continue
      session.stop('ended')
      ended++
    }
    return ended
  }

  /** The open sessions of a login and of its proxy users. */
  of(login: string): Session[] {
    return this.#sessions
      .all()
      .filter(({ admitted: { account } }) => account.login === login || account.user?.parent === login)
  }

  /** Stops the sessions without a byte since that time. */
  stopIdle(beforeMs: number): void {
    for (const session of this.#sessions.all()) if (session.activeAt < beforeMs) session.stop('idle')
  }

  stopAll(): void {
    for (const session of this.#sessions.all()) session.stop('cut')
  }

  /** Resolves when no session is open, or after `patienceMs`. */
  async whenEmpty(patienceMs: number): Promise<void> {
    if (this.#sessions.size === 0) return
    const empty = new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
    await withTimeout(empty, patienceMs, () => undefined)
  }

  #ended(session: Session): void {
    this.#sessions.remove(session)
    if (session.admitted.account.user !== undefined) this.#terms.set(session, null)
    const { lease } = session
    lease.holders--
    this.#limiter.ended(session.admitted.account.access, lease.holders)
    if (this.#sessions.size > 0) return
    const waiting = this.#whenEmpty
    this.#whenEmpty = []
    for (const resolve of waiting) resolve()
  }
}
