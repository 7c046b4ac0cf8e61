/** What a kept connection to a target may be used for again: the same target by the same line. */

import type { Targeting } from '#proxies/grammar'
import type { Credentials } from '../admission/credentials.ts'
import type { Framing } from '../http/framing.ts'
import type { RequestHead } from '../http/head.ts'
import { printTarget, type Target } from '../targets/target.ts'
import type { Session } from '../sessions.ts'
import type { Upstream } from './target.connection.ts'

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a request may be sent once more over a new connection, when a kept one turns out to be closed. */
export function isRepeatable({ head, framing }: { head: RequestHead; framing: Framing }): boolean {
  return framing.kind === 'none' && REPEATABLE.has(head.method)
}

export interface Use {
  target: Target
  account: { id: bigint }
  credentials: Credentials | null
  targeting: Targeting
}

export function purposeOf({ parts }: Session, target: Target): Use {
  const { account, credentials, targeting } = parts
  return { target, account, credentials, targeting }
}

/** A client's kept connection, when it can be used so; else it is closed. */
export function keptFor(client: { upstream: Upstream | null }, use: Use): Upstream | null {
  const { upstream } = client
  if (upstream === null || upstream.serves(use)) return upstream
  upstream.drop()
  client.upstream = null
  return null
}

export function isSameUse(one: Use, other: Use): boolean {
  if (one.account.id !== other.account.id) return false
  if (one.target !== other.target && printTarget(one.target) !== printTarget(other.target)) return false
  // Without credentials the settings are those of the port, and may have been made anew since.
  if (one.credentials === null || other.credentials === null)
    return one.credentials === other.credentials && isSame(one.targeting, other.targeting)
  return isSameLine(one.credentials, other.credentials)
}

function isSame(one: Targeting, other: Targeting): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}

function isSameLine(one: Credentials, other: Credentials): boolean {
  return one === other || (one.username === other.username && one.digest.equals(other.digest))
}
