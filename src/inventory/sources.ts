/** The sources of inventories. */
import { CompiledQuery, type Kysely, sql } from 'kysely'
import { type DB, lockName } from '#db'

export interface KnownSource {
  name: string
  kind: 'demo' | 'import'
  /** The exit whose own inventory it is. */
  exitId: bigint | null
  /** The number of rows read. */
  rows: bigint
  pools: string[]
  countries: number
  addresses: bigint
  loadedAt: Date
}

/** All sources, by name. */
export async function listInventory(db: Kysely<DB>): Promise<KnownSource[]> {
  const { rows } = await sql<KnownSource>`
    select name, kind, exit_id as "exitId", rows, loaded_at as "loadedAt",
      coalesce(array_agg(distinct pool) filter (where pool is not null), '{}') as pools,
      count(distinct country)::integer as countries, coalesce(sum(count), 0)::bigint as addresses
    from inventory_source left join inventory_country on source = name
    group by inventory_source.name order by name`.execute(db)
  return rows
}

/** What a source had when it was removed or replaced. */
export interface RemovedSource {
  /** The number of rows read. */
  rows: bigint
  addresses: bigint
}

/** SQL that deletes the source $1 with its addresses, and returns what it had. */
export const sourceDeletion = `
  delete from inventory_source where name = $1
  returning rows,
    (select coalesce(sum(count), 0)::bigint from inventory_country where source = $1) as addresses`

/**
 * Removes a source from the lists, and returns what it had; null when it does not exist. In a transaction, a
 * load of the source that is under way ends first, also its first load, and later loads wait for the end of
 * the transaction.
 */
export async function removeInventory(db: Kysely<DB>, name: string): Promise<RemovedSource | null> {
  await lockName(db, `inventory ${name}`)
  const { rows } = await db.executeQuery<RemovedSource>(CompiledQuery.raw(sourceDeletion, [name]))
  return rows[0] ?? null
}

/** Whether customers see made-up addresses of the demo, so that pages can say so. */
export async function isDemoInventory(db: Kysely<DB>): Promise<boolean> {
  const demo = await db
    .selectFrom('inventory_source')
    .select('name')
    .where('kind', '=', 'demo')
    .executeTakeFirst()
  return demo !== undefined
}
