/** Which accesses a gateway has served. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray } from '#lib/pg-array'

/** Those of the subusers of which a worker of a gateway has or had a lease; leases are kept for two weeks after their end. */
export async function leasedBy(
  db: Kysely<DB>,
  gateway: string,
  subusers: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const { rows } = await sql<{ id: bigint }>`
    select id from unnest(${bigintArray([...new Set(subusers)])}::bigint[]) as asked(id)
    where exists (select from lease l where l.subuser_id = asked.id and l.gateway = ${gateway} and l.closed_at is null)
      or exists (select from lease l where l.subuser_id = asked.id and l.gateway = ${gateway} and l.closed_at is not null)`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}
