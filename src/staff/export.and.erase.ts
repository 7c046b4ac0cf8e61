/** The audit trail's data about a customer, and its erasure. */
import { likePart } from '#lib/like'
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'

export const staffParts: readonly PersonalPart[] = [
  {
    name: 'acts_of_support',
    tables: ['audit_entry'],
    atErasure: 'anonymised',
    // Without the names of staff, and without views of lists that contain other customers.
    rows: (id) => sql`select id, at, action, reason from audit_entry where account_id = ${id}`,
    key: { id: 'bigint' },
  },
]

/**
 * Acts whose snapshots are amounts and keys: they count towards the limits of staff, and identify a repeated
 * act.
 */
const kept = ['give_traffic', 'take_traffic', 'give_money', 'take_money']

/**
 * Removes from the trail all data about a customer beyond who did what to which account and when: snapshots
 * and reasons of the entries about the account, and of other entries that contain one of `words`, which name
 * the person; likewise saved views.
 */
export async function eraseTraces(
  tx: Transaction<DB>,
  { accountId, words }: { accountId: bigint; words: readonly string[] },
  now: Date,
): Promise<void> {
  const patterns = words.flatMap((word) => [word, encodeURIComponent(word)].map(likePart))
  await sql`
    update audit_entry set before = null, reason = null, redacted_at = ${now},
      after = case when account_id = ${accountId} and action = any(${kept}::text[]) then after end
    where redacted_at is null and (
      account_id = ${accountId}
      or before::text ilike any(${patterns}::text[]) or after::text ilike any(${patterns}::text[])
      or reason ilike any(${patterns}::text[]))`.execute(tx)
  // Open views of the account end.
  await sql`delete from customer_view where account_id = ${accountId}`.execute(tx)
  await sql`delete from staff_view where query ilike any(${patterns}::text[]) or name ilike any(${patterns}::text[])`.execute(
    tx,
  )
}
