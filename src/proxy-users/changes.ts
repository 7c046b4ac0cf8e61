/** The history of traffic given to proxy users and taken from them. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'

/** Bytes added to what a proxy user may use in all; negative: taken. */
export interface Change {
  accessId: bigint
  nr: bigint
  bytes: bigint
  /** The account and the operation of an Idempotency-Key. */
  reference?: string | null
}

/**
 * Notes changes and returns their ids, in order; changes whose reference was noted before are left out. The
 * sum of the changes of a reserved proxy user is its `totalBytes`.
 */
export async function noteChanges(tx: Transaction<DB>, changes: readonly Change[]): Promise<bigint[]> {
  if (changes.length === 0) return []
  const { rows } = await sql<{ id: bigint }>`
    insert into proxy_user_change (access_id, nr, bytes, reference)
    select access_id, nr, bytes, reference from unnest(
      ${bigintArray(changes.map((one) => one.accessId))}::bigint[], ${bigintArray(changes.map((one) => one.nr))}::bigint[],
      ${bigintArray(changes.map((one) => one.bytes))}::bigint[],
      ${textArray(changes.map((one) => one.reference ?? null))}::text[]
    ) with ordinality as one(access_id, nr, bytes, reference, n)
    order by n
    on conflict (reference) do nothing returning id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** The traffic given to a proxy user and taken from it, the newest first. */
export async function changesOf(
  db: Kysely<DB>,
  { accessId, nr }: { accessId: bigint; nr: bigint },
  limit: number,
): Promise<{ at: Date; bytes: bigint }[]> {
  const { rows } = await sql<{ at: Date; bytes: bigint }>`
    select made_at as at, bytes from proxy_user_change where access_id = ${accessId} and nr = ${nr}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** Notes changes, and adds them to what the proxy users may use in all. Returns their ids. */
export async function addToTotals(tx: Transaction<DB>, changes: readonly Change[]): Promise<bigint[]> {
  await sql`
    update proxy_user u set total_bytes = u.total_bytes + one.bytes
    from unnest(
      ${bigintArray(changes.map((one) => one.accessId))}::bigint[], ${bigintArray(changes.map((one) => one.nr))}::bigint[],
      ${bigintArray(changes.map((one) => one.bytes))}::bigint[]
    ) as one(access_id, nr, bytes)
    where u.access_id = one.access_id and u.nr = one.nr`.execute(tx)
  return noteChanges(tx, changes)
}
