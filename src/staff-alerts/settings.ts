/** Settings of alerts: the shop's, and each staff member's. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type AlertKind, alertKinds, alertKindsOf, isAlertKind } from '#contract/desk/alerts'
import { isEmail } from '#contract/account-rules'
import type { Role } from '#contract/desk/roles'
import type { Language } from '#contract/language'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { dayIn } from '#lib/zone'
import { type Author, record } from '#staff'
import { clockTime, digestDue, type QuietHours } from './clock.ts'
import { askForCode, dropPending } from './own.address.ts'

export interface AlertSettings {
  /** Of the messages in the group. */
  language: Language
  quiet: QuietHours | null
  /** When the message of the day is sent, in minutes after midnight; null: none is. */
  digestMinute: number | null
  /** The kinds that are not sent to the group. */
  groupOff: AlertKind[]
}

/** `unchosen`: the language where nobody has chosen one. */
export async function readAlertSettings(
  db: Kysely<DB>,
  unchosen: Language = 'ru',
): Promise<AlertSettings & { digestDay: string | null }> {
  const { rows } = await sql<{
    language: Language | null
    from: number | null
    until: number | null
    digestMinute: number | null
    digestDay: string | null
    groupOff: string[]
  }>`select language, quiet_from_minute::int as from, quiet_until_minute::int as until,
      digest_minute::int as "digestMinute", digest_day::text as "digestDay", group_off as "groupOff"
    from alert_settings`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('alert_settings has no row')
  const { from, until, groupOff, language, ...rest } = row
  return {
    ...rest,
    language: language ?? unchosen,
    quiet: from === null || until === null ? null : { from, until },
    groupOff: groupOff.filter(isAlertKind),
  }
}

/** The group starts with the language of the member who asks for its code. */
export async function startLanguage(tx: Transaction<DB>, language: Language): Promise<void> {
  await sql`update alert_settings set language = ${language} where language is null`.execute(tx)
}

/**
 * Changes the settings, and records it. Refuses with `same_quiet_hours` where quiet hours would end as they
 * begin.
 */
export function setAlertSettings(
  db: Kysely<DB>,
  author: Author,
  wanted: AlertSettings,
  { now, zone }: { now: Date; zone: string },
): Promise<void> {
  const { quiet, digestMinute, language, groupOff } = wanted
  if (quiet !== null && quiet.from === quiet.until) throw new Refusal('same_quiet_hours')
  return transaction(db, async (tx) => {
    await sql`select from alert_settings for update`.execute(tx)
    const { digestDay, ...before } = await readAlertSettings(tx)
    // A time that has already passed today applies from tomorrow on.
    const today = dayIn(zone, now)
    const hasPassed = digestMinute !== null && clockTime(zone, today, digestMinute) <= now
    const isNew = digestMinute !== before.digestMinute
    await sql`
      update alert_settings set language = ${language}, quiet_from_minute = ${quiet?.from ?? null},
        quiet_until_minute = ${quiet?.until ?? null}, digest_minute = ${digestMinute},
        digest_day = ${isNew && hasPassed ? today : digestDay}::date,
        group_off = ${alertKinds.filter((kind) => groupOff.includes(kind))}::text[]`.execute(tx)
    const subject = { kind: 'alerts', id: 'settings' } as const
    await record(tx, author, { action: 'set_alert_settings', subject, before, after: wanted }, now)
  })
}

/** The day whose message is due, which then counts as sent; null: none is. */
export async function claimDigest(tx: Transaction<DB>, zone: string, now: Date): Promise<string | null> {
  const { digestMinute: minute, digestDay: sentDay } = await readAlertSettings(tx)
  const day = digestDue({ minute, sentDay }, zone, now)
  if (day !== null) await sql`update alert_settings set digest_day = ${day}::date`.execute(tx)
  return day
}

