/** One customer as staff see them, with notes and tags. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import { type CustomerState, stateOf } from './desk.search.ts'

export interface CustomerFacts {
  id: bigint
  username: string | null
  email: string | null
  emailConfirmedAt: Date | null
  telegramUserId: bigint | null
  telegramLinkedAt: Date | null
  lang: string
  state: CustomerState
  blockedAt: Date | null
  blockedUntil: Date | null
  blockedReason: string | null
  erasureAskedAt: Date | null
  erasedAt: Date | null
  createdAt: Date
  seenAt: Date | null
  signedInAt: Date | null
  /** At the sign-up, an ISO 3166-1 code; null: not known. */
  country: string | null
  hasPassword: boolean
  inviterId: bigint | null
  inviterName: string | null
  invited: bigint
  campaign: string | null
  /** Parts per million; 0: the shop's default. */
  sharePpm: number
  spentMicros: bigint
  tags: string[]
}

/** All data of an account, without its secrets; null: there is no account with this id. */
export async function customerFacts(db: Kysely<DB>, id: bigint): Promise<CustomerFacts | null> {
  const { rows } = await sql<CustomerFacts>`
    select a.id, a.username, a.email, a.email_confirmed_at as "emailConfirmedAt",
      i.telegram_user_id as "telegramUserId", a.lang,
      ${stateOf} as state,
      a.blocked_at as "blockedAt", a.blocked_until as "blockedUntil", a.blocked_reason as "blockedReason",
      a.erasure_asked_at as "erasureAskedAt", a.erased_at as "erasedAt", a.created_at as "createdAt", a.seen_at as "seenAt",
      a.signed_in_at as "signedInAt", a.sign_up_country as country, i.linked_at as "telegramLinkedAt", a.password_hash is not null as "hasPassword",
      a.invited_by as "inviterId", v.username as "inviterName",
      (select count(*) from account w where w.invited_by = a.id) as invited,
      a.admin_referral_code as campaign, a.pers_percent_ppm as "sharePpm",
      coalesce(s.micros, 0)::bigint as "spentMicros",
      array(select tag from account_tag t where t.account_id = a.id order by tag) as tags
    from account a
    left join account v on v.id = a.invited_by
    left join account_spending s on s.account_id = a.id
    left join telegram_identity i on i.account_id = a.id
    where a.id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** The customer's open sessions, most recently used first. */
export function sessionsOfAccount(db: Kysely<DB>, accountId: bigint, now: Date) {
  return db
    .selectFrom('session')
    .select(['created_at', 'used_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('used_at', 'desc')
    .limit(50)
    .execute()
}

export interface NoteAuthor {
  kind: string
  id: bigint | null
  name: string
}

/** The notes on a customer, the newest first. */
export function notesOf(db: Kysely<DB>, accountId: bigint, limit = 200) {
  return db
    .selectFrom('account_note')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Adds a note and returns its id. */
export async function addNote(
  tx: Transaction<DB>,
  { accountId, text, author }: { accountId: bigint; text: string; author: NoteAuthor },
  now: Date,
): Promise<bigint> {
  const { id } = await tx
    .insertInto('account_note')
    .values({
      account_id: accountId,
      text,
      author_kind: author.kind,
      author_id: author.id,
      author_name: author.name,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Removes a note and returns it; null: there is no note with this id. */
export async function removeNote(
  tx: Transaction<DB>,
  noteId: bigint,
): Promise<{ accountId: bigint; text: string } | null> {
  const row = await tx
    .deleteFrom('account_note')
    .where('id', '=', noteId)
    .returning(['account_id', 'text'])
    .executeTakeFirst()
  return row === undefined ? null : { accountId: row.account_id, text: row.text }
}

/** Adds a tag to a customer. False: the customer already has it. */
export async function addTag(tx: Transaction<DB>, accountId: bigint, tag: string): Promise<boolean> {
  const added = await tx
    .insertInto('account_tag')
    .values({ account_id: accountId, tag })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return added.numInsertedOrUpdatedRows === 1n
}

/** The fields of these accounts, where they exist, that decide whether an action changes them. */
export async function standingOf(db: Kysely<DB>, ids: readonly bigint[], tag: string | null) {
  const { rows } = await sql<{
    id: bigint
    isBlocked: boolean
    isErased: boolean
    hasEmail: boolean
    hasTag: boolean
  }>`
    select a.id, a.blocked_at is not null as "isBlocked", a.erased_at is not null as "isErased", a.email is not null as "hasEmail",
      exists (select from account_tag t where t.account_id = a.id and t.tag = ${tag}) as "hasTag"
    from account a where a.id = any(${ids.map(String)}::bigint[])`.execute(db)
  return rows
}

/** Replaces the tags of a customer and returns the previous ones. */
export async function setTags(
  tx: Transaction<DB>,
  accountId: bigint,
  tags: readonly string[],
): Promise<string[]> {
  // A deletion does not see tags that a concurrent one inserts: both lists would remain.
  await tx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
  const before = await tx
    .deleteFrom('account_tag')
    .where('account_id', '=', accountId)
    .returning('tag')
    .execute()
  const wanted = [...new Set(tags)]
  if (wanted.length > 0)
    await tx
      .insertInto('account_tag')
      .values(wanted.map((tag) => ({ account_id: accountId, tag })))
      // A concurrent `addTag` may have added one of them.
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  return before.map(({ tag }) => tag).toSorted()
}
