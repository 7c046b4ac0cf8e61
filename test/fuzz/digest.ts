/** A digest of everything in the database, table by table, without its own bookkeeping. */
import { sql } from 'kysely'
import type { Database } from '#db'

/** Counts of attempts, sessions, keys, raw notifications and letters may change on a refused call. */
const bookkeeping = [
  'attempt',
  'session',
  'idempotency_key',
  'webhook_event',
  'mail',
  'reseller_pace',
  'telegram_update',
]

export type Digest = Record<string, string>

/** Reads the names of the tables once; each call of the result is one round trip. */
export async function digestOf({ db }: Database): Promise<() => Promise<Digest>> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(db)
  const names = rows.map(({ name }) => name).filter((name) => !bookkeeping.includes(name))
  const parts = names.map(
    (name) => sql`
      select ${name}::text as name, count(*)::text || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
      from ${sql.table(name)} t`,
  )
  const all = sql<{ name: string; digest: string }>`${sql.join(parts, sql` union all `)}`
  return async () => {
    const found = await all.execute(db)
    return Object.fromEntries(found.rows.map(({ name, digest }) => [name, digest]))
  }
}
