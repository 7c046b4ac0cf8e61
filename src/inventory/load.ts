/** Loads the inventory: a source's addresses replace its previous ones in one step. */
import type pg from 'pg'
import type { Database } from '#db'
import { rollUp } from './rollup.ts'
import type { Inventory } from './rows.ts'
import { type RemovedSource, sourceDeletion } from './sources.ts'
import { stage } from './stage.ts'

/** The source of an inventory. */
export interface InventorySource {
  /** 1 to 32 of a–z, 0–9 and _; `exit_<id>` for an exit's own. */
  name: string
  kind: 'demo' | 'import'
  exitId?: bigint
  revision?: number
}

/** Done in the transaction of a load, with the number of its rows and what it replaced. */
export type Loaded = (
  client: pg.PoolClient,
  load: { rows: number; replaced: RemovedSource | null },
) => Promise<void>

/** The database readers available while it is loaded. */
type Loadable = Pick<Database, 'pool'>

/**
 * Replaces everything a source has by `rows`, in one transaction: readers see all of the old or all of the
 * new. Several rows of one place add up. A row that contradicts itself (a state outside its country), or an
 * iterable that throws, leaves everything unchanged. Returns the number of rows read.
 */
export async function loadInventory(
  { pool }: Loadable,
  source: InventorySource,
  { rows, names }: Inventory,
  onLoaded?: Loaded,
): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const loaded = await load(client, source, { rows, names })
    await onLoaded?.(client, loaded)
    await client.query('commit')
    // Otherwise the planner would use the statistics of the old rows until autovacuum runs.
    await client.query('analyze inventory_country, inventory_area, inventory_asn_city, inventory_asn_country')
    client.release()
    return loaded.rows
  } catch (error) {
    // The connection may be within a COPY: it is closed, which ends the transaction.
    client.release(true)
    throw error
  }
}

async function load(
  client: pg.PoolClient,
  source: InventorySource,
  inventory: Inventory,
): Promise<{ rows: number; replaced: RemovedSource | null }> {
  await client.query(`set local statement_timeout = '30min'`)
  // A million rows are grouped repeatedly: this transaction does that in memory.
  await client.query(`set local work_mem = '64MB'`)
  // Concurrent loads of one source are serialised.
  await client.query(`select pg_advisory_xact_lock(hashtextextended('inventory ' || $1, 0))`, [source.name])
  const { rows: removed } = await client.query<RemovedSource>(sourceDeletion, [source.name])
  const count = await stage(client, inventory)
  await client.query(
    'insert into inventory_source (name, kind, exit_id, revision, rows) values ($1, $2, $3, $4, $5)',
    [source.name, source.kind, source.exitId ?? null, source.revision ?? 1, count],
  )
  await rollUp(client, source.name)
  return { rows: count, replaced: removed[0] ?? null }
}
