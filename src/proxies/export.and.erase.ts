/** What proxies hold about a person, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import { randomText, type Secrets } from '#lib/secret'
import { announceChange, loginAlphabet, newPassword } from './credentials.ts'

export const proxyParts: readonly PersonalPart[] = [
  {
    name: 'proxies',
    tables: ['access', 'proxy_login'],
    atErasure: 'anonymised',
    rows: (id) => sql`select id, pool, login, created_at from access where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'saved_settings_of_lines',
    tables: ['saved_targeting'],
    atErasure: 'removed',
    rows: (id) => sql`select id, targeting, created_at from saved_targeting where account_id = ${id}`,
    key: { id: 'text' },
  },
  {
    name: 'presets',
    tables: ['preset'],
    atErasure: 'removed',
    rows: (id) => sql`
      select id, pool, label, settings, created_at, link_made_at, link_used_at from preset where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'ended_connections',
    tables: ['ended_connection'],
    atErasure: 'removed',
    rows: (id) => sql`
      select u.pool, e.holder_id as holder, e.kind, e.name, e.times, e.ended_at
      from access u join ended_connection e on e.access_id = u.id where u.account_id = ${id}`,
    key: { holder: 'bigint', kind: 'text', name: 'text' },
  },
  {
    name: 'lines',
    tables: ['slot'],
    atErasure: 'removed',
    rows: (id) => sql`
      select u.pool, s.slot as number, s.targeting, s.updated_at
      from access u join slot s on s.access_id = u.id where u.account_id = ${id}`,
    key: { pool: 'text', number: 'integer' },
  },
]

/** Longer than those of customers (two letters and six characters), so that it is never given to one. */
const anonymousLogin = () => `gone${randomText(12, loginAlphabet)}`

/**
 * Replaces login and proxy passwords by random ones that nobody learns, and removes saved settings. Gateways
 * cut the tunnels of the old login when the transaction commits. Returns that login; null: the customer had
 * none.
 */
export async function eraseProxies(
  tx: Transaction<DB>,
  secrets: Secrets,
  accountId: bigint,
): Promise<string | null> {
  const accesses = await tx
    .selectFrom('access')
    .select(['id', 'pool'])
    .where('account_id', '=', accountId)
    .orderBy('id')
    .forUpdate()
    .execute()
  await tx.deleteFrom('preset').where('account_id', '=', accountId).execute()
  await tx.deleteFrom('saved_targeting').where('account_id', '=', accountId).execute()
  await sql`
    delete from slot s using access u where u.id = s.access_id and u.account_id = ${accountId}`.execute(tx)
  await sql`
    delete from ended_connection e using access u where u.id = e.access_id and u.account_id = ${accountId}`.execute(
    tx,
  )
  const row = await tx
    .selectFrom('proxy_login')
    .select('login')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (row === undefined) return null
  const login = anonymousLogin()
  // The foreign key from access is checked at the end of each statement, so both change in one.
  await sql`
    with renamed as (update proxy_login set login = ${login} where account_id = ${accountId})
    update access set login = ${login} where account_id = ${accountId}`.execute(tx)
  for (const { id, pool } of accesses) {
    const { password: _password, ...columns } = newPassword(secrets, { accountId, pool })
    await tx.updateTable('access').set(columns).where('id', '=', id).execute()
  }
  await announceChange(tx, row.login)
  return row.login
}
