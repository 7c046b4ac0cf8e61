/** Keeps labels and external ids unique. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'

/** The label and external id to give a proxy user; undefined: unchanged, null: none. */
interface Named {
  nr: bigint
  label: string | undefined
  externalId: string | null | undefined
}

/** Locks an access, so that its proxy users are made, named and deleted one transaction after the other. */
export async function lockAccess(tx: Transaction<DB>, accessId: bigint): Promise<void> {
  await sql`select from access where id = ${accessId} for no key update`.execute(tx)
}

/**
 * Refuses a label that another proxy user of the access has, and an external id that another one of the same
 * customer has, in any pool. The refusal tells which one has it, so that a repeated call finds what it made.
 */
export async function refuseTaken(
  tx: Transaction<DB>,
  accessId: bigint,
  named: readonly Named[],
): Promise<void> {
  const labels = named.flatMap(({ nr, label }) =>
    label === undefined ? [] : [{ nr, name: label.toLowerCase() }],
  )
  const externals = named.flatMap(({ nr, externalId: name }) =>
    name === undefined || name === null ? [] : [{ nr, name }],
  )
  if (labels.length > 0) {
    await lockAccess(tx, accessId)
    const taken = await sql<Taken>`
      select u.nr as number, u.login, u.label, s.pool from proxy_user u join access s on s.id = u.access_id
      join ${unnested(labels)} on lower(u.label) = wanted.name and u.nr <> wanted.nr
      where u.access_id = ${accessId} and u.deleted_at is null limit 1`.execute(tx)
    refuse('user_label_taken', taken.rows[0] ?? twice(labels))
  }
  if (externals.length > 0) {
    // Locks all accesses of the customer, in the order of ids.
    await sql`
      select from access where account_id = (select account_id from access where id = ${accessId})
      order by id for no key update`.execute(tx)
    const taken = await sql<Taken>`
      select u.nr as number, u.login, u.label, s.pool from access mine
      join access s on s.account_id = mine.account_id join proxy_user u on u.access_id = s.id
      join ${unnested(externals)} on u.external_id = wanted.name
        and (u.access_id, u.nr) <> (${accessId}, wanted.nr)
      where mine.id = ${accessId} and u.deleted_at is null limit 1`.execute(tx)
    refuse('user_external_id_taken', taken.rows[0] ?? twice(externals))
  }
}

/** The proxy user that already has the name. */
interface Taken {
  number: bigint
  login: string
  label: string
  pool: string
}

interface Wanted {
  nr: bigint
  name: string
}

const unnested = (wanted: readonly Wanted[]) => sql`
  unnest(${bigintArray(wanted.map(({ nr }) => nr))}::bigint[], ${textArray(wanted.map(({ name }) => name))}::text[]) as wanted(nr, name)`

/** The details for a name that one call gives to two proxy users; null: none. */
function twice(wanted: readonly Wanted[]): object | null {
  const seen = new Set<string>()
  for (const { name } of wanted) {
    if (seen.has(name)) return { label: name }
    seen.add(name)
  }
  return null
}

function refuse(code: 'user_label_taken' | 'user_external_id_taken', taken: Taken | object | null): void {
  if (taken === null) return
  const details = 'number' in taken ? { ...taken, number: Number(taken.number) } : { ...taken }
  throw new Refusal(code, details)
}
