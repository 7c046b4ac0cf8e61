/**
 * What was found out about credentials a moment ago: worth as much as a new look while nothing has changed. It makes the
 * second and every later connection of a customer one that nobody has to be asked about.
 */

import { performance } from 'node:perf_hooks'
import { multiplierOf } from '#contract/traffic'
import { printUsername, type Targeting } from '#proxies/grammar'
import type { Credentials, Presented } from './credentials.ts'
import type { Engine, Visitor } from './engine.ts'
import type { Known } from './understand.ts'

/** All that is to be known of who asks, before a session is opened. */
export interface Admitted extends Known {
  targeting: Targeting
  multiplier: 1 | 2
  /** The settings as a line of ours says them, without the login. */
  settings: string
}

export function admittedAs(known: Known, targeting: Targeting): Admitted {
  const settings = printUsername({ login: '', targeting }).slice(1)
  return { ...known, targeting, multiplier: multiplierOf(targeting), settings }
}

interface Found {
  engine: Engine
  pool: string
  changes: number
  until: number
  admitted: Admitted
  /** From where they were shown. */
  addresses: Set<string>
}

const LATELY_MS = 5000
const MOST_ADDRESSES = 1000

const found = new WeakMap<Credentials, Found>()

/** `changes` is what `engine.accounts.changes` was when the looking began. */
export function rememberLately(
  engine: Engine,
  { pool, address, slot }: Visitor,
  presented: Presented,
  { changes, admitted }: { changes: number; admitted: Admitted },
): void {
  // On a slot port it is the address that counts.
  if (typeof presented !== 'object' || slot !== null) return
  const until = performance.now() + LATELY_MS
  found.set(presented, { engine, pool, changes, until, admitted, addresses: new Set([address]) })
}

/** What is known of these credentials at this port, if that was found out a moment ago. */
export function knownLately(engine: Engine, visitor: Visitor, presented: Presented): Admitted | null {
  if (typeof presented !== 'object' || visitor.slot !== null) return null
  const one = found.get(presented)
  if (one === undefined || one.engine !== engine || one.pool !== visitor.pool) return null
  if (one.changes !== engine.accounts.changes || performance.now() >= one.until) return null
  return isWelcome(one, visitor.address, presented) ? one.admitted : null
}

/** They are right from wherever they come; only an address from which many wrong ones came has to wait. */
function isWelcome({ engine, addresses }: Found, address: string, credentials: Credentials): boolean {
  if (addresses.has(address)) return true
  if (engine.brake.waitSeconds(address, credentials) > 0) return false
  engine.brake.succeeded(address, credentials)
  if (addresses.size >= MOST_ADDRESSES) addresses.clear()
  addresses.add(address)
  return true
}
