/** What proxy users hold about a person, and their erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import type { Secrets } from '#lib/secret'
import { textArray } from '#lib/pg-array'
import { newLogin } from './logins.ts'
import { deleteUsers } from './many.ts'
import type { Reserve } from './reserve.ts'
import { usersWhere } from './rows.ts'

export const userParts: readonly PersonalPart[] = [
  {
    name: 'proxy_users',
    tables: ['proxy_user', 'proxy_user_metadata'],
    atErasure: 'removed',
    rows: (id) => sql`
      select s.pool, u.nr as number, u.login, u.label, u.external_id, u.metadata, u.shares_login_of, u.is_reserved, u.total_bytes, u.day_bytes, u.month_bytes, u.connections, u.expires_at,
        u.allowed_hosts, u.countries, u.denied_countries, u.no_double_tariff, u.addresses, u.frozen_at, u.deleted_at, u.created_at
      from access s join proxy_user u on u.access_id = s.id where s.account_id = ${id} and (u.deleted_at is null or u.label <> '')`,
    key: { pool: 'text', number: 'bigint' },
  },
  {
    name: 'proxy_user_changes',
    tables: ['proxy_user_change'],
    atErasure: 'kept',
    rows: (id) => sql`
      select c.id, s.pool, c.nr as number, c.bytes, c.made_at
      from access s join proxy_user_change c on c.access_id = s.id where s.account_id = ${id}`,
    key: { id: 'bigint' },
  },
]

/** Deletes all proxy users of a customer, and their names. */
export async function eraseUsers(
  tx: Transaction<DB>,
  deps: { secrets: Secrets; reserve: Reserve },
  accountId: bigint,
): Promise<void> {
  const users = await usersWhere(
    tx,
    sql`u.deleted_at is null and u.access_id in (select id from access where account_id = ${accountId})`,
  )
  const ofAccess = Map.groupBy(users, (user) => user.accessId)
  for (const [accessId, theirs] of ofAccess)
    await deleteUsers(tx, deps, { accessId, numbers: theirs.map(({ nr }) => nr) })
  await sql`
    update proxy_user set label = '', external_id = null, metadata = '{}'
    where access_id in (select id from access where account_id = ${accountId})
      and (label <> '' or external_id is not null or metadata <> '{}')`.execute(tx)
  await replaceChosenLogins(tx, accountId)
  await sql`update proxy_login set user_prefix = null where account_id = ${accountId}`.execute(tx)
}

/**
 * Chosen logins may be names, so random ones replace them; reports and records know proxy users by their ids.
 * Proxy users that shared a login still share one.
 */
async function replaceChosenLogins(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  const { rows } = await sql<{ login: string }>`
    select distinct login from proxy_user where login like '%.%'
      and access_id in (select id from access where account_id = ${accountId})`.execute(tx)
  if (rows.length === 0) return
  await sql`
    update proxy_user u set login = one.random
    from unnest(${textArray(rows.map(({ login }) => login))}::text[], ${textArray(rows.map(() => newLogin(null)))}::text[])
      as one(login, random) where u.login = one.login`.execute(tx)
}
