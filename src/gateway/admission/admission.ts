/**
 * Admission: authenticates a client, and determines its rights and settings. Opens a session for an admitted
 * client, without a lookup when its credentials are in the auth cache.
 */

import type { Feed, FeedAccount, FeedPlaces, PortKind } from '#feed'
import type { Log } from '#lib/log'
import { anywhere, type Targeting, withStored } from '#proxies/grammar'
import type { ExitTargeting } from '../exits/choice.ts'
import type { Exits } from '../exits/exits.ts'
import type { AccountLimiter } from '../limits/account.limiter.ts'
import type { WorkerBus } from '../limits/worker.bus.ts'
import type { Trace } from '../records/trace.ts'
import { refusal } from '../responses/refusal.ts'
import { Accounts, type KnownAccounts, subjectsOf } from './accounts.ts'
import { AddressProofs } from './address.proofs.ts'
import { type Admitted, admittedAs, AuthCache } from './auth.cache.ts'
import type { Client, Presented } from './credentials.ts'
import { Identification, type Identity } from './identity.ts'
import { LoginThrottle } from './login.throttle.ts'
import { Places } from './places.ts'
import { RefusalDelay } from './refusal.delay.ts'
import { StoredTargetings } from './stored.targetings.ts'
import { userRefusal, withinPlaces } from './proxy-users.ts'

export type { Admitted } from './auth.cache.ts'

export interface AdmissionOptions<C extends Client, S> {
  feed: Pick<Feed, 'account' | 'whitelisted' | 'prove' | 'slot' | 'places' | 'named' | 'unknown'>
  exits: Pick<Exits, 'all'>
  limiter: Pick<AccountLimiter, 'hasCap' | 'enter'>
  bus: WorkerBus | null
  log: Log
  onFault: (what: string, fault: unknown) => void
  /** Opens the session of an admitted client; may refuse. */
  open: (admitted: Admitted, client: C, trace: Trace) => S
}

/** Admission's cached data of the server, for a restart. */
export interface KnownToAdmission extends KnownAccounts {
  places: [string, FeedPlaces][]
}

/** Refuses a proxy user that may not be used now, or not from the client's address. */
function refuseUser({ user }: FeedAccount, { address }: Client): void {
  const refused = user === undefined ? null : userRefusal(user, address)
  if (refused !== null) throw refused
}

/** Adds how often the owner has ended the session of the line. */
function renewed({ ended }: FeedAccount, targeting: ExitTargeting): ExitTargeting {
  const { session } = targeting
  if (ended === undefined || session === null) return targeting
  const found = ended.sessions.find(({ name }) => name === session)
  return found === undefined
    ? targeting
    : { ...targeting, renewal: { times: found.times, at_ms: found.at_ms } }
}

export class Admission<C extends Client, S> {
  readonly #options: AdmissionOptions<C, S>
  readonly #accounts: Accounts
  readonly #cache: AuthCache
  readonly #proofs: AddressProofs
  readonly #identification: Identification
  readonly #places: Places
  readonly #stored: StoredTargetings

