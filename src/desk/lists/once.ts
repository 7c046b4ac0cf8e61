/**
 * Acts that move traffic or money are done once per key, which the client makes. The act's audit entry holds
 * the key, the input and the answer: a repeated request finds it there.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, entryOfKey } from '#staff'

interface Asked {
  key: string
  author: Author
  /** The input of the act, as plain data. */
  input: Readonly<Record<string, unknown>>
}

export interface Act extends Asked {
  action: string
}

/** As the audit trail stores it. */
const stored = (input: Asked['input']): unknown =>
  JSON.parse(
    JSON.stringify(input, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  )

/**
 * The stored answer of the act with this key; null: the key is new. Refuses with `act_key_reused` when another
 * member used the key, or for another act.
 */
async function answerOf(
  db: Kysely<DB>,
  { key, author, input, actions }: Asked & { actions: readonly string[] },
): Promise<{ answer: unknown } | null> {
  const known = await entryOfKey(db, key)
  if (known === null) return null
  const after = known.after as { input?: unknown; answer?: unknown }
  const isSame =
    actions.includes(known.action) &&
    known.staffId === author.staffId &&
    isDeepStrictEqual(after.input, stored(input))
  if (!isSame) throw new Refusal('act_key_reused')
  return { answer: after.answer }
}

/**
 * Runs `work`, which records the act with `{ key, input, answer }` as `after`. For a key that was used,
 * returns the stored answer. Refuses with `act_key_reused` when another member used the key, or for another
 * act.
 */
export async function once<Answer extends Record<string, unknown>>(
  tx: Transaction<DB>,
  { action, ...asked }: Act,
  work: () => Promise<Answer>,
): Promise<Answer> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`act ${asked.key}`}, 0))`.execute(tx)
  const known = await answerOf(tx, { ...asked, actions: [action] })
  return known === null ? work() : (known.answer as Answer)
}

/**
 * Runs `work`, which finds by the key what an earlier request has made, and otherwise records one of the
 * `actions` with `{ key, input }` in `after`. It has transactions of its own, so a concurrent request with the
 * key may be first: the entry is compared afterwards too. Refuses as `once` does.
 */
export async function repeatable<Answer>(
  db: Kysely<DB>,
  asked: Asked & { actions: readonly string[] },
  work: () => Promise<Answer>,
): Promise<Answer> {
  await answerOf(db, asked)
  const answer = await work()
  await answerOf(db, asked)
  return answer
}
