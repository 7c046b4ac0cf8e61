/** What accounts hold about a person, and its erasure. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DB } from '#db'
import type { PersonalPart } from '#db/personal'
import { type LanguageCode, languageOfCode } from '#contract/language'
import { sendMail } from '#mail'
import { newRefCode, personOf } from './person.ts'
import { accountSubject, nameSubject } from './signin/throttle.ts'

export const accountParts: readonly PersonalPart[] = [
  {
    name: 'account',
    // account_held contains balances that are a few minutes old; an export contains the current ones.
    tables: ['account', 'account_spending', 'account_held', 'security_changed'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select a.id, a.username, a.email, a.email_confirmed_at, a.password_hash is not null as has_password,
        a.lang as language, a.ref_code as referral_code, a.invited_by, a.admin_referral_code as campaign,
        a.pers_percent_ppm as referral_share_ppm, coalesce(s.micros, 0)::bigint as spent_micro_usd, a.created_at,
        a.updated_at, a.seen_at, a.signed_in_at, a.sign_up_country, a.blocked_at, a.blocked_until, a.blocked_reason, a.erasure_asked_at,
        a.tells_of_devices as letters_about_new_devices, (select at from security_changed where account_id = a.id) as security_changed_at
      from account a left join account_spending s on s.account_id = a.id where a.id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'sign_up_consents',
    // The texts belong to the shop; the rows name those that the customer accepted.
    tables: ['sign_up_consent', 'shown_document'],
    atErasure: 'anonymised',
    rows: (id) => sql`
      select c.id, c.document, s.language, s.title, s.text, encode(c.sha256, 'hex') as sha256, s.is_draft, c.version,
        c.way, c.given_at, c.ip, c.user_agent
      from sign_up_consent c join shown_document s on s.sha256 = c.sha256 where c.account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'sessions',
    tables: ['session', 'sign_in_step'],
    atErasure: 'removed',
    rows: (id) => sql`
      select row_number() over (order by created_at, token_sha256) as number, created_at, used_at, expires_at, ip,
        user_agent, country
      from session where account_id = ${id}`,
    key: { number: 'bigint' },
  },
  {
    name: 'sign_ins',
    tables: ['sign_in'],
    atErasure: 'removed',
    rows: (id) => sql`select id, at, ip, way from sign_in where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'second_factors',
    tables: ['account_totp', 'account_passkey', 'account_recovery_code'],
    atErasure: 'removed',
    rows: (id) => sql`
      select row_number() over (order by kind, created_at, used_at, name) as number, kind, name, created_at, used_at from (
        select 'authenticator_app' as kind, null as name, created_at, used_at from account_totp where account_id = ${id}
        union all
        select 'passkey', name, created_at, used_at from account_passkey where account_id = ${id}
        union all
        select 'recovery_code', null, created_at, used_at from account_recovery_code where account_id = ${id}) factor`,
    key: { number: 'bigint' },
  },
  {
    name: 'devices',
    tables: ['account_device'],
    atErasure: 'removed',
    rows: (id) => sql`
      select id, name, network, country, first_at, last_at from account_device where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'email_changes',
    tables: ['email_change'],
    atErasure: 'removed',
    rows: (id) => sql`
      select id, new_email, asked_at, confirmed_at, old_email, undo_by from email_change where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'links_in_letters',
    tables: ['account_token'],
    atErasure: 'removed',
    rows: (id) => sql`
      select row_number() over (order by created_at, token_sha256) as number, kind, created_at, expires_at
      from account_token where account_id = ${id}`,
    key: { number: 'bigint' },
  },
  {
    name: 'telegram',
    tables: ['telegram_identity', 'telegram_code', 'telegram_update', 'telegram_support'],
    atErasure: 'removed',
    rows: (id) => sql`
      select telegram_user_id, linked_at, signed_in_at, tells_of_sign_ins as notices_of_sign_ins
      from telegram_identity where account_id = ${id}`,
    key: { telegram_user_id: 'bigint' },
  },
  {
    name: 'notes_of_support',
    tables: ['account_note'],
    atErasure: 'removed',
    rows: (id) => sql`select id, created_at, text from account_note where account_id = ${id}`,
    key: { id: 'bigint' },
  },
  {
    name: 'tags_of_support',
    tables: ['account_tag'],
    atErasure: 'removed',
    rows: (id) => sql`select tag from account_tag where account_id = ${id}`,
    key: { tag: 'text' },
  },
]

/** The data that identifies the owner of an account. */
export interface Names {
  username: string | null
  email: string | null
  telegramUserId: bigint | null
  lang: LanguageCode
}

/**
 * Locks an account until the transaction ends, and returns the data that identifies its owner and the time of
 * its erasure; null: there is no such account. A concurrent new invoice waits.
 */
