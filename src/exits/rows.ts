/** The steps common to all changes to exits: sealing, writing places, announcing. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { FeedPlace } from '#feed'
import { feedChannel, printAnnouncement } from '#feed/announcement'

/** Sealed with this exit's name and pool: a copy in the row of another exit cannot be opened. */
export const aboutPassword = (exit: { pool: string; name: string }) =>
  `exit-password:${exit.pool}:${exit.name}`

/** One array per column, since an exit may have more places than a statement may have parameters. */
export async function addPlaces(tx: Kysely<DB>, exitId: bigint, places: FeedPlace[]): Promise<void> {
  const column = <K extends keyof FeedPlace>(key: K) => places.map((place) => place[key])
  await sql`
    insert into exit_place (exit_id, country, state, city, zip, asn)
    select ${exitId}::bigint, * from unnest(
      ${column('country')}::text[], ${column('state')}::text[], ${column('city')}::text[],
      ${column('zip')}::text[], ${column('asn')}::bigint[]
    )
    on conflict do nothing`.execute(tx)
}

/** Notifies the gateways when the transaction commits. */
export async function announceExits(tx: Kysely<DB>): Promise<void> {
  const payload = printAnnouncement({ type: 'exits_changed' })
  await sql`select pg_notify(${feedChannel}, ${payload})`.execute(tx)
}
