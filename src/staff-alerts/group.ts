/**
 * The group of the staff in Telegram: linked by a code that the desk shows and a member gives in the group.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Language } from '#contract/language'
import { type DB, lockName, transaction } from '#db'
import { randomText, sha256 } from '#lib/secret'
import { type Author, record } from '#staff'
import { openAlerts } from './lifecycle.ts'
import { itemsOf } from './news.ts'
import { queueMessage } from './outbox.ts'
import { startLanguage } from './settings.ts'

export interface Group {
  chatId: bigint
  title: string
  isForum: boolean
  linkedAt: Date
  /** The Telegram name of the person who entered the code. */
  linkedBy: string
  /** Since when Telegram permanently refuses messages; null: it accepts them. */
  brokenAt: Date | null
  brokenReason: string | null
}

/** Null: no group is linked. */
export async function groupState(db: Kysely<DB>): Promise<Group | null> {
  const { rows } = await sql<Group>`
    select chat_id as "chatId", title, is_forum as "isForum", linked_at as "linkedAt", linked_by as "linkedBy",
      broken_at as "brokenAt", broken_reason as "brokenReason" from alert_group`.execute(db)
  return rows[0] ?? null
}

/** OWASP ASVS 6.5.5: ten minutes for a code given by another channel. */
const codeLifeMs = 10 * 60_000
/**
 * 40 bits: with the limit on wrong codes it cannot be guessed in its time. No letters and digits that look
 * alike.
 */
const codeLength = 8
const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Makes a code that links one group; earlier codes end. The first one sets the language of the group. */
export function makeGroupCode(
  db: Kysely<DB>,
  author: Author & { staffId: bigint },
  { now: clock, language }: { now: () => Date; language: Language },
): Promise<{ code: string; expiresAt: Date }> {
  const now = clock()
  const code = randomText(codeLength, codeAlphabet)
  const expiresAt = new Date(now.getTime() + codeLifeMs)
  return transaction(db, async (tx) => {
    await sql`
      insert into alert_group_code (code_sha256, staff_id, expires_at) values (${sha256(code)}, ${author.staffId}, ${expiresAt})
      on conflict (is_only) do update set code_sha256 = excluded.code_sha256, staff_id = excluded.staff_id,
        expires_at = excluded.expires_at`.execute(tx)
    await startLanguage(tx, language)
    await record(tx, author, { action: 'make_alert_code', subject }, now)
    return { code, expiresAt }
  })
}

const subject = { kind: 'alerts', id: 'group' } as const

export interface NewGroup {
  chatId: bigint
  title: string
  isForum: boolean
  /** The person who entered the code in the group. */
  from: { id: bigint; name: string }
  code: string
  requestId: string
}

/** Wrong codes of one person within the time. */
const mostWrong = 5
const wrongMs = 15 * 60_000

/**
 * Links a group with a code, which is used up; it replaces the previous group and gets the open alerts.
 * `wrong`: the code is not, or no longer, valid; `limited`: this person has given too many wrong ones, and is
 * not answered.
 */
export function linkGroup(
  db: Kysely<DB>,
  given: NewGroup,
  now: Date,
): Promise<'linked' | 'wrong' | 'limited'> {
  const { chatId, title, isForum, from, code, requestId } = given
  return transaction(db, async (tx) => {
    await lockName(tx, 'alert group')
    const { rows: tries } = await sql<{ count: number }>`
      select count(*)::int as count from alert_group_try
      where telegram_user_id = ${from.id} and at > ${new Date(now.getTime() - wrongMs)}`.execute(tx)
    if ((tries[0]?.count ?? 0) >= mostWrong) return 'limited'
    const { rows } = await sql<{ staffId: bigint; name: string }>`
      delete from alert_group_code c using staff s
      where c.code_sha256 = ${sha256(code.toUpperCase())} and c.expires_at > ${now} and s.id = c.staff_id and s.blocked_at is null
      returning s.id as "staffId", s.name`.execute(tx)
    const [issuer] = rows
    if (issuer === undefined) {
      await sql`insert into alert_group_try (telegram_user_id, at) values (${from.id}, ${now})`.execute(tx)
      return 'wrong'
    }
    await sql`delete from alert_group`.execute(tx)
    await sql`delete from alert_topic`.execute(tx)
    await sql`
      insert into alert_group (chat_id, title, is_forum, linked_at, linked_by)
      values (${chatId}, ${title}, ${isForum}, ${now}, ${from.name})`.execute(tx)
    const author = { kind: 'staff', staffId: issuer.staffId, name: issuer.name, ip: null, requestId } as const
    const after = { title, chat_id: String(chatId), given_by: from.name }
    await record(tx, author, { action: 'link_alert_group', subject, after }, now)
    await queueMessage(tx, null, { about: 'linked', items: itemsOf(await openAlerts(tx)) }, now)
    return 'linked'
  })
}

/** Ends the link; false: there was none. */
export function unlinkGroup(db: Kysely<DB>, author: Author, now: Date): Promise<boolean> {
  return transaction(db, async (tx) => {
    await lockName(tx, 'alert group')
    const before = await groupState(tx)
    await sql`delete from alert_group_code`.execute(tx)
    if (before === null) return false
    await sql`delete from alert_group`.execute(tx)
    await sql`delete from alert_topic`.execute(tx)
    await record(tx, author, { action: 'unlink_alert_group', subject, before: { title: before.title } }, now)
    return true
  })
}

/**
 * Records that Telegram permanently refuses messages to this group, unless another group was linked
 * meanwhile.
 */
export async function noteBroken(
  tx: Transaction<DB>,
  { chatId, reason }: { chatId: bigint; reason: string },
  now: Date,
): Promise<void> {
  await sql`
    update alert_group set broken_at = ${now}, broken_reason = ${reason.slice(0, 200)}
    where chat_id = ${chatId} and broken_at is null`.execute(tx)
}

/** Records the group's new id after Telegram migrated it to a supergroup. */
export async function noteMoved(db: Kysely<DB>, from: bigint, to: bigint): Promise<void> {
  await sql`update alert_group set chat_id = ${to} where chat_id = ${from}`.execute(db)
}

/** Records that the group has no topics, or that the bot may not create any. */
export async function noteWithoutTopics(db: Kysely<DB>, chatId: bigint): Promise<void> {
  await sql`update alert_group set is_forum = false where chat_id = ${chatId}`.execute(db)
}

/** The topic of the group that the bot has made; null: none yet. */
export async function topicThread(db: Kysely<DB>, topic: string): Promise<number | null> {
  const { rows } = await sql<{ id: bigint }>`
    select thread_id as id from alert_topic where topic = ${topic}`.execute(db)
  return rows[0] === undefined ? null : Number(rows[0].id)
}

/**
 * Stores the topic that was created in this group, unless another group was linked meanwhile; null: it no
 * longer exists.
 */
export async function noteTopic(
  db: Kysely<DB>,
  { chatId, topic }: { chatId: bigint; topic: string },
  threadId: number | null,
): Promise<void> {
  // The lock makes another group's linking, which forgets all topics, wait for this one.
  const linked = sql`select from alert_group where chat_id = ${chatId} for share`
  await (
    threadId === null
      ? sql`with linked as (${linked}) delete from alert_topic where topic = ${topic} and exists (select from linked)`
      : sql`with linked as (${linked})
        insert into alert_topic (topic, thread_id) select ${topic}::text, ${threadId}::bigint where exists (select from linked)
        on conflict (topic) do update set thread_id = excluded.thread_id`
  ).execute(db)
}
