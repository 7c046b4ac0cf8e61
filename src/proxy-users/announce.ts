/** Announces changes of proxy users to the gateways. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { textArray } from '#lib/pg-array'
import type { ProxyUser } from './rows.ts'

/** A payload of PostgreSQL's NOTIFY has less than 8,000 bytes; the rest is for the other fields. */
const mostBytes = 7800

/**
 * The announcements that proxy users of an access changed: gateways drop what they cached about them, cut what
 * is no longer allowed, and give back leases. One event, or for hundreds as few as fit.
 */
export function changedUsers(accessId: bigint, users: readonly Pick<ProxyUser, 'login' | 'nr'>[]): string[] {
  const events: string[] = []
  let part: [string, number][] = []
  let bytes = 0
  const end = () => {
    if (part.length > 0)
      events.push(printAnnouncement({ type: 'users_changed', access: accessId, users: part }))
    part = []
    bytes = 0
  }
  for (const { login, nr } of users) {
    const more = JSON.stringify([login, Number(nr)]).length + 1
    if (bytes + more > mostBytes) end()
    part.push([login, Number(nr)])
    bytes += more
  }
  end()
  return events
}

/** Sends announcements to the gateways. */
export const announcing = (events: readonly string[]) =>
  sql`select pg_notify(${feedChannel}, event) from unnest(${textArray(events)}::text[]) event`

/** Notifies the gateways that proxy users of an access changed. */
export async function announceUsers(
  tx: Transaction<DB>,
  accessId: bigint,
  users: readonly Pick<ProxyUser, 'login' | 'nr'>[],
): Promise<void> {
  if (users.length > 0) await announcing(changedUsers(accessId, users)).execute(tx)
}
