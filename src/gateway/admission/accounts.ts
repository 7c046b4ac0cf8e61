/** Cached accounts: by login, by client address, and with the settings of their slots. */

import type { Feed, FeedAccount, FeedSlot, PortKind } from '#feed'
import { isProxyUserLogin, payerOf } from '#feed/user.ids'
import { addressSubject, Changes, ownSubject } from './changes.ts'
import { FeedCache } from './feed.cache.ts'

interface LoginKey {
  login: string
  pool: string
}

interface AddressKey {
  pool: string
  address: string
  port: PortKind
}

interface SlotKey {
  account: FeedAccount
  slot: number
}

/** The cached state, for a restart. */
export interface KnownAccounts {
  accounts: [string, FeedAccount][]
  addresses: [string, FeedAccount][]
  slots: [string, FeedSlot][]
}

/** The login at the end of a name. */
const loginIn = (name: string) => name.slice(name.lastIndexOf(' ') + 1)

/** The groups of an answer: its login and, for a proxy user, the login of its account. */
function groupsOfLogin(name: string, account: FeedAccount | null): string[] {
  const parent = account?.user?.parent
  return parent === undefined ? [loginIn(name)] : [loginIn(name), parent]
}

/** What a decision about a client depends on: see `Changes`. */
export function* subjectsOf({ login, pool, user }: FeedAccount, address: string): Generator<string> {
  // A generator, because the caller nearly always needs none of these texts: nothing has changed.
  yield login
  yield user?.parent ?? ownSubject(login)
  yield addressSubject(pool, address)
}

export class Accounts {
  /** The logins and addresses whose cached answers were removed. */
  readonly changes = new Changes()
  readonly #byLogin: FeedCache<LoginKey, FeedAccount>
  readonly #byAddress: FeedCache<AddressKey, FeedAccount>
  readonly #slots: FeedCache<SlotKey, FeedSlot>

  constructor(options: { feed: Pick<Feed, 'account' | 'whitelisted' | 'slot'>; now?: () => number }) {
    const { feed, now } = options
    this.#byLogin = new FeedCache({
      ask: (key) => feed.account(key),
      nameOf: ({ login, pool }) => `${pool} ${login}`,
      groupsOf: groupsOfLogin,
      now,
    })
    this.#byAddress = new FeedCache({
      ask: (key) => feed.whitelisted(key),
      nameOf: ({ pool, address, port }) => `${port} ${pool} ${address}`,
      groupsOf: (_name, account) => (account === null ? [] : groupsOfLogin(account.login, account)),
      now,
    })
    this.#slots = new FeedCache({
      // A proxy user at its address uses the lines of its account.
      ask: ({ account, slot }) => feed.slot({ access: payerOf(account.access), slot }),
      nameOf: ({ account, slot }) => `${account.pool} ${slot} ${account.user?.parent ?? account.login}`,
      groupsOf: (name) => [loginIn(name)],
      now,
    })
  }

  /**
   * The account with this login in this pool, or null. Rejects when the feed does not answer and the account
   * is not known, or the caller passes `sure` or `anew`: otherwise an expired answer is used then.
   */
  find(key: LoginKey, how?: 'sure' | 'anew'): Promise<FeedAccount | null> {
    return this.#byLogin.find(key, how)
  }

  /**
   * The account that the client's address stands for at such a port of this pool, or null. Rejects like
   * `find`.
   */
  findByAddress(key: AddressKey, how?: 'sure'): Promise<FeedAccount | null> {
    return this.#byAddress.find(key, how)
  }

  /** The settings of the account's slot, or null. Rejects like `find`. */
  findSlot(key: SlotKey): Promise<FeedSlot | null> {
    return this.#slots.find(key)
  }

  kept(): KnownAccounts {
    return {
      accounts: this.#byLogin.kept(),
      addresses: this.#byAddress.kept(),
      slots: this.#slots.kept(),
    }
  }

  restore({ accounts, addresses, slots }: KnownAccounts): void {
    this.#byLogin.restore(accounts)
    this.#byAddress.restore(addresses)
    this.#slots.restore(slots)
  }

  /**
   * The account changed: removes cached answers about it and its proxy users, and discards those under way.
   */
  forget(login: string): void {
    this.changes.note(login)
    const isProxyUser = isProxyUserLogin(login)
    // An answer under way about a proxy user may concern this account: its parent is not known yet.
    const isTheirs = (name: string, isAsked: boolean) =>
      !isAsked || loginIn(name) === login || (!isProxyUser && isProxyUserLogin(loginIn(name)))
    this.#byLogin.forgetGroup(login, isTheirs)
    this.#byAddress.forgetGroup(login, () => true)
    if (isProxyUser) return
    this.#slots.forgetGroup(login, (name) => loginIn(name) === login)
  }

  /** As `forget`, for a change that does not concern the proxy users of an account. */
  forgetOwn(login: string): void {
    const isTheirs = (name: string) => loginIn(name) === login
    this.changes.note(isProxyUserLogin(login) ? login : ownSubject(login))
    this.#byLogin.forgetGroup(login, isTheirs)
    this.#byAddress.forgetGroup(login, () => true)
  }

  /** The settings of the account's slots changed. */
  forgetSlots(login: string): void {
    this.changes.note(ownSubject(login))
    this.#slots.forgetGroup(login, (name) => loginIn(name) === login)
  }

  /** The account of the address changed; `login`: this account has more addresses to prove. */
  forgetAddress({ pool, address, login }: { pool: string; address: string; login?: string }): void {
    this.changes.note(addressSubject(pool, address))
    this.#byAddress.forget({ pool, address, port: 'entry' })
    this.#byAddress.forget({ pool, address, port: 'slot' })
    if (login === undefined) return
    this.changes.note(isProxyUserLogin(login) ? login : ownSubject(login))
    // Its proxy users prove addresses of their own.
    this.#byLogin.forgetGroup(login, (name) => loginIn(name) === login)
  }

  forgetAll(): void {
    this.changes.noteAll()
    this.#byLogin.forgetAll()
    this.#byAddress.forgetAll()
    this.#slots.forgetAll()
  }
}
