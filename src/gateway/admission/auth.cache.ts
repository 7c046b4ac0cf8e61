/**
 * Caches the results of authentication for a few seconds, while nothing has changed. Every connection of a
 * customer but the first one is then admitted without a lookup.
 */

import { performance } from 'node:perf_hooks'
import { multiplierOf } from '#contract/traffic'
import { printUsername } from '#proxies/grammar'
import type { ExitTargeting } from '../exits/choice.ts'
import { type Accounts, subjectsOf } from './accounts.ts'
import type { AddressProofs } from './address.proofs.ts'
import type { Client, Credentials, Presented } from './credentials.ts'
import type { Identity } from './identity.ts'
import type { LoginThrottle } from './login.throttle.ts'

/** The results of authentication, before a session is opened. */
export interface Admitted extends Identity {
  targeting: ExitTargeting
  multiplier: 1 | 2
  /** The settings as a line in Turnpike's grammar, without the login. */
  settings: string
}

export function admittedAs(identity: Identity, targeting: ExitTargeting): Admitted {
  const settings = printUsername({ login: '', targeting }).slice(1)
  return { ...identity, targeting, multiplier: multiplierOf(targeting), settings }
}

interface Entry {
  pool: string
  /** The value of `Accounts.changes.now` at which the lookup began. */
  since: number
  until: number
  admitted: Admitted
  /** The addresses that presented the credentials. */
  addresses: Set<string>
}

const CACHED_MS = 5000
const MOST_ADDRESSES = 1000

export class AuthCache {
  readonly #accounts: Pick<Accounts, 'changes'>
  readonly #throttle: Pick<LoginThrottle, 'waitSeconds' | 'succeeded'>
  readonly #proofs: Pick<AddressProofs, 'connected'>
  /**
   * Keyed by the credentials object: `parseBasic` and `pairOf` return the same object for a text that they
   * remember.
   */
  readonly #entries = new WeakMap<Credentials, Entry>()

  constructor(
    accounts: Pick<Accounts, 'changes'>,
    throttle: Pick<LoginThrottle, 'waitSeconds' | 'succeeded'>,
    proofs: Pick<AddressProofs, 'connected'>,
  ) {
    this.#accounts = accounts
    this.#throttle = throttle
    this.#proofs = proofs
  }

  /** `since` is the value of `Accounts.changes.now` at which the lookup began. */
  set(
    { pool, address, slot }: Client,
    presented: Presented,
    { since, admitted }: { since: number; admitted: Admitted },
  ): void {
    // On a slot port only the address counts.
    if (typeof presented !== 'object' || slot !== null) return
    this.#proofs.connected(admitted.account, address)
    const until = performance.now() + CACHED_MS
    this.#entries.set(presented, { pool, since, until, admitted, addresses: new Set([address]) })
  }

  /** The cached result for these credentials at this port; null when a lookup is needed. */
  get(client: Client, presented: Presented): Admitted | null {
    if (typeof presented !== 'object' || client.slot !== null) return null
    const entry = this.#entries.get(presented)
    if (entry === undefined || entry.pool !== client.pool) return null
    if (performance.now() >= entry.until) return null
    const { since, admitted } = entry
    if (!this.#accounts.changes.isUnchanged(since, subjectsOf(admitted.account, client.address))) return null
    return this.#isAccepted(entry, client.address, presented) ? admitted : null
  }

  /** Right credentials are accepted from any address that is not throttled. */
  #isAccepted({ admitted, addresses }: Entry, address: string, credentials: Credentials): boolean {
    if (addresses.has(address)) return true
    if (this.#throttle.waitSeconds(address, credentials) > 0) return false
    this.#throttle.succeeded(address, credentials)
    if (addresses.size >= MOST_ADDRESSES) addresses.clear()
    addresses.add(address)
    this.#proofs.connected(admitted.account, address)
    return true
  }
}
