/** Who asks: user name and password as they come over HTTP and SOCKS5, and their comparison. */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FeedAccount } from '#feed'
import { remembered } from '#lib/memo'

export interface Credentials {
  /** The whole user name: login and targeting. */
  username: string
  /** SHA-256 of the password's bytes. The password itself is not kept. */
  digest: Buffer
  /**
   * A password with an underscore in it, as customers of some sellers write it: the digest of what stands before the
   * first one, and the settings behind it. None of the passwords we make has one.
   */
  tail: { digest: Buffer; settings: string } | null
}

/** What a client showed: nothing at all, something that is no user name and password, or these. */
export type Presented = Credentials | 'none' | 'unreadable'

/** Digest of a password as it came over the wire. The password is random bits enough to need no slow hash. */
export function digestOf(password: Buffer): Buffer {
  return createHash('sha256').update(password).digest()
}

const UNDERSCORE = 95

/** User name and password as they came over the wire. */
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
 * Reads `Basic <base64 of user:password>` (RFC 7617); null when it is anything else. The same text gives the same
 * object: what was found out about it is known again.
 */
export const parseBasic = remembered(10_000, readBasic)

const emptyDigest = digestOf(Buffer.alloc(0))

/** Credentials as they are judged: an empty user name with an empty password says no more than none at all. */
export function presentedAs(credentials: Credentials | null): Presented {
  if (credentials === null) return 'unreadable'
  return credentials.username === '' && credentials.digest.equals(emptyDigest) ? 'none' : credentials
}

const NOBODY = Buffer.alloc(32)

/** Whether the password is the account's, in the same time for a wrong one and for an unknown account. */
export function passwordMatches(account: FeedAccount | null, digest: Buffer): boolean {
  const expected = account === null ? NOBODY : Buffer.from(account.password_sha256, 'hex')
  const same = expected.length === digest.length && timingSafeEqual(expected, digest)
  return same && account !== null
}
