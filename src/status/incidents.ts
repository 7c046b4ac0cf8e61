/** Incidents: staff's reports to customers about problems, in both languages. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { IncidentState } from '#contract/status/rules'
import type { Pool } from '#contract/wire'
import type { DB } from '#db'
import { bigintArray, textArray } from '#lib/pg-array'
import { Refusal } from '#lib/refusal'

/** A text in both languages. */
export interface IncidentText {
  ru: string
  en: string
}

export interface Incident {
  id: bigint
  title: IncidentText
  pools: Pool[]
  state: IncidentState
  openedAt: Date
  resolvedAt: Date | null
  updatedAt: Date
  /** The latest first. */
  updates: { id: bigint; at: Date; state: IncidentState; text: IncidentText }[]
}

interface Head {
  title: IncidentText
  pools: readonly Pool[]
}

interface Update {
  state: IncidentState
  text: IncidentText
}

/** Opens an incident with its first update; returns its id. */
export async function openIncident(
  tx: Transaction<DB>,
  { title, pools, ...update }: Head & Update,
  now: Date,
): Promise<bigint> {
  const { rows } = await sql<{ id: bigint }>`
    insert into incident (title_ru, title_en, pools, state, opened_at, resolved_at, updated_at)
    values (${title.ru}, ${title.en}, ${[...pools]}::text[], ${update.state}, ${now},
      ${update.state === 'resolved' ? now : null}, ${now})
    returning id`.execute(tx)
  const id = rows[0]?.id
  if (id === undefined) throw new Error('the incident was not inserted')
  await addUpdate(tx, id, update, now)
  return id
}

/**
 * Adds an update, whose state becomes that of the incident; one that was resolved is open again with another
 * state. Refuses with `incident_not_found`.
 */
export async function updateIncident(
  tx: Transaction<DB>,
  { id, ...update }: Update & { id: bigint },
  now: Date,
): Promise<void> {
  await locked(tx, id)
  await sql`
    update incident set state = ${update.state}, updated_at = ${now},
      resolved_at = ${update.state === 'resolved' ? now : null}
    where id = ${id}`.execute(tx)
  await addUpdate(tx, id, update, now)
}

/**
 * Replaces the title, the pools, and the texts of updates, whose times and states stay. Refuses with
 * `incident_not_found`, also for an update of another incident.
 */
export async function correctIncident(
  tx: Transaction<DB>,
  {
    id,
    title,
    pools,
    updates,
  }: Head & { id: bigint; updates: readonly { id: bigint; text: IncidentText }[] },
  now: Date,
): Promise<void> {
  await locked(tx, id)
  await sql`
    update incident set title_ru = ${title.ru}, title_en = ${title.en}, pools = ${[...pools]}::text[], updated_at = ${now}
    where id = ${id}`.execute(tx)
  if (updates.length === 0) return
  const { numAffectedRows = 0n } = await sql`
    update incident_update u set text_ru = told.ru, text_en = told.en
    from unnest(${bigintArray(updates.map((one) => one.id))}::bigint[],
      ${textArray(updates.map(({ text }) => text.ru))}::text[],
      ${textArray(updates.map(({ text }) => text.en))}::text[]) as told(id, ru, en)
    where u.id = told.id and u.incident_id = ${id}`.execute(tx)
  if (numAffectedRows !== BigInt(updates.length)) throw new Refusal('incident_not_found')
}

async function locked(tx: Transaction<DB>, id: bigint): Promise<void> {
  const { rows } = await sql`select from incident where id = ${id} for update`.execute(tx)
  if (rows.length === 0) throw new Refusal('incident_not_found')
}

async function addUpdate(tx: Transaction<DB>, id: bigint, { state, text }: Update, now: Date): Promise<void> {
  await sql`
    insert into incident_update (incident_id, at, state, text_ru, text_en)
    values (${id}, ${now}, ${state}, ${text.ru}, ${text.en})`.execute(tx)
}

/**
 * Incidents with their updates, the latest first. `since`: those that are open, and those that were opened
 * from then on. `before`: only those after this one in the list.
 */
export async function listIncidents(
  db: Kysely<DB>,
  {
    since = null,
    before = null,
    id = null,
    limit,
  }: { since?: Date | null; before?: bigint | null; id?: bigint | null; limit: number },
): Promise<Incident[]> {
  const { rows } = await sql<Omit<Incident, 'title' | 'updates'> & { titleRu: string; titleEn: string }>`
    select id, title_ru as "titleRu", title_en as "titleEn", pools, state, opened_at as "openedAt",
      resolved_at as "resolvedAt", updated_at as "updatedAt"
    from incident
    where (${since}::timestamptz is null or opened_at >= ${since} or resolved_at is null)
      and (${before}::bigint is null or id < ${before}) and (${id}::bigint is null or id = ${id})
    order by id desc limit ${limit}`.execute(db)
  const updates = await sql<
    Incident['updates'][number] & { incidentId: bigint; textRu: string; textEn: string }
  >`
    select id, incident_id as "incidentId", at, state, text_ru as "textRu", text_en as "textEn"
    from incident_update where incident_id = any(${bigintArray(rows.map((row) => row.id))}::bigint[])
    order by id desc`.execute(db)
  const ofIncident = Map.groupBy(updates.rows, ({ incidentId }) => incidentId)
  return rows.map(({ titleRu, titleEn, ...row }) => ({
    ...row,
    title: { ru: titleRu, en: titleEn },
    updates: (ofIncident.get(row.id) ?? []).map(({ id: update, at, state, textRu, textEn }) => ({
      id: update,
      at,
      state,
      text: { ru: textRu, en: textEn },
    })),
  }))
}