export async function lockPerson(
  tx: Transaction<DB>,
  accountId: bigint,
): Promise<(Names & { erasedAt: Date | null }) | null> {
  await sql`select from account where id = ${accountId} for update`.execute(tx)
  return personNames(tx, accountId)
}

/** The same without the lock. */
export async function personNames(
  db: Kysely<DB>,
  accountId: bigint,
): Promise<(Names & { erasedAt: Date | null }) | null> {
  const { rows } = await sql<Names & { erasedAt: Date | null }>`
    select a.username, a.email, a.lang, i.telegram_user_id as "telegramUserId", a.erased_at as "erasedAt"
    from account a left join telegram_identity i on i.account_id = a.id where a.id = ${accountId}`.execute(db)
  return rows[0] ?? null
}

/**
 * Removes from an account all data that identifies its owner, and every way to sign in. Its invitees no
 * longer have an inviter, and its name and e-mail address become available to other accounts.
 */
export async function eraseAccount(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<void> {
  const id = accountId
  const { rows } = await sql<{ username_key: string | null; email_key: string | null }>`
    select username_key, email_key from account where id = ${id}`.execute(tx)
  const subjects = [rows[0]?.username_key, rows[0]?.email_key].flatMap((key) =>
    key == null ? [] : [nameSubject(key)],
  )
  await sql`delete from attempt where subject = any(${[accountSubject(id), ...subjects]}::text[])`.execute(tx)
  await sql`
    delete from telegram_update u using telegram_identity i
    where i.account_id = ${id} and u.chat_id = i.telegram_user_id`.execute(tx)
  for (const table of [
    'session',
    'sign_in',
    'sign_in_step',
    'account_totp',
    'account_passkey',
    'account_recovery_code',
    'account_device',
    'email_change',
    'security_changed',
    'account_token',
    'telegram_identity',
    'telegram_code',
    'account_note',
    'account_tag',
  ])
    await sql`delete from ${sql.table(table)} where account_id = ${id}`.execute(tx)
  // The consents are kept: they prove that the contract was made and that the data was stored lawfully.
  await sql`update sign_up_consent set ip = null, user_agent = null where account_id = ${id}`.execute(tx)
  await sql`update account set invited_by = null where invited_by = ${id}`.execute(tx)
  await sql`
    update account set username = null, username_key = null, email = null, email_key = null,
      email_confirmed_at = null, password_hash = null, ref_code = ${newRefCode()}, pers_percent_ppm = 0,
      seen_at = null, signed_in_at = null, sign_up_country = null, blocked_at = ${now}, blocked_until = null, blocked_reason = null, tells_blocked_reason = false,
      erasure_asked_at = null, erased_at = ${now}, updated_at = ${now}
    where id = ${id}`.execute(tx)
}

/** Records or withdraws a customer's request for erasure. Returns whether this changed anything. */
export async function noteErasureRequest(
  db: Kysely<DB>,
  accountId: bigint,
  askedAt: Date | null,
): Promise<boolean> {
  const changed = await db
    .updateTable('account')
    .set({ erasure_asked_at: askedAt })
    .where('id', '=', accountId)
    .where('erasure_asked_at', askedAt === null ? 'is not' : 'is', null)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

/** The same with a letter to the owner, who may not have made the request. */
export async function askForErasure(tx: Transaction<DB>, accountId: bigint, now: Date): Promise<void> {
  if (!(await noteErasureRequest(tx, accountId, now))) return
  const { email, lang } = await personOf(tx, accountId)
  if (email === null) return
  const language = languageOfCode(lang)
  await sendMail(tx, { template: 'erasure_requested', to: email, language, data: {} })
}

/** Declines a request for erasure, and sends the customer the reason. False: there was no request. */
export async function declineErasure(
  tx: Transaction<DB>,
  accountId: bigint,
  reason: string,
): Promise<boolean> {
  if (!(await noteErasureRequest(tx, accountId, null))) return false
  const { email, lang } = await personOf(tx, accountId)
  const language = languageOfCode(lang)
  if (email !== null)
    await sendMail(tx, { template: 'erasure_declined', to: email, language, data: { reason } })
  return true
}

/** When the customer requested erasure; null: they did not. */
export async function erasureAskedAt(db: Kysely<DB>, accountId: bigint): Promise<Date | null> {
  const row = await db
    .selectFrom('account')
    .select('erasure_asked_at')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.erasure_asked_at ?? null
}

/** The customers who have requested erasure, oldest request first. */
export function waitingForErasure(db: Kysely<DB>): Promise<{ id: bigint; askedAt: Date }[]> {
  return db
    .selectFrom('account')
    .select(['id', 'erasure_asked_at as askedAt'])
    .where('erasure_asked_at', 'is not', null)
    .orderBy('erasure_asked_at')
    .$narrowType<{ askedAt: Date }>()
    .execute()
}
