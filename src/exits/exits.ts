/** The operator's exits: direct ones, and other proxies. */
import type { Kysely, Selectable } from 'kysely'
import { type Pool, pools } from '#contract/wire'
import { type DB, transaction } from '#db'
import type { FeedExit, FeedPlace } from '#feed'
import { parseId } from '#lib/bigint'
import { openOrNull, type Secrets } from '#lib/secret'
import { type ChainedExit, checkChain, type DirectExit, ExitFault, unsealable } from './description.ts'
import { addPlaces, announceExits } from './rows.ts'
import { aboutPassword } from './sealed.ts'

export { changeExit, type ExitChange, type KnownExit, noteExitTest, removeExit, showExits } from './change.ts'
export { type AnswerFigures, answersSince, forgetAnswers, noteAnswers } from './answers.ts'
export { binaryGb, bytesCost, type CostTerms, decimalGb, monthShare, termsOn } from './cost.ts'
export { addCost, costHistory, type ExitCost, exitWeights, lockExit } from './costs.ts'
export { type ExitStock, listStocks, setStock } from './stock.ts'
export { readPlaces } from './places.ts'
export { notePlaces, placesInLastHour, watchPlaces } from './place.watch.ts'
export { type ExitHealth, exitHealth, type Health } from './health.ts'
export { exitsDown, type FailingExit, watchExits } from './failing.ts'
export { type ChainedExit, credentialsOf, type DirectExit, ExitFault } from './description.ts'
export { sealedExitPasswords } from './sealed.ts'

/**
 * All enabled exits of all pools, with their passwords in the clear: for gateways only. An exit whose
 * password cannot be unsealed is left out and reported to `noteUnsealable`.
 */
export async function listExits(
  db: Kysely<DB>,
  secrets: Secrets,
  noteUnsealable: (exit: { pool: string; name: string }) => void = () => undefined,
): Promise<FeedExit[]> {
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
  return exits.flatMap((row) => {
    const exit = feedExit(row, placesOf.get(row.id) ?? [], secrets)
    if (exit === null) noteUnsealable({ pool: row.pool, name: row.name })
    return exit ?? []
  })
}

/**
 * One exit as gateways know it, enabled or not; null when no exit has this number. Throws an ExitFault when
 * its password cannot be unsealed.
 */
export async function readExit(db: Kysely<DB>, secrets: Secrets, id: bigint): Promise<FeedExit | null> {
  const row = await db.selectFrom('exit').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const places = await db.selectFrom('exit_place').selectAll().where('exit_id', '=', id).execute()
  const exit = feedExit(row, places, secrets)
  if (exit === null) throw new ExitFault(unsealable.code)
  return exit
}

/** Null: its password cannot be unsealed. */
function feedExit(
  row: Selectable<DB['exit']>,
  places: readonly {
    country: string
    state: string | null
    city: string | null
    zip: string | null
    asn: bigint | null
  }[],
  secrets: Secrets,
): FeedExit | null {
  const { password_sealed: sealed } = row
  const password = sealed === null ? null : openOrNull(secrets, sealed, aboutPassword(row))
  if (sealed !== null && password === null) return null
  return {
    id: row.id,
    pool: row.pool,
    name: row.name,
    kind: row.kind as FeedExit['kind'],
    // An inet with a full mask prints as a plain address.
    bind_address: row.bind_address,
    host: row.host,
    port: row.port,
    username: row.username,
    password,
    weight: row.weight,
    places: row.everywhere
      ? null
      : places.map(({ country, state, city, zip, asn }): FeedPlace => ({
          country,
          state,
          city,
          zip,
          asn: asn === null ? null : Number(asn),
        })),
    preset: row.preset,
    options: row.options as Record<string, string>,
    tls: row.tls,
    tls_ca: row.tls_ca,
    max_connections: row.max_connections,
    names: row.names as FeedExit['names'],
    plain_http: row.plain_http as FeedExit['plain_http'],
    probe_target: row.probe_target,
    warm_connections: row.warm_connections,
  }
}

