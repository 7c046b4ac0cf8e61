/** A digest of everything in the database, table by table, without its own bookkeeping. */
import { sql } from 'kysely'
import type { Database } from '#db'

/**
 * Counts of attempts, sessions and sign-ins, keys, raw notifications and letters may change on a refused
 * call.
 */
const bookkeeping = [
  'attempt',
  'session',
  'sign_in',
  'account_device',
  'idempotency_key',
  'webhook_event',
  'mail',
  'reseller_pace',
  'telegram_update',
]

export type Digest = Record<string, string>

/**
 * Returns a function that makes the digest. Triggers count writing statements, so that the function reads the
 * tables only after a write.
 */
export async function digestOf({ db }: Database): Promise<() => Promise<Digest>> {
  const { rows } = await sql<{ name: string; is_partition: boolean }>`
    select relname as name, relispartition as is_partition from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`.execute(db)
  const tables = rows.filter(({ name }) => !bookkeeping.includes(name))
  await countWrites(
    db,
    tables.map(({ name }) => name),
  )
  const parts = tables
    .filter((table) => !table.is_partition)
    .map(
      ({ name }) => sql`
        select ${name}::text as name, count(*)::text || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
        from ${sql.table(name)} t`,
    )
  const all = sql<{ name: string; digest: string }>`${sql.join(parts, sql` union all `)}`
  let last = { writes: -1n, digest: {} as Digest }
  return async () => {
    const { rows: counted } = await sql<{ writes: bigint }>`select last_value as writes from writes`.execute(
      db,
    )
    const writes = counted[0]?.writes ?? 0n
    if (writes === last.writes) return last.digest
    const found = await all.execute(db)
    last = { writes, digest: Object.fromEntries(found.rows.map(({ name, digest }) => [name, digest])) }
    return last.digest
  }
}

/** A sequence also counts the statements of a transaction that is rolled back. */
async function countWrites(db: Database['db'], tables: string[]): Promise<void> {
  await sql`create sequence writes`.execute(db)
  // A new sequence reports its first value before and after the first `nextval`, so that one is used up here.
  await sql`select nextval('writes')`.execute(db)
  await sql`create function count_write() returns trigger language plpgsql
    as $$ begin perform nextval('writes'); return null; end $$`.execute(db)
  for (const table of tables)
    await sql`create trigger zz_count_write after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function count_write()`.execute(db)
}
