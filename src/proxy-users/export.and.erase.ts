/** What proxy users hold about a person, and their erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import type { Secrets } from '#lib/secret'
import { deleteUser } from './change.ts'
import type { Reserve } from './reserve.ts'
import { usersWhere } from './rows.ts'

export const userParts: readonly PersonalPart[] = [
  {
    name: 'proxy_users',
    tables: ['proxy_user'],
    atErasure: 'removed',
    rows: (id) => sql`
      select s.pool, u.nr as number, u.login, u.label, u.external_id, u.shares_login_of, u.is_reserved, u.total_bytes, u.day_bytes, u.month_bytes, u.connections, u.expires_at,
        u.allowed_hosts, u.countries, u.denied_countries, u.no_double_tariff, u.addresses, u.frozen_at, u.created_at
      from access s join proxy_user u on u.access_id = s.id where s.account_id = ${id} and u.deleted_at is null`,
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

/** Deletes all proxy users of a customer. */
export async function eraseUsers(
  tx: Transaction<DB>,
  deps: { secrets: Secrets; reserve: Reserve },
  accountId: bigint,
): Promise<void> {
  const users = await usersWhere(
    tx,
    sql`u.deleted_at is null and u.access_id in (select id from access where account_id = ${accountId})`,
    { lock: true },
  )
  for (const user of users) await deleteUser(tx, deps, user)
}
