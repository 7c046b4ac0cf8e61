import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { FeedEvent } from '#feed'
import { feedChannel, printAnnouncement } from '#feed/announcement'

/** Sends an event to every gateway; in a transaction, it is sent when that commits. */
export async function notifyGateways(db: Kysely<DB>, event: FeedEvent): Promise<void> {
  await sql`select pg_notify(${feedChannel}, ${printAnnouncement(event)})`.execute(db)
}
