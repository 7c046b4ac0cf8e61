/** The operator's ways out of the gateways: direct ones, and other proxies behind them. */
import { type Kysely, sql } from 'kysely'
import { type Pool, pools } from '#contract/wire'
import { type DB, transaction } from '#db'
import type { FeedExit, FeedPlace } from '#gateway/feed'
import type { Secrets } from '#lib/secret'

interface Described {
  pool: Pool
  /** Unique in the pool. */
  name: string
  /** Its share of the pool's traffic is this over the sum of all weights that fit; 1 unless told otherwise. */
  weight?: number
  /** Where it leaves; null: it serves every targeting. */
  places: FeedPlace[] | null
}

export interface DirectExit extends Described {
  kind: 'direct'
  /** The local address to leave from; null: the system's choice. */
  bindAddress: string | null
}

export interface ChainedExit extends Described {
  kind: 'http' | 'socks5'
  host: string
  port: number
  credentials: { username: string; password: string } | null
}

/** Sealed for this exit's name and pool: copied to another exit it does not open. */
const aboutPassword = (exit: { pool: string; name: string }) => `exit-password:${exit.pool}:${exit.name}`

/** All enabled exits of all pools, with their passwords in the clear: for gateways only. */
export async function listExits(db: Kysely<DB>, secrets: Secrets): Promise<FeedExit[]> {
  const [exits, places] = await Promise.all([
    db.selectFrom('exit').selectAll().where('enabled', '=', true).orderBy('id').execute(),
    db
      .selectFrom('exit_place')
      .innerJoin('exit', 'exit.id', 'exit_place.exit_id')
      .select(['exit_id', 'country', 'state', 'city', 'zip', 'asn'])
      .where('exit.enabled', '=', true)
      .execute(),
  ])
  const placesOf = Map.groupBy(places, (place) => place.exit_id)
  return exits.map((row) => ({
    id: row.id,
    pool: row.pool,
    name: row.name,
    kind: row.kind as FeedExit['kind'],
    // An inet with a full mask prints as a plain address.
    bind_address: row.bind_address,
    host: row.host,
    port: row.port,
    username: row.username,
    password: row.password_sealed === null ? null : secrets.open(row.password_sealed, aboutPassword(row)),
    weight: row.weight,
    places: row.everywhere
      ? null
      : (placesOf.get(row.id) ?? []).map(({ country, state, city, zip, asn }) => ({
          country,
          state,
          city,
          zip,
          asn: asn === null ? null : Number(asn),
        })),
  }))
}

/** The exits of that name or number, in the order of their numbers; a name may be there in every pool. */
export function findExits(
  db: Kysely<DB>,
  nameOrId: string,
): Promise<{ id: bigint; pool: Pool; name: string }[]> {
  // No number of an exit is longer, and a longer one could be no bigint.
  const id = /^\d{1,18}$/.test(nameOrId) ? BigInt(nameOrId) : null
  return db
    .selectFrom('exit')
    .select(['id', 'name', (select) => select.ref('pool').$castTo<Pool>().as('pool')])
    .where((where) =>
      where.or([where('name', '=', nameOrId), ...(id === null ? [] : [where('id', '=', id)])]),
    )
    .orderBy('id')
    .execute()
}

/** Adds an exit and tells the gateways, when the transaction commits. The pair of pool and name must be new. */
export function addExit(db: Kysely<DB>, secrets: Secrets, exit: DirectExit | ChainedExit): Promise<bigint> {
  return transaction(db, async (tx) => {
    const { id } = await tx
      .insertInto('exit')
      .values({
        pool: exit.pool,
        name: exit.name,
        kind: exit.kind,
        weight: exit.weight ?? 1,
        everywhere: exit.places === null,
        ...wayOut(secrets, exit),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (exit.places !== null && exit.places.length > 0) await addPlaces(tx, id, exit.places)
    await announceExits(tx)
    return id
  })
}

function wayOut(secrets: Secrets, exit: DirectExit | ChainedExit) {
  if (exit.kind === 'direct') return { bind_address: exit.bindAddress }
  const { host, port, credentials } = exit
  if (credentials === null) return { host, port }
  const password_sealed = secrets.seal(credentials.password, aboutPassword(exit))
  return { host, port, username: credentials.username, password_sealed }
}

/** One array a column, since a provider's exit may have more places than a statement may have parameters. */
async function addPlaces(tx: Kysely<DB>, exitId: bigint, places: FeedPlace[]): Promise<void> {
  const column = <K extends keyof FeedPlace>(key: K) => places.map((place) => place[key])
  await sql`
    insert into exit_place (exit_id, country, state, city, zip, asn)
    select ${exitId}::bigint, * from unnest(
      ${column('country')}::text[], ${column('state')}::text[], ${column('city')}::text[],
      ${column('zip')}::text[], ${column('asn')}::bigint[]
    )
    on conflict do nothing`.execute(tx)
}

async function announceExits(tx: Kysely<DB>): Promise<void> {
  await sql`select pg_notify('turnpike_feed', '{"type":"exits_changed"}')`.execute(tx)
}

/** The demo's exits: this machine itself, for every pool and every targeting. Changes nothing where they are. */
export function seedDemoExits(db: Kysely<DB>): Promise<void> {
  return transaction(db, async (tx) => {
    const made = await tx
      .insertInto('exit')
      .values(pools.map((pool) => ({ pool, name: 'demo', kind: 'direct', everywhere: true })))
      .onConflict((conflict) => conflict.columns(['pool', 'name']).doNothing())
      .returning('id')
      .execute()
    if (made.length > 0) await announceExits(tx)
  })
}
