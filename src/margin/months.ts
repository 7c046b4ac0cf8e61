/**
 * The monthly partitions of margin_part: created in advance, and dropped together with the hourly usage.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, limitLockWaits, makeMonths, monthsOf, transaction } from '#db'

const table = 'margin_part'

/** Creates missing partitions; returns their number. */
export const makeMarginMonths = (db: Kysely<DB>): Promise<number> => makeMonths(db, table)

/**
 * Drops months older than the number kept besides the current one; null: keeps all. Returns their names.
 */
export async function forgetOldParts(db: Kysely<DB>, months: number | null): Promise<string[]> {
  if (months === null) return []
  const { rows } = await sql<{ first: string }>`
    select month_of(now() - make_interval(months => ${months}::int)) as first`.execute(db)
  const first = rows[0]?.first ?? ''
  const old = (await monthsOf(db, table)).filter(({ month }) => month < first)
  for (const { name } of old)
    await transaction(db, async (tx) => {
      await limitLockWaits(tx)
      await sql`drop table ${sql.table(name)}`.execute(tx)
    })
  await sql`delete from margin_part_rest where hour < ${first}::date::timestamp at time zone 'UTC'`.execute(
    db,
  )
  return old.map(({ name }) => name)
}
