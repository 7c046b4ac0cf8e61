/**
 * Tokens of the feed, and the gateways for which each one speaks. FEED_TOKEN of the server is one secret for
 * all gateways; a gateway's own token contains its name: `tpgw.<name>.<256 random bits>`.
 */

import { randomToken, sameBytes, sha256 } from '#lib/secret'

/** The name of a gateway with an own token; the names of its workers begin with it. */
const NAME = /^[A-Za-z0-9_]{1,40}$/
const OWN_TOKEN = /^tpgw\.([A-Za-z0-9_]{1,40})\.[A-Za-z0-9_-]{43}$/

export const isGatewayName = (name: string): boolean => NAME.test(name)

/** A new token of a gateway. */
export const makeOwnToken = (name: string): string => `tpgw.${name}.${randomToken()}`

/** The gateway whose own token this is; null: it is not an own token. */
export const gatewayOfToken = (token: string): string | null => OWN_TOKEN.exec(token)?.[1] ?? null

/**
 * The gateway that a name on the feed belongs to: the name of a worker (`gw1-0`), of the gateway's second
 * slot (`gw1-b`), which takes over from the first in an upgrade, or of a worker in that slot (`gw1-b-0`).
 */
export const gatewayOfName = (name: string): string => name.replace(/-\d+$/, '').replace(/-b$/, '')

/** What the token of a connection permits. */
export interface FeedPeer {
  /** Whether it may speak for this worker or gateway. */
  mayBe(name: string): boolean
  /** False when its token was replaced or revoked after the connection was opened. */
  isValid(): boolean
}

/** The tokens that a server accepts. */
export interface FeedKeys {
  /**
   * The rights of the token; null: it is unknown or was revoked. Takes the same time for every wrong token.
   */
  admit(token: string): FeedPeer | null
  /** Calls the listener when tokens have changed, until the returned function is called. */
  subscribe(listener: () => void): () => void
}

/** Whether two tokens are the same, in a time that reveals nothing about them. */
export const sameToken = (one: string, other: string): boolean => sameBytes(sha256(one), sha256(other))

/** A secret that speaks for every gateway. */
export function sharedKey(token: string): FeedKeys {
  const peer: FeedPeer = { mayBe: () => true, isValid: () => true }
  return {
    admit: (given) => (sameToken(given, token) ? peer : null),
    subscribe: () => () => undefined,
  }
}