  constructor(options: AdmissionOptions<C, S>) {
    const { feed, exits, bus, log, onFault } = options
    this.#options = options
    const accounts = new Accounts({ feed })
    const throttle = new LoginThrottle({ bus })
    this.#accounts = accounts
    this.#proofs = new AddressProofs({ feed, onFault: (error) => onFault('proofs of addresses', error) })
    this.#cache = new AuthCache(accounts, throttle, this.#proofs)
    this.#places = new Places({ feed, exits, onFault: (error) => onFault('places', error) })
    this.#stored = new StoredTargetings({ feed })
    this.#identification = new Identification({
      accounts,
      throttle,
      refusalDelay: new RefusalDelay(),
      places: this.#places,
      log,
    })
  }

  /**
   * Opens a session, synchronously when the credentials are cached. Refuses with 407 wrong or missing
   * credentials; with 429 too many failed logins from this address, and connections over the customer's cap;
   * with 400 an invalid line; with 403 a blocked customer, what a customer does not allow a proxy user, an
   * address that is not whitelisted on a slot port, and an unused slot; with 503 when the account cannot be
   * looked up.
   */
  admit(client: C, presented: Presented, trace: Trace): S | Promise<S> {
    trace.client = client
    const cached = this.#cache.get(client, presented)
    if (cached !== null) {
      trace.belongsTo(cached.account)
      refuseUser(cached.account, client)
      if (!this.#options.limiter.hasCap(cached.account)) return this.#options.open(cached, client, trace)
    }
    return this.#admitWithPermit(client, { presented, cached }, trace)
  }

  /**
   * The account with this login or at this address now, for a session that is open; `sure`: not from an
   * expired answer.
   */
  findAgain(key: {
    login: string
    pool: string
    address: string | null
    port: PortKind
  }): Promise<FeedAccount | null> {
    const { pool, address, port } = key
    return address === null
      ? this.#accounts.find(key, 'sure')
      : this.#accounts.findByAddress({ pool, address, port }, 'sure')
  }

  accountChanged(login: string): void {
    this.#accounts.forget(login)
  }

  /** The account itself changed, but nothing that concerns its proxy users. */
  ownChanged(login: string): void {
    this.#accounts.forgetOwn(login)
  }

  slotsChanged(login: string): void {
    this.#accounts.forgetSlots(login)
  }

  addressChanged(change: { pool: string; address: string; login?: string }): void {
    this.#accounts.forgetAddress(change)
    if (change.login !== undefined) this.#proofs.listed()
  }

  placesChanged(): void {
    this.#places.forget()
  }

  /** Events of the feed may have been missed. */
  anythingChanged(): void {
    this.#accounts.forgetAll()
    this.#places.forget()
  }

  /** Sends the pending proofs of addresses, unless the server is unreachable. */
  stop(how: { isAway: boolean }): Promise<void> {
    return this.#proofs.stop(how)
  }

  known(): KnownToAdmission {
    return { ...this.#accounts.kept(), places: this.#stored.kept() }
  }

  restore(known: KnownToAdmission): void {
    this.#accounts.restore(known)
    this.#stored.restore(known.places)
  }

  /** Looks up what is not cached, and waits for a permit where the customer has a cap on connections. */
  async #admitWithPermit(
    client: C,
    { presented, cached }: { presented: Presented; cached: Admitted | null },
    trace: Trace,
  ): Promise<S> {
    for (let admitted = cached; ; admitted = null) {
      admitted ??= await this.#lookUp(client, presented, trace)
      const { now: since } = this.#accounts.changes
      const entered = await this.#options.limiter.enter(admitted.account)
      entered()
      if (this.#isUnchanged(since, admitted.account, client))
        return this.#options.open(admitted, client, trace)
    }
  }

  /** All answers have to be valid at one moment: a right that ends during the lookup must open no session. */
  async #lookUp(client: C, presented: Presented, trace: Trace): Promise<Admitted> {
    for (;;) {
      const { now: since } = this.#accounts.changes
      const identity = await this.#identification.identify(client, presented, trace)
      trace.belongsTo(identity.account)
      const { account } = identity
      if (account.blocked) throw refusal('account_blocked', 'this account is blocked')
      refuseUser(account, client)
      const named = await this.#targetingOf(client.slot, identity)
      const targeting = account.user === undefined ? named : withinPlaces(account.user, named)
      if (!this.#isUnchanged(since, account, client)) continue
      const admitted = admittedAs(identity, renewed(account, targeting))
      this.#cache.set(client, presented, { since, admitted })
      return admitted
    }
  }

  #isUnchanged(since: number, account: FeedAccount, { address }: Client): boolean {
    return this.#accounts.changes.isUnchanged(since, subjectsOf(account, address))
  }

  /** Adds the stored settings that the line or the slot refers to; 400 or 403 when there are none. */
  async #targetingOf(slot: number | null, { account, named }: Identity): Promise<Targeting> {
    if (slot !== null) {
      const saved = await this.#settings(this.#accounts.findSlot({ account, slot }))
      if (saved !== null) return { ...anywhere(), ...saved }
      const sentence = `no line was made for slot ${slot} of this pool yet: generate lines of the format "hostname:port"`
      throw refusal('slot_unused', sentence)
    }
    const { set } = named
    if (set === null) return named
    const places = await this.#settings(
      this.#stored.find({ login: account.user?.parent ?? account.login, set }),
    )
    if (places !== null) return withStored(named, { ...anywhere(), ...places })
    const sentence = `there are no stored settings "${set}"`
    throw refusal('unknown_set', sentence)
  }

  async #settings<T>(lookup: Promise<T>): Promise<T> {
    try {
      return await lookup
    } catch (error) {
      this.#options.log.warn({ err: error }, 'stored settings lookup failed')
      throw refusal('settings_unavailable', 'the stored settings cannot be looked up at present')
    }
  }
}
