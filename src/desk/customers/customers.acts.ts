/** What staff do to a customer's account; the command line does the same by these functions. */
import type { Kysely, Transaction } from 'kysely'
import {
  accountById,
  addNote,
  addTag,
  type Block,
  blockAccount,
  endSessions,
  removeNote,
  setTags,
  unblockAccount,
  writeLetter,
} from '#accounts'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, countSince, record } from '#staff'
import { endMembership } from '#teams'
import { once } from '../lists/once.ts'

type Db = Kysely<DB>

const about = (accountId: bigint) =>
  ({ subject: { kind: 'customer', id: String(accountId) }, accountId }) as const

/** The account, or a refusal with `customer_not_found`. */
export async function customerOf(db: Db, accountId: bigint) {
  const account = await accountById(db, accountId)
  if (account === null) throw new Refusal('customer_not_found')
  return account
}

/**
 * Blocks a customer: sessions and tunnels end at once. False: they are blocked already, and their block stays
 * as it is. Refuses with `customer_not_found`.
 */
export function blockCustomer(db: Db, author: Author, block: Block, now: Date): Promise<boolean> {
  const { accountId, until, reason, tells = false } = block
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    if (!(await blockAccount(tx, block, now))) return false
    const after = { blocked: true, until: until?.toISOString() ?? null, tells }
    const entry = { action: 'block_customer', ...about(accountId), before: { blocked: false }, after }
    await record(tx, author, { ...entry, reason: reason ?? null }, now)
    return true
  })
}

/** Ends a block. False: there was none. Refuses with `customer_not_found`. */
export function unblockCustomer(
  db: Db,
  author: Author,
  { accountId, reason }: { accountId: bigint; reason?: string | undefined },
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    if (!(await unblockAccount(tx, accountId, now))) return false
    const entry = { action: 'unblock_customer', ...about(accountId), before: { blocked: true } }
    await record(tx, author, { ...entry, after: { blocked: false }, reason: reason ?? null }, now)
    return true
  })
}

/** Signs a customer out everywhere; returns the number of sessions that ended. */
export function endCustomerSessions(
  db: Db,
  author: Author,
  { accountId, reason }: { accountId: bigint; reason?: string | undefined },
  now: Date,
): Promise<number> {
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    const ended = await endSessions(tx, accountId)
    const entry = { action: 'end_customer_sessions', ...about(accountId), after: { ended } }
    await record(tx, author, { ...entry, reason: reason ?? null }, now)
    return ended
  })
}

/** Removes a member from a customer's team. False: there is no such member. */
export function removeFromTeam(
  db: Db,
  author: Author,
  given: { accountId: bigint; memberId: bigint; reason?: string | undefined },
  now: Date,
): Promise<boolean> {
  const { accountId, memberId, reason } = given
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    if (!(await endMembership(tx, { teamId: accountId, memberId }))) return false
    const entry = { action: 'remove_team_member', ...about(accountId), before: { member: String(memberId) } }
    await record(tx, author, { ...entry, reason: reason ?? null }, now)
    return true
  })
}

/** Writes a note on a customer and returns its id. */
export function noteCustomer(
  db: Db,
  author: Author,
  { accountId, text }: { accountId: bigint; text: string },
  now: Date,
): Promise<bigint> {
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    const writer = { kind: author.kind, id: author.staffId, name: author.name }
    const id = await addNote(tx, { accountId, text, author: writer }, now)
    const after = { note: id, text }
    await record(tx, author, { action: 'add_note', ...about(accountId), after }, now)
    return id
  })
}

/** Removes a note; the trail keeps its text. Refuses with `note_not_found`. */
export function dropNote(db: Db, author: Author, noteId: bigint, now: Date): Promise<void> {
  return transaction(db, async (tx) => {
    const gone = await removeNote(tx, noteId)
    if (gone === null) throw new Refusal('note_not_found')
    const before = { note: noteId, text: gone.text }
    await record(tx, author, { action: 'remove_note', ...about(gone.accountId), before }, now)
  })
}

/** Adds a tag to a customer. False: the customer had it already; nothing is recorded. */
export function addTagTo(
  db: Db,
  author: Author,
  { accountId, tag }: { accountId: bigint; tag: string },
  now: Date,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    await customerOf(tx, accountId)
    if (!(await addTag(tx, accountId, tag))) return false
    await record(tx, author, { action: 'add_tag', ...about(accountId), after: { tag } }, now)
    return true
  })
}

/**
 * The maximum number of letters in 24 hours for members who may not change a customer's access: a letter
 * under the shop's name could be used to deceive customers.
 */
const lettersADay = 50
const dayMs = 24 * 3_600_000

/**
 * Sends a letter, once per key. Refuses with `customer_not_found`, `no_email`, `act_key_reused` and, where
 * the author's letters are limited, `daily_letter_limit`.
 */
export function sendLetter(
  db: Db,
  { author, isLimited }: { author: Author; isLimited: boolean },
  { accountId, subject, text, key }: { accountId: bigint; subject: string; text: string; key: string },
  now: Date,
): Promise<unknown> {
  const action = 'send_letter'
  const input = { id: String(accountId), subject, text }
  return transaction(db, (tx) =>
    once(tx, { action, key, author, input }, async () => {
      const { staffId } = author
      const since = new Date(now.getTime() - dayMs)
      if (isLimited && staffId !== null && (await countSince(tx, { staffId, action }, since)) >= lettersADay)
        throw new Refusal('daily_letter_limit', { limit: lettersADay })
      await writeLetter(tx, accountId, { subject, text })
      const answer = {}
      await record(tx, author, { action, ...about(accountId), after: { key, input, answer } }, now)
      return answer
    }),
  )
}

/** Replaces the tags of a customer. */
export function tagCustomer(
  db: Db,
  author: Author,
  { accountId, tags }: { accountId: bigint; tags: readonly string[] },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx: Transaction<DB>) => {
    await customerOf(tx, accountId)
    const before = await setTags(tx, accountId, tags)
    const after = { tags: [...new Set(tags)].toSorted() }
    await record(
      tx,
      author,
      { action: 'set_tags', ...about(accountId), before: { tags: before }, after },
      now,
    )
  })
}
