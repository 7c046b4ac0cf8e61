/** What a line says of where to leave and how, in our grammar or in another seller's. */

import type { Line, Settings } from '#proxies/dialects'
import { GrammarFault, printUsername, type Targeting } from '#proxies/grammar'
import type { Credentials } from './credentials.ts'
import { refusal, unavailable, type Engine } from '../engine.ts'
import type { FeedAccount } from '#feed'
import { type ProxyRefusal, SOCKS_REPLY } from '../responses/refusal.ts'

/** Somebody we know, and the settings they named themselves. */
export interface Known {
  account: FeedAccount
  /** Null: known by the address. */
  credentials: Credentials | null
  named: Targeting
  /** The line in our own grammar, when it was written in somebody else's. */
  understood: string | null
}

/** A wrong user name and a wrong password are told alike, and so is one of another pool. */
export function wrongCredentials(pool: string): ProxyRefusal {
  const sentence = `the user name or the password is wrong for the pool ${pool}, which this port serves; each pool has its own`
  return refusal(407, 'wrong_credentials', sentence)
}

function badUsername(fault: GrammarFault): ProxyRefusal {
  return refusal(400, 'bad_username', fault.message, SOCKS_REPLY.failure, 'http_request_error')
}

/**
 * What the line says, now that it is known whose it is: what is wrong with a line is nobody else's business. Refuses
 * what it does not understand.
 */
export async function understand(
  engine: Engine,
  { account, credentials, line }: { account: FeedAccount; credentials: Credentials; line: Line | null },
): Promise<Known> {
  if (line === null) throw wrongCredentials(account.pool)
  const { login, read, isForeign } = line
  if (read instanceof GrammarFault) throw badUsername(await engine.places.withNearest(read, account.pool))
  if (!isForeign) {
    const named = await placesOf(engine, read, account.pool)
    return { account, credentials, named, understood: null }
  }
  if (read.pool !== null && read.pool !== account.pool) {
    const sentence = `The line asks for the pool ${read.pool}, and this port is that of ${account.pool}.`
    throw badUsername(new GrammarFault({ key: 'pool', value: read.pool, sentence }))
  }
  const named = await placesOf(engine, read, account.pool)
  const understood = printUsername({ login, targeting: named })
  // By its name in our grammar the same line is known again, however it was spelled.
  return { account, credentials: { ...credentials, username: understood }, named, understood }
}

async function placesOf(engine: Engine, settings: Settings, pool: string): Promise<Targeting> {
  try {
    return await engine.places.settle(settings, pool)
  } catch (fault) {
    if (fault instanceof GrammarFault) throw badUsername(fault)
    engine.log.warn({ err: fault, pool }, 'place lookup failed')
    throw unavailable('places_unavailable', 'the places that the line names cannot be looked up at present')
  }
}
