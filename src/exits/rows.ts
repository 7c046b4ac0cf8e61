/** What everybody does who writes exits: seal, place, announce. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { FeedPlace } from '#feed'

/** Sealed for this exit's name and pool: copied to another exit it does not open. */
export const aboutPassword = (exit: { pool: string; name: string }) =>
  `exit-password:${exit.pool}:${exit.name}`

/** One array a column, since a provider's exit may have more places than a statement may have parameters. */
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

/** Tells the gateways when the transaction commits. */
export async function announceExits(tx: Kysely<DB>): Promise<void> {
  await sql`select pg_notify('turnpike_feed', '{"type":"exits_changed"}')`.execute(tx)
}
