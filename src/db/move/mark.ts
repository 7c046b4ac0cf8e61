/**
 * The mark of a database that is being filled by `turnpike database move`, or that was moved elsewhere. It is
 * a table of its own, outside of the migrations, so that a database has it before and while its schema is made.
 */
import type pg from 'pg'
import { DatabaseUnavailable } from '../connections/unavailable.ts'

export const markTable = 'database_move'

interface Mark {
  /** `copying`: some rows are still missing. `moved`: the shop is in another database. */
  state: 'copying' | 'moved'
  /** The other database, as the source or the target of the copy: a place without a password. */
  peer: string
  at: Date
}

type Queryable = Pick<pg.Pool, 'query'>

/** The mark of the database; null: it has none, as every database in use. */
export async function readMark(database: Queryable): Promise<Mark | null> {
  const { rows: found } = await database.query<{ there: boolean }>(
    `select to_regclass('${markTable}') is not null as there`,
  )
  if (found[0]?.there !== true) return null
  const { rows } = await database.query<Mark>(`select state, peer, at from ${markTable}`)
  return rows[0] ?? null
}

export async function setMark(database: Queryable, { state, peer }: Omit<Mark, 'at'>): Promise<void> {
  await database.query(`create table if not exists ${markTable} (
    one boolean primary key default true check (one), state text not null, peer text not null,
    at timestamptz not null default now())`)
  await database.query(
    `insert into ${markTable} (state, peer) values ($1, $2)
     on conflict (one) do update set state = excluded.state, peer = excluded.peer, at = now()`,
    [state, peer],
  )
}

export async function removeMark(database: Queryable): Promise<void> {
  await database.query(`drop table if exists ${markTable}`)
}

/** Refuses, with a sentence, a database that is half copied or was moved: two shops would sell the same traffic. */
export async function refuseMoved(database: Queryable): Promise<void> {
  const mark = await readMark(database)
  if (mark === null) return
  const day = mark.at.toISOString().slice(0, 10)
  throw new DatabaseUnavailable(
    mark.state === 'copying'
      ? `This database is an unfinished copy of ${mark.peer}, begun on ${day}: run turnpike database move again with the settings of the shop, and it starts over.`
      : `This shop was moved to ${mark.peer} on ${day}, and this database is no longer in use: correct DATABASE_URL. To give up what happened there and go on with this one: turnpike database reopen`,
  )
}
