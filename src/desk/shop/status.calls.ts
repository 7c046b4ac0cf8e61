/** The desk's calls about the public status page. */
import { authorOf, type DeskHandlers } from '#staff/call'
import { type Incident, listIncidents, readStatus } from '#status'
import { idAfter, iso, pageOf } from '../lists/page.ts'
import { addIncidentUpdate, reportIncident, rewriteIncident } from './status.ts'

const shownIncident = (incident: Incident) => ({
  id: String(incident.id),
  title: incident.title,
  pools: incident.pools,
  state: incident.state,
  opened_at: incident.openedAt.toISOString(),
  resolved_at: iso(incident.resolvedAt),
  updated_at: incident.updatedAt.toISOString(),
  updates: incident.updates.map(({ id, at, state, text }) => ({
    id: String(id),
    at: at.toISOString(),
    state,
    text,
  })),
})

export const statusCalls = ({ shopUrl }: { shopUrl: URL }) =>
  ({
    incidents: async ({ after, limit = 50 }, { database: { db }, now }) => {
      const rows = await listIncidents(db, { before: idAfter(after), limit: limit + 1 })
      const { updatedAt, pools } = await readStatus(db, now())
      return {
        ...pageOf(rows, limit, { next: (last) => String(last.id), shown: shownIncident }),
        url: new URL('/status', shopUrl).href,
        pools: pools.map(({ pool, state, success }) => ({ pool, state, success })),
        updated_at: iso(updatedAt),
      }
    },
    open_incident: async (input, context) => {
      const id = await reportIncident(context.database.db, authorOf(context), input, context.now())
      return { id: String(id) }
    },
    update_incident: async ({ id, ...update }, context) => {
      const order = { id: BigInt(id), ...update }
      await addIncidentUpdate(context.database.db, authorOf(context), order, context.now())
      return true as const
    },
    correct_incident: async ({ id, title, pools, updates }, context) => {
      const texts = updates.map(({ id: update, text }) => ({ id: BigInt(update), text }))
      const order = { id: BigInt(id), title, pools, updates: texts }
      await rewriteIncident(context.database.db, authorOf(context), order, context.now())
      return true as const
    },
  }) satisfies Partial<DeskHandlers>
