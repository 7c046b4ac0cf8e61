/**
 * Applies the feed's events: caches are invalidated, and an open session must not outlive the right that
 * opened it.
 */

import { setImmediate } from 'node:timers/promises'
import type { Feed, FeedEvent } from '#feed'
import type { ConnectionLog } from '#feed/connection.record'
import { proxyUserId } from '#feed/user.ids'
import type { Log } from '#lib/log'
import type { Admission } from './admission/admission.ts'
import type { Exits } from './exits/exits.ts'
import type { AccountLimiter } from './limits/account.limiter.ts'
import type { Metering } from './metering/metering.ts'
import { openSessions } from './open.sessions.ts'
import type { GatewayClient, Session } from './session.ts'
import type { Right, Sessions } from './sessions.ts'

const RETRY_MS = 500
const CHECKED_AT_ONCE = 16

export interface FeedEventsOptions {
  admission: Admission<GatewayClient, Session>
  exits: Pick<Exits, 'refresh'>
  limiter: Pick<AccountLimiter, 'tooMany'>
  metering: Pick<Metering, 'recall'>
  sessions: Sessions
  feed: Pick<Feed, 'sessions'>
  gateway: string
  connectionLog?: ConnectionLog | undefined
  log: Log
}

export class FeedEvents {
  readonly #options: FeedEventsOptions

  constructor(options: FeedEventsOptions) {
    this.#options = options
  }

  apply(event: FeedEvent): void {
    const { admission, exits, metering } = this.#options
    if (event.type === 'lease_recalled') {
      metering.recall(event.access)
    } else if (event.type === 'users_changed') {
      this.#usersChanged(event)
    } else if (event.type === 'exits_changed') {
      void exits.refresh()
    } else if (event.type === 'gateways_changed') {
      // The process that started the workers drains them.
    } else if (event.type === 'places_changed') {
      admission.placesChanged()
    } else if (event.type === 'slots_changed') {
      admission.slotsChanged(event.login)
    } else if (event.type === 'sessions_ended') {
      admission.ownChanged(event.login)
      const ended = this.#options.sessions.end(event)
      if (ended > 0) this.#options.log.info({ login: event.login, ended }, 'tunnels ended by the customer')
    } else if (event.type === 'account_changed') {
      admission.accountChanged(event.login)
      this.#checkSessions(() => true, event.login)
      if (event.cut !== undefined) this.#cut(event.login, event.cut)
      if (event.tell !== undefined) this.#tell(event.login, event.tell)
    } else if (event.type === 'whitelist_changed') {
      admission.addressChanged(event)
      this.#checkSessions(({ pool, address }) => pool === event.pool && address === event.address)
    } else {
      admission.anythingChanged()
      void exits.refresh()
      this.#checkSessions(() => true)
    }
  }

  /** Both forms of the id are recalled: the event does not say which of them are reserved. */
  #usersChanged({ access, users }: Extract<FeedEvent, { type: 'users_changed' }>): void {
    const { admission, metering, sessions } = this.#options
    const logins = new Set(users.map(([login]) => login))
    for (const login of logins) admission.accountChanged(login)
    for (const [, nr] of users)
      for (const isReserved of [false, true]) metering.recall(proxyUserId(access, BigInt(nr), isReserved))
    void this.#checkInTurns(sessions.rights(({ login }) => login !== null && logins.has(login)))
  }

  /** Each check looks at all sessions, so only some are begun in one turn of the event loop. */
  async #checkInTurns(rights: readonly Right[]): Promise<void> {
    for (const [index, right] of rights.entries()) {
      if (index > 0 && index % CHECKED_AT_ONCE === 0) await setImmediate()
      void this.#check(right)
    }
  }

  /** Cuts sessions because an operator asked for it; the customer may connect again. */
  #cut(login: string, which: string): void {
    const cut = this.#options.sessions.cutOf(login, which)
    if (cut > 0) this.#options.log.info({ login, cut }, 'tunnels cut: an operator asked for it')
  }

  /** Sends the customer's open sessions to the operator, who sees when a worker has not answered. */
  #tell(login: string, question: string): void {
    const { sessions, feed, gateway, connectionLog, log } = this.#options
    const theirs = openSessions(sessions.of(login), connectionLog)
    feed
      .sessions({ question, gateway, ...theirs })
      .catch((error: unknown) => log.warn({ err: error, login }, 'open sessions could not be told'))
  }

  /**
   * Looks up the current accounts of the rights of open sessions, and cuts sessions whose right has ended.
   */
  #checkSessions(where: (right: Right) => boolean, login: string | null = null): void {
    for (const right of this.#options.sessions.rights(where, login)) void this.#check(right)
  }

  async #check(right: Right): Promise<void> {
    const { admission, limiter, sessions, log } = this.#options
    const { login, pool, address } = right
    try {
      const account = await admission.findAgain(right)
      const cut = sessions.cutUnauthorized(right, account)
      if (account !== null) sessions.cutNewest(account.access, await limiter.tooMany(account))
      if (cut > 0) log.info({ login, pool, address, cut }, 'tunnels cut: the account changed')
    } catch (error) {
      // The server is unreachable. A revoked right must not outlive that, so the lookup is repeated until it
      // succeeds.
      log.warn({ err: error, pool }, 'account lookup failed')
      const isOpen = sessions.rights((other) => other.login === login && other.pool === pool).length > 0
      if (isOpen && !sessions.isClosing) setTimeout(() => void this.#check(right), RETRY_MS).unref()
    }
  }
}
