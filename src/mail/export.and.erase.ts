/** What letters hold about a person, and their erasure. */
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const mailParts: readonly PersonalPart[] = [
  {
    name: 'letters',
    tables: ['mail'],
    atErasure: 'removed',
    rows: (id) => sql`
      select m.created_at, m.id, m.template, m.language, m.recipient, m.sent_at, m.failed_at
      from mail m where m.account_id = ${id}
        or lower(m.recipient) = (select lower(email) from account where id = ${id})`,
    key: { created_at: 'timestamptz', id: 'uuid' },
  },
]

/** Deletes the letters to an address, or about an account; those that wait are not sent. */
export async function eraseLetters(
  tx: Transaction<DB>,
  of: { email: string } | { accountId: bigint },
): Promise<void> {
  const condition =
    'email' in of ? sql`lower(recipient) = ${of.email.toLowerCase()}` : sql`account_id = ${of.accountId}`
  await sql`delete from mail where ${condition}`.execute(tx)
}
