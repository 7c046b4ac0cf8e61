/** Stored costs of exits: an append-only history. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { type CostTerms, type Counts, type Rounding, termsOn } from './cost.ts'

/** What an exit costs from a day on. */
export interface ExitCost extends Required<CostTerms> {
  exitId: bigint
  pool: Pool
  /** The exit's name when the cost was set. */
  name: string
  setAt: Date
}

/**
 * All costs that were ever set, of all exits (including removed ones) or of one, in the order in which they
 * were set.
 */
export async function costHistory(db: Kysely<DB>, exitId?: bigint): Promise<ExitCost[]> {
  const rows = await db
    .selectFrom('exit_cost')
    .selectAll()
    .select(sql<string>`from_day::text`.as('from_day_text'))
    .$if(exitId !== undefined, (query) => query.where('exit_id', '=', exitId ?? 0n))
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    exitId: row.exit_id,
    pool: row.pool as Pool,
    name: row.name,
    fromDay: row.from_day_text,
    currency: row.currency,
    perGbMicros: row.per_gb_micros,
    monthMicros: row.month_micros,
    counts: row.counts as Counts,
    countsFailed: row.counts_failed,
    gbBytes: row.gb_bytes,
    rounding: row.rounding as Rounding,
    setAt: row.set_at,
  }))
}

/**
 * Locks an exit until the end of the transaction: its costs and stocks are set one after the other, and not
 * while it is removed. False when no exit has this number.
 */
export async function lockExit(tx: Transaction<DB>, id: bigint): Promise<boolean> {
  const row = await tx
    .selectFrom('exit')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Sets what an exit costs from a past or future day on; false when no exit has this number. */
export async function addCost(db: Kysely<DB>, exitId: bigint, terms: CostTerms, now: Date): Promise<boolean> {
  const { currency = 'USD', counts = 'both', countsFailed = true } = terms
  const { rows } = await sql`
    insert into exit_cost (exit_id, pool, name, from_day, currency, per_gb_micros, month_micros, counts, counts_failed, gb_bytes,
      rounding, set_at)
    select id, pool, name, ${terms.fromDay}::date, ${currency}::text, ${terms.perGbMicros}::bigint, ${terms.monthMicros}::bigint,
      ${counts}::text, ${countsFailed}::boolean, ${terms.gbBytes}::bigint, ${terms.rounding}::text, ${now}::timestamptz
    from exit where id = ${exitId} for no key update
    returning id`.execute(db)
  return rows.length > 0
}

/**
 * Ends the monthly cost of an exit that is about to be removed, from this day on; traffic relayed on this day
 * is still charged.
 */
export async function endMonthlyCost(db: Kysely<DB>, exitId: bigint, now: Date): Promise<void> {
  const history = await costHistory(db, exitId)
  const today = now.toISOString().slice(0, 10)
  const days = new Set([today, ...history.map(({ fromDay }) => fromDay).filter((day) => day > today)])
  for (const day of days) {
    const terms = termsOn(history, day)
    if (terms !== null && terms.monthMicros > 0n)
      await addCost(db, exitId, { ...terms, fromDay: day, monthMicros: 0n }, now)
  }
}

/** The enabled exits that get connections, with their weights: for the cost of a pool without traffic. */
export async function exitWeights(db: Kysely<DB>): Promise<{ id: bigint; pool: Pool; weight: number }[]> {
  const rows = await db
    .selectFrom('exit')
    .select(['id', 'pool', 'weight'])
    .where('enabled', '=', true)
    .where('weight', '>', 0)
    .execute()
  return rows.map((row) => ({ ...row, pool: row.pool as Pool }))
}
