/**
 * The months of margin_part: partitions made ahead, and dropped when the hours of usage are no longer kept.
 */
import { type Kysely, sql } from 'kysely'
import { type DB, limitLockWaits, makeMonths, monthsOf, transaction } from '#db'

const table = 'margin_part'

/** Makes the partitions that are missing; returns how many. */
export const makeMarginMonths = (db: Kysely<DB>): Promise<number> => makeMonths(db, table)

/**
 * Drops the months before those that are kept besides the present one; null: all are kept. Returns their
 * names.
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
