/** The settings of a line: the targeting and session in its user name, in Turnpike's grammar or in another seller's. */

import type { FeedAccount } from '#feed'
import type { Log } from '#lib/log'
import type { Line, Settings } from '#proxies/dialects'
import { GrammarFault, printUsername, type Targeting } from '#proxies/grammar'
import { type ProxyRefusal, refusal } from '../responses/refusal.ts'
import type { Credentials } from './credentials.ts'
import type { Places } from './places.ts'

/** An authenticated client, and the settings that its line names. */
export interface Identity {
  account: FeedAccount
  /** Null: authenticated by its address. */
  credentials: Credentials | null
  named: Targeting
  /** The line in Turnpike's grammar, when it was written in another seller's. */
  understood: string | null
}

/** The same for a wrong user name, a wrong password, and those of another pool. */
export function wrongCredentials(pool: string): ProxyRefusal {
  const sentence = `the user name or the password is wrong for the pool ${pool}, which this port serves; each pool has its own`
  return refusal(407, 'wrong_credentials', sentence)
}

const badUsername = (fault: GrammarFault) => refusal(400, 'bad_username', fault.message)

/** Parses the lines of authenticated clients: only they may learn what is wrong with one. */
export class LineSettings {
  readonly #places: Places
  readonly #log: Log

  constructor(places: Places, log: Log) {
    this.#places = places
    this.#log = log
  }

  /** Refuses with 407 a line without a login, with 400 what it does not understand, with 503 when places are not known. */
  async of({
    account,
    credentials,
    line,
  }: {
    account: FeedAccount
    credentials: Credentials
    line: Line | null
  }): Promise<Identity> {
    if (line === null) throw wrongCredentials(account.pool)
    const { login, read, isForeign } = line
    if (read instanceof GrammarFault) throw badUsername(await this.#places.withNearest(read, account.pool))
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
      return await this.#places.resolve(settings, pool)
    } catch (error) {
      if (error instanceof GrammarFault) throw badUsername(error)
      this.#log.warn({ err: error, pool }, 'place lookup failed')
      const sentence = 'the places that the line names cannot be looked up at present'
      throw refusal(503, 'places_unavailable', sentence)
    }
  }
}
