/** What limits hold about a person, and their erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const limitParts: readonly PersonalPart[] = [
  {
    name: 'limits',
    tables: ['pool_limits'],
    atErasure: 'removed',
    rows: (id) => sql`
      select u.pool, l.hour_bytes, l.day_bytes, l.month_bytes, l.connections, l.allowed_hosts, l.denied_hosts,
        l.data_saver, l.raised_day, l.raised_bytes, l.changed_at
      from access u join pool_limits l on l.access_id = u.id where u.account_id = ${id}`,
    key: { pool: 'text' },
  },
]

/** Removes a customer's limits: the hosts in them reveal the customer's activities. */
export async function eraseLimits(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await sql`
    delete from pool_limits l using access u where u.id = l.access_id and u.account_id = ${accountId}`.execute(
    tx,
  )
}
