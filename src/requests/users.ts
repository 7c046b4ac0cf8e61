/** Proxy users in the sums of records, which know them by their ids; customers know them by their logins. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { bigintArray } from '#lib/pg-array'
import { accountKey } from './usage.by.part.ts'

interface UserName {
  login: string
  /** Null: it is deleted. */
  label: string | null
}

/** The names of the proxy users of these keys. */
export async function userNames(db: Kysely<DB>, keys: readonly string[]): Promise<Map<string, UserName>> {
  const ids = keys.filter((key) => /^\d{19}$/.test(key)).map(BigInt)
  if (ids.length === 0) return new Map()
  const { rows } = await sql<UserName & { id: bigint }>`
    select id, login, nullif(label, '') as label from proxy_user where id = any(${bigintArray(ids)}::bigint[])`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...name }) => [String(id), name]))
}

/** The keys of a customer's proxy users with this login, one for each of its pools, or that of `accountKey`. */
export async function userKeys(db: Kysely<DB>, accountId: bigint, login: string): Promise<string[]> {
  if (login === accountKey || login === '') return [login]
  const { rows } = await sql<{ id: bigint }>`
    select u.id from proxy_user u join access s on s.id = u.access_id
    where u.login = ${login} and s.account_id = ${accountId}`.execute(db)
  return rows.map(({ id }) => String(id))
}
