/** Writing incidents of the status page. Each change is recorded in its transaction. */
import type { Kysely } from 'kysely'
import type { IncidentState } from '#contract/status/rules'
import type { Pool } from '#contract/wire'
import { type DB, transaction } from '#db'
import { Refusal } from '#lib/refusal'
import { type Author, record } from '#staff'
import {
  correctIncident,
  type Incident,
  type IncidentText,
  listIncidents,
  openIncident,
  updateIncident,
} from '#status'

type Db = Kysely<DB>

interface IncidentUpdate {
  state: IncidentState
  text: IncidentText
}

interface IncidentHead {
  title: IncidentText
  pools: Pool[]
}

async function incidentOf(db: Db, id: bigint): Promise<Incident> {
  const [found] = await listIncidents(db, { id, limit: 1 })
  if (found === undefined) throw new Refusal('incident_not_found')
  return found
}

const shownHead = ({ title, pools, state }: Incident) => ({
  title_ru: title.ru,
  title_en: title.en,
  pools,
  state,
})

/** The texts of an incident as the audit trail shows them, by the number of the update. */
const shownTexts = ({ updates }: Incident, ids: ReadonlySet<bigint>) =>
  Object.fromEntries(
    updates
      .filter(({ id }) => ids.has(id))
      .flatMap(({ id, text }) => [
        [`text_ru_${id}`, text.ru],
        [`text_en_${id}`, text.en],
      ]),
  )

/** Opens an incident with its first update; returns its id. */
export function reportIncident(
  db: Db,
  author: Author,
  order: IncidentHead & IncidentUpdate,
  now: Date,
): Promise<bigint> {
  return transaction(db, async (tx) => {
    const id = await openIncident(tx, order, now)
    const after = { ...shownHead(await incidentOf(tx, id)), text_ru: order.text.ru, text_en: order.text.en }
    const subject = { kind: 'incident', id: String(id) } as const
    await record(tx, author, { action: 'open_incident', subject, before: null, after }, now)
    return id
  })
}

/** Adds an update. Refuses with `incident_not_found`. */
export function addIncidentUpdate(
  db: Db,
  author: Author,
  order: IncidentUpdate & { id: bigint },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const before = await incidentOf(tx, order.id)
    await updateIncident(tx, order, now)
    const entry = {
      action: 'update_incident',
      subject: { kind: 'incident', id: String(order.id) },
      before: { state: before.state },
      after: { state: order.state, text_ru: order.text.ru, text_en: order.text.en },
    } as const
    await record(tx, author, entry, now)
  })
}

/** Corrects what an incident says. Refuses with `incident_not_found`. */
export function rewriteIncident(
  db: Db,
  author: Author,
  order: IncidentHead & { id: bigint; updates: { id: bigint; text: IncidentText }[] },
  now: Date,
): Promise<void> {
  return transaction(db, async (tx) => {
    const ids = new Set(order.updates.map(({ id }) => id))
    const before = await incidentOf(tx, order.id)
    await correctIncident(tx, order, now)
    const after = await incidentOf(tx, order.id)
    const entry = {
      action: 'correct_incident',
      subject: { kind: 'incident', id: String(order.id) },
      before: { ...shownHead(before), ...shownTexts(before, ids) },
      after: { ...shownHead(after), ...shownTexts(after, ids) },
    } as const
    await record(tx, author, entry, now)
  })
}
