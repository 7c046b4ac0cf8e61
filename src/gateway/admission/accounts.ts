/** The accounts this gateway has met, by login, by address and with the settings of their slots. */

import { Answers } from './feed.cache.ts'
import type { Feed, FeedAccount, FeedSlot } from '#feed'
import type { Known } from '../metering/offline.state.ts'

interface LoginKey {
  login: string
  pool: string
}

interface AddressKey {
  pool: string
  address: string
}

interface SlotKey {
  account: FeedAccount
  slot: number
}

export class Accounts {
  /** Grows whenever something was forgotten: who has asked several things one after the other asks anew then. */
  changes = 0
  readonly #byLogin: Answers<LoginKey, FeedAccount>
  readonly #byAddress: Answers<AddressKey, FeedAccount>
  readonly #slots: Answers<SlotKey, FeedSlot>

  constructor(options: {
    feed: Pick<Feed, 'account' | 'whitelisted' | 'slot'>
    now?: () => number
    /** While the server is away those that are known are served. */
    keepsGoing?: boolean
  }) {
    const { feed, now, keepsGoing = false } = options
    this.#byLogin = new Answers({
      ask: (key) => feed.account(key),
      nameOf: ({ login, pool }) => `${pool} ${login}`,
      now,
      keepsGoing,
    })
    this.#byAddress = new Answers({
      ask: (key) => feed.whitelisted(key),
      nameOf: ({ pool, address }) => `${pool} ${address}`,
      now,
      keepsGoing,
    })
    this.#slots = new Answers({
      ask: ({ account, slot }) => feed.slot({ account: account.id, slot }),
      nameOf: ({ account, slot }) => `${account.pool} ${slot} ${account.login}`,
      now,
      keepsGoing,
    })
  }

  /**
   * The account with this login in this pool, or null. Rejects when the feed does not answer; what is known from before
   * stands in for that where this gateway keeps going, unless it has to be `sure`, or is asked for `anew`.
   */
  find(key: LoginKey, how?: 'sure' | 'anew'): Promise<FeedAccount | null> {
    return this.#byLogin.find(key, how)
  }

  /** The account that the client's address stands for in this pool, or null. Rejects like `find`. */
  findByAddress({ pool, address }: AddressKey, how?: 'sure'): Promise<FeedAccount | null> {
    return this.#byAddress.find({ pool, address }, how)
  }

  /** What the account's slot stands for, or null. Rejects like `find`. */
  findSlot(key: SlotKey): Promise<FeedSlot | null> {
    return this.#slots.find(key)
  }

  /** What is known, for a restart. */
  kept(): Pick<Known, 'accounts' | 'addresses' | 'slots'> {
    return {
      accounts: this.#byLogin.kept(),
      addresses: this.#byAddress.kept(),
      slots: this.#slots.kept(),
    }
  }

  restore({ accounts, addresses, slots }: Pick<Known, 'accounts' | 'addresses' | 'slots'>): void {
    this.#byLogin.restore(accounts)
    this.#byAddress.restore(addresses)
    this.#slots.restore(slots)
  }

  /** The account changed: what is cached of it, and what is being answered at this moment, is no longer true. */
  forget(login: string): void {
    this.changes++
    const isTheirs = (name: string) => name.endsWith(` ${login}`)
    this.#byLogin.forgetWhere(isTheirs)
    this.#slots.forgetWhere(isTheirs)
    this.#byAddress.forgetWhere((_name, account) => account === undefined || account?.login === login)
  }

  forgetAddress(key: AddressKey): void {
    this.changes++
    this.#byAddress.forget(key)
  }

  forgetAll(): void {
    this.changes++
    this.#byLogin.forgetAll()
    this.#byAddress.forgetAll()
    this.#slots.forgetAll()
  }
}
