/** What the reseller API holds about a person, and its erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const resellerParts: readonly PersonalPart[] = [
  {
    name: 'api_token',
    tables: ['reseller_token', 'reseller_pace'],
    atErasure: 'removed',
    rows: (id) => sql`select created_at, used_at, used_ip from reseller_token where account_id = ${id}`,
    key: { created_at: 'timestamptz' },
  },
  {
    name: 'api_agreement',
    tables: ['reseller_agreement'],
    atErasure: 'removed',
    rows: (id) => sql`select pace_times, agreed_at from reseller_agreement where account_id = ${id}`,
    key: { agreed_at: 'timestamptz' },
  },
]

/** Removes the token of a customer's programs; it is invalid when the transaction commits. */
export async function eraseResellerToken(tx: Transaction<DB>, accountId: bigint): Promise<void> {
  await sql`delete from reseller_token where account_id = ${accountId}`.execute(tx)
  await sql`delete from reseller_pace where account_id = ${accountId}`.execute(tx)
  await sql`delete from reseller_agreement where account_id = ${accountId}`.execute(tx)
}
