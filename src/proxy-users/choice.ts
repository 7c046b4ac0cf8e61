/** Finds the proxy users that a call names. */
import { type Kysely, sql } from 'kysely'
import type { DB } from '#db'
import { textArray } from '#lib/pg-array'

/** One of the names of a proxy user. */
export interface Named {
  number?: number | undefined
  login?: string | undefined
  external_id?: string | undefined
  label?: string | undefined
}

/** A proxy user as calls that act on many answer it. */
export interface Found {
  nr: bigint
  login: string
  label: string
  externalId: string | null
}

/** The proxy users of an access with these names that are not deleted, in the order of the names. */
export async function findNamed(
  db: Kysely<DB>,
  accessId: bigint,
  names: readonly Named[],
): Promise<(Found | null)[]> {
  const listed = names.map(({ number, login, external_id: externalId, label }): [string, string] => {
    if (number !== undefined) return ['number', String(number)]
    if (login !== undefined) return ['login', login]
    return externalId === undefined ? ['label', label ?? ''] : ['external_id', externalId]
  })
  const { rows } = await sql<Found & { place: number }>`
    select one.place, u.nr, u.login, u.label, u.external_id as "externalId"
    from unnest(${textArray(listed.map(([kind]) => kind))}::text[], ${textArray(listed.map(([, name]) => name))}::text[],
      ${listed.map((_, place) => place)}::integer[]) as one(kind, name, place)
    cross join lateral (
      select * from proxy_user where one.kind = 'number' and access_id = ${accessId}
        and nr = case when one.kind = 'number' then one.name::bigint end
      union all select * from proxy_user where one.kind = 'login' and login = one.name and access_id = ${accessId}
      union all select * from proxy_user where one.kind = 'external_id' and access_id = ${accessId}
        and external_id = one.name and deleted_at is null
      union all select * from proxy_user where one.kind = 'label' and access_id = ${accessId}
        and lower(label) = lower(one.name) and deleted_at is null
    ) u where u.deleted_at is null`.execute(db)
  const found = new Map(rows.map(({ place, ...user }) => [place, user]))
  return names.map((_, place) => found.get(place) ?? null)
}
