/** What a kept connection to a target may be used for again: the same target, by the same line. */

import type { Targeting } from '#proxies/grammar'
import type { Credentials } from '../admission/credentials.ts'
import type { Framing } from '../http/framing.ts'
import type { RequestHead } from '../http/head.ts'
import { printTarget, type Target } from '../targets/target.ts'

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a request may be sent again over a new connection, when a kept one turns out to be closed. */
export function isRepeatable({ head, framing }: { head: RequestHead; framing: Framing }): boolean {
  return framing.kind === 'none' && REPEATABLE.has(head.method)
}

/** The target, and the line by which it is connected to. */
export interface Purpose {
  target: Target
  line: { account: { id: bigint }; credentials: Credentials | null; targeting: Targeting }
}

export function isSamePurpose(one: Purpose, other: Purpose): boolean {
  if (one.line.account.id !== other.line.account.id) return false
  if (one.target !== other.target && printTarget(one.target) !== printTarget(other.target)) return false
  const mine = one.line.credentials
  const theirs = other.line.credentials
  // Without credentials the settings are those of the port, and may have changed since.
  if (mine === null || theirs === null)
    return mine === theirs && isSameTargeting(one.line.targeting, other.line.targeting)
  return mine === theirs || (mine.username === theirs.username && mine.digest.equals(theirs.digest))
}

function isSameTargeting(one: Targeting, other: Targeting): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
