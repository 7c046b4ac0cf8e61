/** Who asks: user name and password as they come over HTTP and SOCKS5, their comparison, and a brake on guessing. */

import { createHash, timingSafeEqual } from 'node:crypto'
import { networkOf } from '#lib/ip'
import type { FeedAccount } from './feed.ts'
import { remembered } from './memo.ts'

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

const WINDOW_MS = 60_000
const FAILURES_PER_WINDOW = 30
const MOST_ADDRESSES = 20_000
const MOST_GOOD = 20_000

/**
 * Counts failures per client address; who has one of IPv6 has a whole network of them. Who has shown the right password from an address lately is let through there,
 * so that one customer's old script does not lock out the others behind the same address.
 */
export class GuessingBrake {
  readonly #now: () => number
  readonly #failures = new Map<string, { count: number; until: number }>()
  readonly #good = new Set<string>()

  constructor(options: { now?: () => number } = {}) {
    this.#now = options.now ?? (() => performance.now())
  }

  /** Seconds this address has to wait with these credentials; 0: go on. */
  waitSeconds(address: string, credentials: Credentials): number {
    const entry = this.#failures.get(networkOf(address))
    if (entry === undefined || entry.count < FAILURES_PER_WINDOW) return 0
    const leftMs = entry.until - this.#now()
    if (leftMs <= 0 || this.#good.has(goodKey(address, credentials))) return 0
    return Math.ceil(leftMs / 1000)
  }

  failed(address: string, credentials: Credentials): void {
    this.#good.delete(goodKey(address, credentials))
    const now = this.#now()
    const network = networkOf(address)
    const entry = this.#failures.get(network)
    if (entry !== undefined && now < entry.until) {
      entry.count++
      return
    }
    if (this.#failures.size >= MOST_ADDRESSES) this.#dropOld(now)
    this.#failures.set(network, { count: 1, until: now + WINDOW_MS })
  }

  succeeded(address: string, credentials: Credentials): void {
    if (this.#good.size >= MOST_GOOD) this.#good.clear()
    this.#good.add(goodKey(address, credentials))
  }

  #dropOld(now: number): void {
    for (const [address, entry] of this.#failures) if (entry.until <= now) this.#failures.delete(address)
    const [oldest] = this.#failures.keys()
    if (this.#failures.size >= MOST_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest)
  }
}

function goodKey(address: string, credentials: Credentials): string {
  return `${address} ${credentials.digest.toString('hex')}`
}
