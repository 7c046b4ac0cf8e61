/** The hold on gifts and payouts, which lets an owner react before a thief empties the account. */
import type { Kysely } from 'kysely'
import { moveHoldHours } from '#contract/moves/rules'
import type { DB } from '#db'
import { callerOf, type Context, personBehind } from '#db/call'
import { strangeSince } from './device.ts'
import { securityChangedAt } from './tell.ts'

const holdMs = moveHoldHours * 60 * 60_000

export interface Hold {
  until: Date
  /**
   * Why there is a hold: the account's security settings changed, or the session's device, network or country
   * is new.
   */
  why: 'changed' | 'new_device'
}

/** The acting session and its browser. */
export interface Actor {
  accountId: bigint
  /** The account of the person: of the member, where one acts on the account of a team. */
  personId: bigint
  tokenSha256: Buffer
  /** The secrets of devices that the browser holds. */
  devices: readonly string[]
}

/** The customer of a call, with their browser. */
export function actorOf(context: Context): Actor {
  const caller = callerOf(context)
  const { id: accountId, tokenSha256 } = caller
  return { accountId, personId: personBehind(caller), tokenSha256, devices: context.browser?.devices ?? [] }
}

/** Until when gifts and payouts of a session wait; null: they do not. */
export async function holdOf(
  db: Kysely<DB>,
  { accountId, personId, tokenSha256, devices }: Actor,
  now: Date,
): Promise<Hold | null> {
  const causes = [
    { why: 'changed', since: await securityChangedAt(db, accountId) },
    { why: 'changed', since: personId === accountId ? null : await securityChangedAt(db, personId) },
    { why: 'new_device', since: await strangeSince(db, { tokenSha256, devices }, now) },
  ] as const
  const [longest = null] = causes
    .flatMap(({ why, since }) => (since === null ? [] : [{ why, until: new Date(since.getTime() + holdMs) }]))
    .filter(({ until }) => until > now)
    .toSorted((a, b) => b.until.getTime() - a.until.getTime())
  return longest
}
