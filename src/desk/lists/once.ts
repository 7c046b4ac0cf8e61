/**
 * Acts that move traffic or money are done once per key, which the client makes. The act's audit entry holds
 * the key, the input and the answer: a repeated request finds it there.
 */
import { isDeepStrictEqual } from 'node:util'
import { sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, entryOfKey } from '#staff'

export interface Act {
  action: string
  key: string
  author: Author
  /** The input of the act, as plain data. */
  input: Record<string, string>
}

/**
 * Runs `work`, which records the act with `{ key, input, answer }` as `after`. For a key that was used,
 * returns the stored answer. Refuses with `act_key_reused` when another member used the key, or for another
 * act.
 */
export async function once<Answer extends Record<string, string>>(
  tx: Transaction<DB>,
  { action, key, author, input }: Act,
  work: () => Promise<Answer>,
): Promise<Answer> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`act ${key}`}, 0))`.execute(tx)
  const known = await entryOfKey(tx, key)
  if (known === null) return work()
  const after = known.after as { input?: unknown; answer?: unknown }
  const isSame =
    known.action === action && known.staffId === author.staffId && isDeepStrictEqual(after.input, input)
  if (!isSame) throw new Refusal('act_key_reused')
  return after.answer as Answer
}
