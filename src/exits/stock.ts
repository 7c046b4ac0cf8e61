/**
 * The remaining traffic bought from an exit's seller, as entered by a staff member.
 */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'

const hourMs = 3_600_000

export interface ExitStock {
  exitId: bigint
  /** The beginning of an hour. */
  at: Date
  leftBytes: bigint
}

/** The newest stock of each exit that has one. */
export async function listStocks(db: Kysely<DB>): Promise<ExitStock[]> {
  const { rows } = await sql<ExitStock>`
    select distinct on (exit_id) exit_id as "exitId", at, left_bytes as "leftBytes"
    from exit_stock order by exit_id, id desc`.execute(db)
  return rows
}

/**
 * Records the remaining traffic at a time, which is rounded to the beginning of its UTC hour; false when no
 * exit has this number.
 */
export async function setStock(
  db: Kysely<DB>,
  { exitId, at, leftBytes }: ExitStock,
  now: Date,
): Promise<boolean> {
  const hour = new Date(Math.floor(at.getTime() / hourMs) * hourMs)
  const { rows } = await sql`
    insert into exit_stock (exit_id, at, left_bytes, set_at)
    select id, ${hour}::timestamptz, ${leftBytes}::bigint, ${now}::timestamptz from exit where id = ${exitId}
    returning id`.execute(db)
  return rows.length > 0
}
