/** Settings stored outside the line: long ones, referred to by `set`, and those of `hostname:port` lines. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { sha256 } from '#lib/secret'
import { anywhere, type Targeting } from './grammar.ts'

/** The settings that `set` refers to: everything but the session, the minutes and the anonymity. */
type Places = Pick<Targeting, 'countries' | 'states' | 'cities' | 'zips' | 'asns' | 'excludedAsns'>

/** Sorts the values, so that equal settings in another order use the same stored row. */
function placesOf(targeting: Targeting): Places {
  const byNumber = (a: number, b: number) => a - b
  return {
    countries: targeting.countries.toSorted(),
    states: targeting.states.toSorted(),
    cities: targeting.cities.toSorted(),
    zips: targeting.zips.toSorted(),
    asns: targeting.asns.toSorted(byNumber),
    excludedAsns: targeting.excludedAsns.toSorted(byNumber),
  }
}

/**
 * Stores the places and ASNs of a targeting, once for any number of calls, and returns the targeting of the
 * line that refers to them: `set` in their place, with session, minutes and anonymity.
 */
export async function savePlaces(
  db: Kysely<DB>,
  accountId: bigint,
  targeting: Targeting,
): Promise<Targeting> {
  const text = JSON.stringify(placesOf(targeting))
  // 60 bits: no two settings of one customer collide.
  const id = sha256(text).toString('hex').slice(0, 15)
  await db
    .insertInto('saved_targeting')
    .values({ account_id: accountId, id, targeting: text })
    .onConflict((conflict) => conflict.columns(['account_id', 'id']).doNothing())
    .execute()
  const { session, ttlMinutes, anonymous } = targeting
  return { ...anywhere(), session, ttlMinutes, anonymous, set: id }
}

/**
 * The stored targeting that `set` refers to in this login's lines, or null, also for another customer's.
 * `withStored` of the grammar inserts it.
 */
export async function savedTargeting(
  db: Kysely<DB>,
  { login, id }: { login: string; id: string },
): Promise<Targeting | null> {
  const row = await db
    .selectFrom('saved_targeting')
    .innerJoin('proxy_login', 'proxy_login.account_id', 'saved_targeting.account_id')
    .select('saved_targeting.targeting')
    .where('proxy_login.login', '=', login)
    .where('saved_targeting.id', '=', id)
    .executeTakeFirst()
  return row === undefined ? null : { ...anywhere(), ...(row.targeting as unknown as Places) }
}

/** The settings of an access's slot, or null when no line was made for it. */
export async function savedSlot(
  db: Kysely<DB>,
  { accessId, slot }: { accessId: bigint; slot: number },
): Promise<Targeting | null> {
  const row = await db
    .selectFrom('slot')
    .select('targeting')
    .where('access_id', '=', accessId)
    .where('slot', '=', slot)
    .executeTakeFirst()
  return row === undefined ? null : { ...anywhere(), ...(row.targeting as unknown as Targeting) }
}

/**
 * Sets the first slots of an access, one targeting each; the slots after them are unchanged. With `keepsSame` a
 * slot that differs in the session only keeps it. Returns whether any was set.
 */
export async function saveSlots(
  db: Kysely<DB>,
  accessId: bigint,
  targetings: Targeting[],
  { keepsSame }: { keepsSame: boolean },
): Promise<boolean> {
  const texts = targetings.map((targeting) => JSON.stringify(targeting))
  const isSame = sql`slot.targeting - 'session' = excluded.targeting - 'session'
    and jsonb_typeof(slot.targeting -> 'session') = jsonb_typeof(excluded.targeting -> 'session')`
  const { numAffectedRows } = await sql`
    insert into slot (access_id, slot, targeting)
    select ${accessId}::bigint, nr, text::jsonb from unnest(${texts}::text[]) with ordinality as one (text, nr)
    on conflict (access_id, slot) do update set targeting = excluded.targeting, updated_at = now()
    where not (${keepsSame} and ${isSame})`.execute(db)
  return (numAffectedRows ?? 0n) > 0n
}
