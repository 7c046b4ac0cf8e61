/**
 * Authenticates a client: by user name and password, by its whitelisted address, or on a slot port by its address alone.
 */

import { performance } from 'node:perf_hooks'
import type { FeedAccount } from '#feed'
import type { Log } from '#lib/log'
import { withTimeout } from '#lib/timeout'
import { readPasswordSettings, readUsername } from '#proxies/dialects'
import { anywhere } from '#proxies/grammar'
import type { Trace } from '../records/trace.ts'
import { refusal } from '../responses/refusal.ts'
import type { Accounts } from './accounts.ts'
import { type Client, type Credentials, passwordMatches, type Presented } from './credentials.ts'
import { type Identity, type LineSettings, wrongCredentials } from './line.settings.ts'
import type { LoginThrottle } from './login.throttle.ts'
import type { RefusalDelay } from './refusal.delay.ts'

/**
 * Most clients without credentials wait for the 407 before they send them: they must not wait long for an address that
 * cannot be looked up.
 */
const ADDRESS_PATIENCE_MS = 1000

/** Which of the two readings of a password is the account's: the whole of it, or the part before its settings. */
function matchOf(account: FeedAccount | null, { digest, tail }: Credentials): 'whole' | 'tail' | null {
  if (passwordMatches(account, digest)) return 'whole'
  return tail !== null && passwordMatches(account, tail.digest) ? 'tail' : null
}

export interface IdentificationOptions {
  accounts: Accounts
  throttle: LoginThrottle
  refusalDelay: RefusalDelay
  lines: LineSettings
  log: Log
}

export class Identification {
  readonly #options: IdentificationOptions

  constructor(options: IdentificationOptions) {
    this.#options = options
  }

  /** Refuses with 403, 407, 429 or 503, and with what `LineSettings` refuses. */
  async identify(client: Client, presented: Presented, trace: Trace): Promise<Identity> {
    if (client.slot !== null) return await this.#atSlot(client)
    if (typeof presented === 'object') return await this.#byPassword(client, presented, trace)
    // Whoever presents something unreadable is not admitted by the address: that would hide the fault.
    const account = presented === 'none' ? await this.#byAddress(client) : null
    if (account === null) {
      const { address, pool } = client
      const sentence =
        presented === 'none'
          ? `this proxy needs a user name and a password, or your address ${address} on the whitelist of the pool ${pool}`
          : 'the Proxy-Authorization is not understood: this proxy takes Basic with a user name and a password'
      throw refusal(407, presented === 'none' ? 'credentials_missing' : 'credentials_unreadable', sentence)
    }
    return { account, credentials: null, named: anywhere(), understood: null }
  }

  async #byPassword(client: Client, credentials: Credentials, trace: Trace): Promise<Identity> {
    const { accounts, throttle, refusalDelay, lines } = this.#options
    const { pool, address } = client
    const startedAt = performance.now()
    this.#refuseThrottled(address, credentials)
    const find = async (login: string, how?: 'anew') => {
      const found = await this.#lookUp(pool, accounts.find({ login, pool }, how))
      // Again, because other logins may have failed during the lookup.
      this.#refuseThrottled(address, credentials)
      return found
    }
    const { username, tail } = credentials
    const line = readUsername(username)
    let account = line === null ? null : await find(line.login)
    let match = matchOf(account, credentials)
    if (line !== null && account !== null && match === null) {
      // The password may be newer than the cached account; without the server no password can be called wrong.
      account = await find(line.login, 'anew')
      match = matchOf(account, credentials)
    }
    if (account === null || match === null) {
      throttle.failed(address, credentials)
      await refusalDelay.wait(startedAt)
      throw wrongCredentials(pool)
    }
    throttle.succeeded(address, credentials)
    trace.account = account.id
    trace.took('authenticated')
    if (match === 'whole' || tail === null) return await lines.of({ account, credentials, line })
    return await lines.of({
      account,
      credentials: { username, digest: tail.digest, tail: null },
      line: readPasswordSettings(username, tail.settings),
    })
  }

  /** The account of the client's address, if the lookup is quick. */
  async #byAddress(client: Client): Promise<FeedAccount | null> {
    const found = this.#options.accounts.findByAddress(client).catch((error: unknown) => {
      this.#options.log.warn({ err: error, pool: client.pool }, 'address lookup failed')
      return null
    })
    return await withTimeout(found, ADDRESS_PATIENCE_MS, () => null)
  }

  /** On a slot port only the address counts; credentials are ignored. */
  async #atSlot({ pool, address }: Client): Promise<Identity> {
    const account = await this.#lookUp(pool, this.#options.accounts.findByAddress({ pool, address }))
    if (account === null) {
      const sentence = `the address ${address} is not on the whitelist of the pool ${pool}: add it in the account`
      throw refusal(403, 'address_not_whitelisted', sentence, { closes: true })
    }
    return { account, credentials: null, named: anywhere(), understood: null }
  }

  #refuseThrottled(address: string, credentials: Credentials): void {
    const retryAfterSeconds = this.#options.throttle.waitSeconds(address, credentials)
    if (retryAfterSeconds === 0) return
    const sentence = `too many wrong passwords came from ${address}: wait ${retryAfterSeconds} s, or use one that has worked from there`
    throw refusal(429, 'too_many_failures', sentence, { retryAfterSeconds })
  }

  async #lookUp<T>(pool: string, lookup: Promise<T>): Promise<T> {
    try {
      return await lookup
    } catch (error) {
      this.#options.log.warn({ err: error, pool }, 'account lookup failed')
      throw refusal(503, 'accounts_unavailable', 'the account cannot be looked up at present')
    }
  }
}
