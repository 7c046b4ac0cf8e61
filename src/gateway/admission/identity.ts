/**
 * Authenticates a client, by user name and password, by its whitelisted address, or on a slot port by its
 * address alone, and parses its line: the targeting and session in the user name, in Turnpike's grammar or in
 * another seller's.
 */

import { performance } from 'node:perf_hooks'
import type { FeedAccount } from '#feed'
import type { Log } from '#lib/log'
import { withTimeout } from '#lib/timeout'
import { type Line, readPasswordSettings, readUsername, type Settings } from '#proxies/dialects'
import { anywhere, GrammarFault, printUsername, type Targeting } from '#proxies/grammar'
import type { Trace } from '../records/trace.ts'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'
import type { Accounts } from './accounts.ts'
import { type Client, type Credentials, passwordMatches, type Presented } from './credentials.ts'
import type { LoginThrottle } from './login.throttle.ts'
import type { Places } from './places.ts'
import type { RefusalDelay } from './refusal.delay.ts'

/**
 * Most clients without credentials send them only after the 407, so an address lookup must not delay it for
 * long.
 */
const ADDRESS_PATIENCE_MS = 1000

/** An authenticated client, and the settings of its line. */
export interface Identity {
  account: FeedAccount
  /** Null: authenticated by its address. */
  credentials: Credentials | null
  named: Targeting
  /** The line in Turnpike's grammar, when the client used another seller's. */
  understood: string | null
}

/** The same for a wrong user name, a wrong password, and those of another pool. */
function wrongCredentials(pool: string): ProxyRefusal {
  const sentence = `the user name or the password is wrong for the pool ${pool}, which this port serves; each pool has its own`
  return refusal('wrong_credentials', sentence)
}

const badUsername = (fault: GrammarFault) => refusal('bad_username', fault.message)

/** The reading of a password that matches the account: the whole of it, or the part before its settings. */
function matchOf(account: FeedAccount | null, { digest, tail }: Credentials): 'whole' | 'tail' | null {
  if (passwordMatches(account, digest)) return 'whole'
  return tail !== null && passwordMatches(account, tail.digest) ? 'tail' : null
}

export interface IdentificationOptions {
  accounts: Accounts
  throttle: LoginThrottle
  refusalDelay: RefusalDelay
  places: Places
  log: Log
}

export class Identification {
  readonly #options: IdentificationOptions

  constructor(options: IdentificationOptions) {
    this.#options = options
  }

  /** Refuses with 403, 407, 429 or 503, and with 400 for an invalid line. */
  async identify(client: Client, presented: Presented, trace: Trace): Promise<Identity> {
    if (client.slot !== null) return await this.#atSlot(client)
    if (typeof presented === 'object') return await this.#byPassword(client, presented, trace)
    // Unreadable credentials are refused even from a proven address: admission would hide the fault.
    const account = presented === 'none' ? await this.#byAddress(client) : null
    if (account === null) {
      const { address, pool } = client
      const sentence =
        presented === 'none'
          ? `this proxy needs a user name and a password, or your address ${address} proven on the whitelist of the pool ${pool}`
          : 'the Proxy-Authorization is not understood: this proxy takes Basic with a user name and a password'
      throw refusal(presented === 'none' ? 'credentials_missing' : 'credentials_unreadable', sentence)
    }
    return { account, credentials: null, named: anywhere(), understood: null }
  }

