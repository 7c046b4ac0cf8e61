/** One customer as staff see them, with notes and tags. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { CustomerState } from './desk.search.ts'

export interface CustomerFacts {
  id: bigint
  username: string | null
  email: string | null
  emailConfirmedAt: Date | null
  telegramUserId: bigint | null
  lang: string
  state: CustomerState
  blockedAt: Date | null
  blockedUntil: Date | null
  blockedReason: string | null
  createdAt: Date
  seenAt: Date | null
  hasPassword: boolean
  inviterId: bigint | null
  inviterName: string | null
  invited: bigint
  campaign: string | null
  /** Parts per million; 0: the shop's own. */
  sharePpm: number
  spentMicros: bigint
  tags: string[]
}

/** Everything that an account is, without its secrets; null: there is none with this id. */
export async function customerFacts(db: Kysely<DB>, id: bigint): Promise<CustomerFacts | null> {
  const { rows } = await sql<CustomerFacts>`
    select a.id, a.username, a.email, a.email_confirmed_at as "emailConfirmedAt",
      i.telegram_user_id as "telegramUserId", a.lang,
      case when a.blocked_at is not null then 'blocked'
        when a.email is not null and a.email_confirmed_at is null then 'unconfirmed' else 'active' end as state,
      a.blocked_at as "blockedAt", a.blocked_until as "blockedUntil", a.blocked_reason as "blockedReason",
      a.created_at as "createdAt", a.seen_at as "seenAt", a.password_hash is not null as "hasPassword",
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

/** The sign-ins of a customer that have not ended, the latest used first. */
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

/** Ends all sign-ins of a customer; answers how many. */
export async function endAccountSessions(tx: Kysely<DB>, accountId: bigint): Promise<number> {
  const ended = await tx.deleteFrom('session').where('account_id', '=', accountId).executeTakeFirst()
  return Number(ended.numDeletedRows)
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

/** Removes a note and returns what it was; null: there is none with this id. */
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

/** Replaces the tags of a customer and returns those before. */
export async function setTags(
  tx: Transaction<DB>,
  accountId: bigint,
  tags: readonly string[],
): Promise<string[]> {
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
      .execute()
  return before.map(({ tag }) => tag).toSorted()
}
