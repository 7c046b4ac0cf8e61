/** The personal data in whitelists, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import { announceAddress, lockAddress } from './claims.ts'

export const whitelistParts: readonly PersonalPart[] = [
  {
    name: 'whitelist',
    tables: ['whitelist'],
    atErasure: 'removed',
    rows: (id) => sql`
      select pool, address, claimed_at, proven_at, last_used_at, proxy_user_id from whitelist where account_id = ${id}`,
    key: { pool: 'text', address: 'text' },
  },
  {
    name: 'whitelist_losses',
    tables: ['whitelist_loss'],
    atErasure: 'removed',
    rows: (id) => sql`select pool, address, reason, lost_at from whitelist_loss where account_id = ${id}`,
    key: { pool: 'text', address: 'text' },
  },
]

/** Removes all addresses of a customer; gateways hear of it when the transaction commits. */
export async function eraseWhitelist(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  const { rows } = await sql<{ pool: string; address: string }>`
    select pool, address from whitelist where account_id = ${accountId} order by address, pool`.execute(tx)
  // In one order, so that two erasures cannot deadlock.
  for (const address of new Set(rows.map((row) => row.address))) await lockAddress(tx, address)
  await sql`delete from whitelist where account_id = ${accountId}`.execute(tx)
  await sql`delete from whitelist_loss where account_id = ${accountId}`.execute(tx)
  for (const { pool, address } of rows) await announceAddress(tx, { pool, address })
}
