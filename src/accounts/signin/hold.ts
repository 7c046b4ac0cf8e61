/** How long what leaves an account waits, so that its owner can act before a thief does. */
import type { Kysely } from 'kysely'
import { moveHoldHours } from '#contract/moves/rules'
import type { DB } from '#db'
import { strangeSince } from './device.ts'
import { securityChangedAt } from './tell.ts'

const holdMs = moveHoldHours * 60 * 60_000

export interface Hold {
  until: Date
  /** What protects the account was changed, or the device or country of the session is new. */
  why: 'changed' | 'new_device'
}

/** Until when gifts and payouts of a session wait; null: they do not. */
export async function holdOf(
  db: Kysely<DB>,
  { accountId, tokenSha256 }: { accountId: bigint; tokenSha256: Buffer },
  now: Date,
): Promise<Hold | null> {
  const causes = [
    { why: 'changed', since: await securityChangedAt(db, accountId) },
    { why: 'new_device', since: await strangeSince(db, tokenSha256) },
  ] as const
  const [longest = null] = causes
    .flatMap(({ why, since }) => (since === null ? [] : [{ why, until: new Date(since.getTime() + holdMs) }]))
    .filter(({ until }) => until > now)
    .toSorted((a, b) => b.until.getTime() - a.until.getTime())
  return longest
}