  async #byPassword(client: Client, credentials: Credentials, trace: Trace): Promise<Identity> {
    const { accounts, throttle, refusalDelay } = this.#options
    const { pool, address } = client
    const startedAt = performance.now()
    this.#refuseThrottled(address, credentials)
    const find = async (login: string, how?: 'anew') => {
      const found = await this.#lookUp(pool, accounts.find({ login, pool }, how))
      // Checked again, because other logins may have failed during the lookup.
      this.#refuseThrottled(address, credentials)
      return found
    }
    const { username, tail } = credentials
    const line = readUsername(username)
    let account = line === null ? null : await find(line.login)
    let match = matchOf(account, credentials)
    if (line !== null && account !== null && match === null) {
      // The password may be newer than the cached account; without the server no password can be judged
      // wrong.
      account = await find(line.login, 'anew')
      match = matchOf(account, credentials)
    }
    if (account === null || match === null) {
      throttle.failed(address, credentials)
      await refusalDelay.wait(startedAt)
      throw wrongCredentials(pool)
    }
    throttle.succeeded(address, credentials)
    trace.belongsTo(account)
    if (match === 'whole' || tail === null) return await this.#readLine(account, credentials, line)
    const withoutTail = { username, digest: tail.digest, tail: null }
    return await this.#readLine(account, withoutTail, readPasswordSettings(username, tail.settings))
  }

  /**
   * The account that has proven the client's address, if the lookup is fast. A blocked account does not
   * count: a later holder of the address may be waiting for its 407.
   */
  async #byAddress({ pool, address }: Client): Promise<FeedAccount | null> {
    const { accounts, log } = this.#options
    const found = accounts.findByAddress({ pool, address, port: 'entry' }).catch((error: unknown) => {
      log.warn({ err: error, pool }, 'address lookup failed')
      return null
    })
    const account = await withTimeout(found, ADDRESS_PATIENCE_MS, () => null)
    return account?.blocked === true ? null : account
  }

  /** On a slot port only the address counts; credentials are ignored. */
  async #atSlot({ pool, address }: Client): Promise<Identity> {
    const found = this.#options.accounts.findByAddress({ pool, address, port: 'slot' })
    const account = await this.#lookUp(pool, found)
    if (account === null) {
      const sentence = `the address ${address} is on no whitelist of the pool ${pool}, or on several and proven on none: see the account`
      throw refusal('address_not_whitelisted', sentence, { closes: true })
    }
    return { account, credentials: null, named: anywhere(), understood: null }
  }

  /** The fault of a line is disclosed only to authenticated clients. */
  async #readLine(account: FeedAccount, credentials: Credentials, line: Line | null): Promise<Identity> {
    if (line === null) throw wrongCredentials(account.pool)
    const { login, read, isForeign } = line
    if (read instanceof GrammarFault)
      throw badUsername(await this.#options.places.withNearest(read, account.pool))
    if (!isForeign) {
      const named = await this.#targetingOf(read, account.pool)
      return { account, credentials, named, understood: null }
    }
    if (read.pool !== null && read.pool !== account.pool) {
      const sentence = `The line asks for the pool ${read.pool}, and this port is that of ${account.pool}.`
      throw badUsername(new GrammarFault({ key: 'pool', value: read.pool, sentence }))
    }
    const named = await this.#targetingOf(read, account.pool)
    const understood = printUsername({ login, targeting: named })
    // Different spellings of the same line have the same user name from here on.
    return { account, credentials: { ...credentials, username: understood }, named, understood }
  }

  async #targetingOf(settings: Settings, pool: string): Promise<Targeting> {
    try {
      return await this.#options.places.resolve(settings, pool)
    } catch (error) {
      if (error instanceof GrammarFault) throw badUsername(error)
      this.#options.log.warn({ err: error, pool }, 'place lookup failed')
      const sentence = 'the places that the line names cannot be looked up at present'
      throw refusal('places_unavailable', sentence)
    }
  }

  #refuseThrottled(address: string, credentials: Credentials): void {
    const retryAfterSeconds = this.#options.throttle.waitSeconds(address, credentials)
    if (retryAfterSeconds === 0) return
    const sentence = `too many wrong passwords came from ${address}: wait ${retryAfterSeconds} s, or use one that has worked from there`
    throw refusal('too_many_failures', sentence, { retryAfterSeconds })
  }

  async #lookUp<T>(pool: string, lookup: Promise<T>): Promise<T> {
    try {
      return await lookup
    } catch (error) {
      this.#options.log.warn({ err: error, pool }, 'account lookup failed')
      throw refusal('accounts_unavailable', 'the account cannot be looked up at present')
    }
  }
}
