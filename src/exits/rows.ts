/** The steps that every change to exits shares: writing places, announcing. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import type { FeedPlace } from '#feed'
import { feedChannel, printAnnouncement } from '#feed/announcement'
import { countryCodes } from '#contract/countries'
import { ExitFault } from './description.ts'

/**
 * One array per column, since an exit may have more places than a statement may have parameters. Throws an
 * ExitFault for an unknown country, with which no line could reach the exit.
 */
export async function addPlaces(tx: Kysely<DB>, exitId: bigint, places: FeedPlace[]): Promise<void> {
  const unknown = places.find(({ country }) => !countryCodes.includes(country))
  if (unknown !== undefined) throw new ExitFault('exit_country', { country: unknown.country })
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
