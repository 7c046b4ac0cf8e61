/** The operator's commands for existing exits. */
import { type Kysely, sql } from 'kysely'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import type { FeedExit, FeedPlace } from '#feed'
import { openOrNull, type Secrets } from '#lib/secret'
import { endMonthlyCost, lockExit } from './costs.ts'
import type { Said } from '#contract/desk/faults'
import { checkChain, ExitFault, unsealable } from './description.ts'
import { addPlaces, announceExits } from './rows.ts'
import { aboutPassword } from './sealed.ts'

/** An exit as the operator sees it: everything but its password. */
export interface KnownExit {
  id: bigint
  pool: Pool
  name: string
  kind: FeedExit['kind']
  enabled: boolean
  weight: number
  bindAddress: string | null
  host: string | null
  port: number | null
  username: string | null
  hasPassword: boolean
  preset: string | null
  options: Record<string, string>
  tls: boolean
  hasOwnAuthority: boolean
  maxConnections: number | null
  names: FeedExit['names']
  plainHttp: FeedExit['plain_http']
  probeTarget: string | null
  warmConnections: number
  /** Null: everywhere. */
  places: number | null
  countries: string[]
  /** The reason why no gateway can use it, as a sentence; null: it can be used. */
  fault: Said | null
  /** When a test last got an answer through the exit with its present settings; null: never. */
  testedAt: Date | null
}

/** All exits, enabled or not, by pool and name. */
export async function showExits(db: Kysely<DB>, secrets: Secrets): Promise<KnownExit[]> {
  const rows = await db
    .selectFrom('exit')
    .selectAll()
    .select((select) => [
      select
        .selectFrom('exit_place')
        .whereRef('exit_id', '=', 'exit.id')
        .select((count) => count.fn.countAll<bigint>().as('count'))
        .as('places'),
      select
        .selectFrom('exit_place')
        .whereRef('exit_id', '=', 'exit.id')
        .select((all) => all.fn.agg<string[] | null>('array_agg', ['country']).distinct().as('countries'))
        .as('countries'),
    ])
    .orderBy('pool')
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    pool: row.pool as Pool,
    name: row.name,
    kind: row.kind as FeedExit['kind'],
    enabled: row.enabled,
    weight: row.weight,
    bindAddress: row.bind_address,
    host: row.host,
    port: row.port,
    username: row.username,
    hasPassword: row.password_sealed !== null,
    preset: row.preset,
    options: row.options as Record<string, string>,
    tls: row.tls,
    hasOwnAuthority: row.tls_ca !== null,
    maxConnections: row.max_connections,
    names: row.names as FeedExit['names'],
    plainHttp: row.plain_http as FeedExit['plain_http'],
    probeTarget: row.probe_target,
    warmConnections: row.warm_connections,
    places: row.everywhere ? null : Number(row.places ?? 0n),
    countries: row.countries ?? [],
    fault:
      row.password_sealed !== null && openOrNull(secrets, row.password_sealed, aboutPassword(row)) === null
        ? unsealable
        : null,
    testedAt: row.tested_at,
  }))
}

/** The fields that may be changed; a field that is left out keeps its value. */
export interface ExitChange {
  enabled?: boolean
  weight?: number
  maxConnections?: number | null
  bindAddress?: string | null
  host?: string
  port?: number
  username?: string | null
  password?: string | null
  preset?: string | null
  options?: Record<string, string>
  tls?: boolean
  tlsCa?: string | null
  names?: FeedExit['names']
  plainHttp?: FeedExit['plain_http']
  probeTarget?: string | null
  warmConnections?: number
  /** Null: everywhere. */
  places?: FeedPlace[] | null
}

/** The fields that decide whether an exit can connect: with another value of one it has to be tested again. */
const ofConnecting = [
  'bindAddress',
  'host',
  'port',
  'username',
  'password',
  'preset',
  'options',
  'tls',
  'tlsCa',
  'names',
  'plainHttp',
] as const satisfies readonly (keyof ExitChange)[]

/** Notes that a test got an answer through an exit. */
export async function noteExitTest(db: Kysely<DB>, id: bigint, now: Date): Promise<void> {
  await db.updateTable('exit').set({ tested_at: now }).where('id', '=', id).execute()
}

/**
 * Changes an exit and notifies the gateways when the transaction commits; false when no exit has this number.
 */
export function changeExit(
  db: Kysely<DB>,
  secrets: Secrets,
  id: bigint,
  change: ExitChange,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const row = await tx.selectFrom('exit').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    if (row === undefined) return false
    const isDirect = row.kind === 'direct'
    const ofChains = [change.host, change.port, change.username, change.password, change.preset, change.tls]
    if (isDirect && ofChains.some((part) => part !== undefined)) throw new ExitFault('exit_direct_bare')
    if (!isDirect && change.bindAddress !== undefined && change.bindAddress !== null)
      throw new ExitFault('exit_bind_address')
    const given = <T>(value: T | undefined, known: T): T => (value === undefined ? known : value)
    const chain = {
      kind: row.kind,
      preset: given(change.preset, row.preset),
      options: given(change.options, row.options as Record<string, string>),
      username: given(change.username, row.username),
      tls: given(change.tls, row.tls),
      tls_ca: given(change.tlsCa, row.tls_ca),
      plain_http: given(change.plainHttp, row.plain_http),
      warm_connections: given(change.warmConnections, row.warm_connections),
    }
    checkChain(chain)
    const { password } = change
    const sealed = password == null ? null : secrets.seal(password, aboutPassword(row))
    await tx
      .updateTable('exit')
      .set({
        ...chain,
        options: JSON.stringify(chain.options),
        enabled: given(change.enabled, row.enabled),
        weight: given(change.weight, row.weight),
        max_connections: given(change.maxConnections, row.max_connections),
        bind_address: given(change.bindAddress, row.bind_address),
        host: given(change.host, row.host),
        port: given(change.port, row.port),
        password_sealed: password === undefined ? row.password_sealed : sealed,
        names: given(change.names, row.names as FeedExit['names']),
        probe_target: given(change.probeTarget, row.probe_target),
        everywhere: change.places === undefined ? row.everywhere : change.places === null,
        updated_at: sql<Date>`now()`,
        ...(ofConnecting.some((name) => change[name] !== undefined) ? { tested_at: null } : {}),
      })
      .where('id', '=', id)
      .execute()
    if (change.places !== undefined) {
      await tx.deleteFrom('exit_place').where('exit_id', '=', id).execute()
      if (change.places !== null && change.places.length > 0) await addPlaces(tx, id, change.places)
    }
    await announceExits(tx)
    return true
  })
}

/**
 * Deletes an exit. Its past costs are kept, future monthly costs are not. False when no exit has this number.
 */
export function removeExit(db: Kysely<DB>, id: bigint, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    if (!(await lockExit(tx, id))) return false
    await endMonthlyCost(tx, id, now)
    await tx.deleteFrom('exit').where('id', '=', id).execute()
    await announceExits(tx)
    return true
  })
}
