/** Cached accounts: by login, by client address, and with the settings of their slots. */

import type { Feed, FeedAccount, FeedSlot, PortKind } from '#feed'
import { isProxyUserLogin } from '#feed/user.ids'
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

/** Whether the answer is about a proxy user of this login; one that is under way may be. */
function mayBeUserOf(login: string, name: string, account: FeedAccount | null | undefined): boolean {
  if (account === undefined) return isProxyUserLogin(name.slice(name.indexOf(' ') + 1))
  return account?.user?.parent === login
}

export class Accounts {
  /**
   * Counts removals from the caches: a decision based on several answers is made again when the count has
   * changed.
   */
  changes = 0
  readonly #byLogin: FeedCache<LoginKey, FeedAccount>
  readonly #byAddress: FeedCache<AddressKey, FeedAccount>
  readonly #slots: FeedCache<SlotKey, FeedSlot>

  constructor(options: { feed: Pick<Feed, 'account' | 'whitelisted' | 'slot'>; now?: () => number }) {
    const { feed, now } = options
    this.#byLogin = new FeedCache({
      ask: (key) => feed.account(key),
      nameOf: ({ login, pool }) => `${pool} ${login}`,
      now,
    })
    this.#byAddress = new FeedCache({
      ask: (key) => feed.whitelisted(key),
      nameOf: ({ pool, address, port }) => `${port} ${pool} ${address}`,
      now,
    })
    this.#slots = new FeedCache({
      ask: ({ account, slot }) => feed.slot({ access: account.access, slot }),
      nameOf: ({ account, slot }) => `${account.pool} ${slot} ${account.login}`,
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
    this.changes++
    const isTheirs = (name: string) => name.endsWith(` ${login}`)
    this.#byLogin.forgetWhere((name, account) => isTheirs(name) || mayBeUserOf(login, name, account))
    this.#slots.forgetWhere(isTheirs)
    this.#byAddress.forgetWhere((_name, account) => account === undefined || account?.login === login)
  }

  /** The account of the address changed; `login`: this account has more addresses to prove. */
  forgetAddress({ pool, address, login }: { pool: string; address: string; login?: string }): void {
    this.changes++
    this.#byAddress.forget({ pool, address, port: 'entry' })
    this.#byAddress.forget({ pool, address, port: 'slot' })
    if (login !== undefined) this.#byLogin.forgetWhere((name) => name.endsWith(` ${login}`))
  }

  forgetAll(): void {
    this.changes++
    this.#byLogin.forgetAll()
    this.#byAddress.forgetAll()
    this.#slots.forgetAll()
  }
}
