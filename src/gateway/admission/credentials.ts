/**
 * Clients and what they present: user names and passwords, as received over HTTP and SOCKS5, and their
 * comparison.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FeedAccount, PortKind } from '#feed'
import { memoized } from '#lib/memo'

/** A client's connection to one of the ports. */
export interface Client {
  pool: string
  address: string
  /** Null: it has disconnected already. */
  port: number | null
  /** The number of the slot port; null on an entry port. */
  slot: number | null
}

export const portKindOf = (slot: number | null): PortKind => (slot === null ? 'entry' : 'slot')

export interface Credentials {
  /** The whole user name: login and targeting. */
  username: string
  /** SHA-256 of the password's bytes. The password itself is not kept. */
  digest: Buffer
  /**
   * For a password with an underscore, which some sellers use to append settings: the digest of what precedes
   * the first underscore, and the settings after it. Passwords made by Turnpike have none.
   */
  tail: { digest: Buffer; settings: string } | null
}

/** The client's credentials: none, malformed, or a user name and password. */
export type Presented = Credentials | 'none' | 'unreadable'

/** Passwords are random, with enough bits to need no slow hash. */
export function digestOf(password: Buffer): Buffer {
  return createHash('sha256').update(password).digest()
}

const UNDERSCORE = 95

export function credentialsOf(username: Buffer, password: Buffer): Credentials {
  const at = password.indexOf(UNDERSCORE)
  const tail =
    at < 0
      ? null
      : { digest: digestOf(password.subarray(0, at)), settings: password.toString('utf8', at + 1) }
  return { username: username.toString('utf8'), digest: digestOf(password), tail }
}

function readBasic(value: string): Credentials | null {
  const match = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(value)
  if (match === null) return null
  const bytes = Buffer.from(match[1] ?? '', 'base64')
  const colon = bytes.indexOf(58)
  if (colon < 0) return null
  return credentialsOf(bytes.subarray(0, colon), bytes.subarray(colon + 1))
}

/**
 * Parses `Basic <base64 of user:password>` (RFC 7617); null when it is anything else. The same text mostly
 * gives the same object, which is the key of the auth cache.
 */
export const parseBasic = memoized(10_000, readBasic)

/** The key has the length of the user name as its first character, then the user name and the password. */
const ofPair = memoized(10_000, (text) => {
  const middle = 1 + text.charCodeAt(0)
  return credentialsOf(
    Buffer.from(text.slice(1, middle), 'latin1'),
    Buffer.from(text.slice(middle), 'latin1'),
  )
})

/**
 * The credentials of SOCKS5 (RFC 1929), of at most 255 bytes each. The same bytes mostly give the same
 * object, as with `parseBasic`.
 */
export function pairOf(username: Buffer, password: Buffer): Credentials {
  return ofPair(
    String.fromCharCode(username.length) + username.toString('latin1') + password.toString('latin1'),
  )
}

const emptyDigest = digestOf(Buffer.alloc(0))

/** An empty user name with an empty password counts as no credentials. */
export function presentedAs(credentials: Credentials | null): Presented {
  if (credentials === null) return 'unreadable'
  return credentials.username === '' && credentials.digest.equals(emptyDigest) ? 'none' : credentials
}

const NO_DIGEST = Buffer.alloc(32)

/**
 * Whether the password is the account's; takes the same time for a wrong password and for an unknown account.
 */
export function passwordMatches(account: FeedAccount | null, digest: Buffer): boolean {
  const expected = account === null ? NO_DIGEST : Buffer.from(account.password_sha256, 'hex')
  const isSame = expected.length === digest.length && timingSafeEqual(expected, digest)
  return isSame && account !== null
}
