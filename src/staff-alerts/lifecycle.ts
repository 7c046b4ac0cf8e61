/**
 * Opening and ending of alerts. All of it runs in one transaction, which one worker at a time executes.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type AlertKind, alertRules, isAlertKind } from '#contract/desk/alerts'
import type { DB } from '#db'
import { bigintArray } from '#lib/pg-array'
import type { Need } from './need.ts'

export interface Alert {
  id: bigint
  kind: AlertKind
  label: string
  /** The page of its subject; null: the page of its kind. */
  page: string | null
  isUrgent: boolean
  isHeld: boolean
  /** The alert has ended: its condition has not held for some minutes. */
  isOver: boolean
}

/** A condition that holds again within this time has not ended. */
const settleMs = 5 * 60_000

/**
 * Opens an alert for each condition that holds and has none, and ends those that have not held for some
 * minutes.
 */
export async function followNeeds(tx: Transaction<DB>, needs: readonly Need[], now: Date): Promise<void> {
  const rows = needs.flatMap(({ kind, subjects, page: pageOfNeed }) =>
    [...new Map(subjects.map((subject) => [subject.key, subject])).values()].map(({ key, label, page }) => ({
      kind,
      key,
      label,
      page: page ?? pageOfNeed ?? null,
      severity: alertRules[kind].isUrgent ? 'urgent' : 'usual',
    })),
  )
  // These kinds have more subjects than are named, so an unnamed one may still hold.
  const unnamed = needs.filter(({ count, subjects }) => count > subjects.length).map(({ kind }) => kind)
  await sql`
    insert into alert (kind, subject, label, severity, page, opened_at)
    select *, ${now}::timestamptz from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ key }) => key)}::text[],
      ${rows.map(({ label }) => label)}::text[], ${rows.map(({ severity }) => severity)}::text[],
      ${rows.map(({ page }) => page)}::text[])
    on conflict (kind, subject) where resolved_at is null
    do update set ceased_at = null, label = excluded.label, page = excluded.page
    where alert.ceased_at is not null or (alert.label, alert.page) is distinct from (excluded.label, excluded.page)`.execute(
    tx,
  )
  await sql`
    update alert a set ceased_at = coalesce(ceased_at, ${now}),
      resolved_at = case when ceased_at <= ${new Date(now.getTime() - settleMs)} then ${now}::timestamptz end
    where resolved_at is null and kind <> all(${unnamed}::text[]) and not exists (
      select from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ key }) => key)}::text[]) held(kind, subject)
      where held.kind = a.kind and held.subject = a.subject)`.execute(tx)
}

/** Alerts whose opening or end was not reported. One that ended before it was reported counts as ended. */
export async function untoldAlerts(tx: Transaction<DB>): Promise<Alert[]> {
  const { rows } = await sql<Omit<Alert, 'kind'> & { kind: string }>`
    select id, kind, label, page, severity = 'urgent' as "isUrgent", is_held as "isHeld", resolved_at is not null as "isOver"
    from alert where told_at is null or (resolved_at is not null and end_told_at is null) order by id`.execute(
    tx,
  )
  return rows.filter((row): row is Alert => isAlertKind(row.kind))
}

/** Alerts that are open, the oldest first. */
export async function openAlerts(db: Kysely<DB>): Promise<Alert[]> {
  const { rows } = await sql<Omit<Alert, 'kind'> & { kind: string }>`
    select id, kind, label, page, severity = 'urgent' as "isUrgent", is_held as "isHeld", false as "isOver"
    from alert where resolved_at is null order by id`.execute(db)
  return rows.filter((row): row is Alert => isAlertKind(row.kind))
}

/** Records that their openings, and the ends of those that have ended, were reported. */
export async function noteTold(tx: Transaction<DB>, alerts: readonly Alert[], now: Date): Promise<void> {
  await sql`
    update alert set told_at = coalesce(told_at, ${now}), is_held = false,
      end_told_at = case when resolved_at is not null then ${now}::timestamptz end
    where id = any(${bigintArray(alerts.map(({ id }) => id))}::bigint[])`.execute(tx)
}

/** Delays these until the end of the quiet hours. */
export async function hold(tx: Transaction<DB>, alerts: readonly Alert[]): Promise<void> {
  await sql`
    update alert set is_held = true
    where not is_held and id = any(${bigintArray(alerts.map(({ id }) => id))}::bigint[])`.execute(tx)
}

const keptMs = 90 * 24 * 60 * 60_000

/** Deletes old ended alerts, messages and wrong codes. */
export async function forgetAlerts(db: Kysely<DB>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs)
  await db
    .deleteFrom('alert')
    .where('resolved_at', '<', before)
    .where('end_told_at', 'is not', null)
    .execute()
  await db.deleteFrom('alert_message').where('created_at', '<', before).execute()
  await db.deleteFrom('alert_group_try').where('at', '<', before).execute()
}
