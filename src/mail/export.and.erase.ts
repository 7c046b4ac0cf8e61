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
      from account a join mail m on lower(m.recipient) = lower(a.email) where a.id = ${id}`,
    key: { created_at: 'timestamptz', id: 'uuid' },
  },
]

/** Deletes the letters to an address; those that wait are not sent. */
export async function eraseLetters(tx: Transaction<DB>, email: string): Promise<void> {
  await sql`delete from mail where lower(recipient) = ${email.toLowerCase()}`.execute(tx)
}
