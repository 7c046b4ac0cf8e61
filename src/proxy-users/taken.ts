/** Keeps labels and external ids unique. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'

/** The label and external id to give a proxy user; undefined: unchanged, null: none. */
interface Named {
  nr: bigint
  /** Its login: proxy users of other pools that share it have the same external id. */
  login?: string | undefined
  label: string | undefined
  externalId: string | null | undefined
}

/** Locks an access, so that its proxy users are made, named and deleted one transaction after the other. */
export async function lockAccess(tx: Transaction<DB>, accessId: bigint): Promise<void> {
  await sql`select from access where id = ${accessId} for no key update`.execute(tx)
}

/**
 * Refuses a label that another proxy user of the access has, and an external id that another one of the same
 * customer has, in any pool. The refusal names the proxy user that has it, so that a repeated call finds what
 * it made. If several are named at once, the refusal has the index of the refused one; if two of them have
 * the same name, the indexes of both.
 */
export async function refuseTaken(
  tx: Transaction<DB>,
  accessId: bigint,
  named: readonly Named[],
): Promise<void> {
  const labels = named.flatMap(({ nr, label }, index) =>
    label === undefined ? [] : [{ nr, name: label.toLowerCase(), index }],
  )
  const externals = named.flatMap(({ nr, login, externalId: name }, index) =>
    name === undefined || name === null ? [] : [{ nr, login, name, index }],
  )
  const isOne = named.length === 1
  if (labels.length > 0) {
    await lockAccess(tx, accessId)
    const taken = await sql<Taken>`
      select wanted.index, u.nr as number, u.login, u.label, s.pool from proxy_user u join access s on s.id = u.access_id
      join ${unnested(labels)} on lower(u.label) = wanted.name and u.nr <> wanted.nr
      where u.access_id = ${accessId} and u.deleted_at is null limit 1`.execute(tx)
    refuse('user_label_taken', taken.rows[0] ?? twice(labels, 'label'), isOne)
  }
  if (externals.length > 0) {
    // Locks all accesses of the customer, in the order of ids.
    await sql`
      select from access where account_id = (select account_id from access where id = ${accessId})
      order by id for no key update`.execute(tx)
    const taken = await sql<Taken>`
      select wanted.index, u.nr as number, u.login, u.label, s.pool from access mine
      join access s on s.account_id = mine.account_id join proxy_user u on u.access_id = s.id
      join ${unnested(externals)} on u.external_id = wanted.name
        and (u.access_id, u.nr) <> (${accessId}, wanted.nr) and u.login is distinct from wanted.login
      where mine.id = ${accessId} and u.deleted_at is null limit 1`.execute(tx)
    refuse('user_external_id_taken', taken.rows[0] ?? twice(externals, 'external_id'), isOne)
  }
}

/** The proxy user that already has the name. */
interface Taken {
  index: number
  number: bigint
  login: string
  label: string
  pool: string
}

interface Wanted {
  nr: bigint
  login?: string | undefined
  name: string
  /** Its position among those named at once. */
  index: number
}

const unnested = (wanted: readonly Wanted[]) => sql`
  unnest(${bigintArray(wanted.map(({ nr }) => nr))}::bigint[], ${textArray(wanted.map(({ name }) => name))}::text[],
    ${wanted.map(({ index }) => index)}::integer[],
    ${textArray(wanted.map(({ login }) => login ?? null))}::text[]) as wanted(nr, name, index, login)`

/** The details for a name that one call gives to two proxy users; null: none. */
function twice(wanted: readonly Wanted[], field: 'label' | 'external_id') {
  const seen = new Map<string, number>()
  for (const { name, index } of wanted) {
    const first = seen.get(name)
    if (first !== undefined) return { [field]: name, index, same_as_index: first }
    seen.set(name, index)
  }
  return null
}

function refuse(
  code: 'user_label_taken' | 'user_external_id_taken',
  taken: Taken | ReturnType<typeof twice>,
  isOne: boolean,
): void {
  if (taken === null) return
  if (!('number' in taken)) throw new Refusal(code, taken)
  const { index, number, ...rest } = taken as Taken
  throw new Refusal(code, { ...(isOne ? {} : { index }), number: Number(number), ...rest })
}