/** The exits with this name or number, ordered by number; each pool may have an exit of the same name. */
export function findExits(
  db: Kysely<DB>,
  nameOrId: string,
): Promise<{ id: bigint; pool: Pool; name: string }[]> {
  const id = parseId(nameOrId)
  return db
    .selectFrom('exit')
    .select(['id', 'name', (select) => select.ref('pool').$castTo<Pool>().as('pool')])
    .where((where) =>
      where.or([where('name', '=', nameOrId), ...(id === null ? [] : [where('id', '=', id)])]),
    )
    .orderBy('id')
    .execute()
}

/**
 * Adds an exit and notifies the gateways when the transaction commits. The pair of pool and name must be new;
 * throws an ExitFault for options that its preset does not have.
 */
export function addExit(db: Kysely<DB>, secrets: Secrets, exit: DirectExit | ChainedExit): Promise<bigint> {
  const { warmConnections = 0 } = exit
  checkDescription(exit)
  const parts = wayOut(secrets, exit)
  return transaction(db, async (tx) => {
    const { id } = await tx
      .insertInto('exit')
      .values({
        pool: exit.pool,
        name: exit.name,
        kind: exit.kind,
        weight: exit.weight ?? 1,
        max_connections: exit.maxConnections ?? null,
        everywhere: exit.places === null,
        warm_connections: warmConnections,
        ...parts,
        ...('options' in parts ? { options: JSON.stringify(parts.options) } : {}),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (exit.places !== null && exit.places.length > 0) await addPlaces(tx, id, exit.places)
    await announceExits(tx)
    return id
  })
}

function checkDescription(exit: DirectExit | ChainedExit): void {
  const isChained = exit.kind !== 'direct'
  checkChain({
    kind: exit.kind,
    preset: (isChained ? exit.preset : null) ?? null,
    options: (isChained ? exit.options : undefined) ?? {},
    username: (isChained ? exit.credentials?.username : null) ?? null,
    tls: isChained && exit.tls === true,
    tls_ca: (isChained ? exit.tlsCa : null) ?? null,
    plain_http: (isChained ? exit.plainHttp : undefined) ?? 'tunnel',
    warm_connections: exit.warmConnections ?? 0,
  })
}

/**
 * An exit as gateways would know it, for a test before it is added. Throws an ExitFault for options that its
 * preset does not have.
 */
export function draftExit(exit: DirectExit | ChainedExit): FeedExit {
  checkDescription(exit)
  const chain: Partial<ChainedExit> = exit.kind === 'direct' ? {} : exit
  return {
    id: 0n,
    pool: exit.pool,
    name: exit.name,
    kind: exit.kind,
    bind_address: exit.kind === 'direct' ? exit.bindAddress : null,
    host: chain.host ?? null,
    port: chain.port ?? null,
    username: chain.credentials?.username ?? null,
    password: chain.credentials?.password ?? null,
    weight: exit.weight ?? 1,
    places: exit.places,
    preset: chain.preset ?? null,
    options: chain.options ?? {},
    tls: chain.tls ?? false,
    tls_ca: chain.tlsCa ?? null,
    max_connections: exit.maxConnections ?? null,
    names: chain.names ?? 'auto',
    plain_http: chain.plainHttp ?? 'tunnel',
    probe_target: chain.probeTarget ?? null,
    warm_connections: exit.warmConnections ?? 0,
  }
}

function wayOut(secrets: Secrets, exit: DirectExit | ChainedExit) {
  if (exit.kind === 'direct') return { bind_address: exit.bindAddress }
  const { credentials } = exit
  return {
    host: exit.host,
    port: exit.port,
    username: credentials?.username ?? null,
    password_sealed: credentials === null ? null : secrets.seal(credentials.password, aboutPassword(exit)),
    preset: exit.preset ?? null,
    options: exit.options ?? {},
    tls: exit.tls ?? false,
    tls_ca: exit.tlsCa ?? null,
    names: exit.names ?? 'auto',
    plain_http: exit.plainHttp ?? 'tunnel',
    probe_target: exit.probeTarget ?? null,
  }
}

/**
 * The demo's exits: this machine itself, for every pool and every targeting. Existing ones are not changed.
 */
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
