/** Announces changes of proxy users to the gateways. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import type { ProxyUser } from './rows.ts'

/** A payload of PostgreSQL's NOTIFY has less than 8,000 bytes; the rest is for the other fields. */
const mostBytes = 7800

/**
 * Notifies the gateways that proxy users of an access changed: they drop what they cached about them, cut
 * what is no longer allowed, and give back leases. One event, or for hundreds as few as fit.
 */
export async function announceUsers(
  tx: Transaction<DB>,
  accessId: bigint,
  users: readonly Pick<ProxyUser, 'login' | 'nr'>[],
): Promise<void> {
  let part: [string, number][] = []
  let bytes = 0
  const send = async () => {
    if (part.length === 0) return
    const event = printAnnouncement({ type: 'users_changed', access: accessId, users: part })
    await sql`select pg_notify(${feedChannel}, ${event})`.execute(tx)
    part = []
    bytes = 0
  }
  for (const { login, nr } of users) {
    const more = JSON.stringify([login, Number(nr)]).length + 1
    if (bytes + more > mostBytes) await send()
    part.push([login, Number(nr)])
    bytes += more
  }
  await send()
}