export interface OwnAlerts {
  /** Null: this member gets no letters. */
  email: string | null
  language: Language
  /** The kinds that are mailed to them. */
  kinds: AlertKind[]
}

interface Recipient extends OwnAlerts {
  staffId: bigint
  role: Role
}

/**
 * Members with an address, with the kinds that they have chosen and that their role permits.
 */
export async function recipients(db: Kysely<DB>): Promise<(Recipient & { email: string })[]> {
  const { rows } = await sql<{
    staffId: bigint
    role: Role
    email: string
    language: Language
    chosen: string[]
    refused: string[]
  }>`
    select s.id as "staffId", s.role, a.email, a.language,
      array(select kind from staff_alert_choice c where c.staff_id = s.id and is_on) as chosen,
      array(select kind from staff_alert_choice c where c.staff_id = s.id and not is_on) as refused
    from staff s join staff_alert a on a.staff_id = s.id where s.blocked_at is null order by s.id`.execute(db)
  return rows.map(({ chosen, refused, ...rest }) => ({
    ...rest,
    kinds: kindsOf(rest.role, { chosen, refused }),
  }))
}

/** By default owners get every kind, and other members none. */
const kindsOf = (role: Role, { chosen, refused }: { chosen: string[]; refused: string[] }) =>
  alertKindsOf(role).filter((kind) => (role === 'owner' ? !refused.includes(kind) : chosen.includes(kind)))

/** What a member has chosen. */
export async function ownAlerts(
  db: Kysely<DB>,
  { id, role }: { id: bigint; role: Role },
  language: Language,
): Promise<OwnAlerts> {
  const address = await db
    .selectFrom('staff_alert')
    .select(['email', 'language'])
    .where('staff_id', '=', id)
    .executeTakeFirst()
  const choices = await db
    .selectFrom('staff_alert_choice')
    .select(['kind', 'is_on'])
    .where('staff_id', '=', id)
    .execute()
  const named = (isOn: boolean) => choices.filter((one) => one.is_on === isOn).map(({ kind }) => kind)
  return {
    email: address?.email ?? null,
    language: (address?.language as Language | undefined) ?? language,
    kinds: kindsOf(role, { chosen: named(true), refused: named(false) }),
  }
}

/**
 * Stores what a member chooses, and records it. Another address is sent a code and counts once it is
 * confirmed; until then letters go to the one before. Refuses with `invalid_email` and `code_sent_already`;
 * kinds that their role may not know stay off.
 */
export function setOwnAlerts(
  db: Kysely<DB>,
  own: { member: { id: bigint; role: Role }; author: Author },
  { email, language, kinds }: OwnAlerts,
  { deskUrl, now }: { deskUrl: URL; now: Date },
): Promise<void> {
  if (email !== null && !isEmail(email)) throw new Refusal('invalid_email')
  const { id, role } = own.member
  return transaction(db, async (tx) => {
    await sql`select from staff where id = ${id} for update`.execute(tx)
    const before = await ownAlerts(tx, own.member, language)
    if (email === null) await sql`delete from staff_alert where staff_id = ${id}`.execute(tx)
    else await sql`update staff_alert set language = ${language} where staff_id = ${id}`.execute(tx)
    if (email === null || email === before.email) await dropPending(tx, id)
    else await askForCode(tx, { staffId: id, email, language }, deskUrl, now)
    const shown = alertKindsOf(role)
    await sql`
      insert into staff_alert_choice (staff_id, kind, is_on)
      select ${id}, kind, kind = any(${kinds}::text[]) from unnest(${shown}::text[]) kind
      on conflict (staff_id, kind) do update set is_on = excluded.is_on`.execute(tx)
    const after = {
      email,
      is_confirmed: email === before.email,
      language,
      kinds: shown.filter((kind) => kinds.includes(kind)),
    }
    const subject = { kind: 'staff', id: String(id) } as const
    await record(tx, own.author, { action: 'set_my_alerts', subject, before, after }, now)
  })
}
