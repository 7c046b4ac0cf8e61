import { statusDays } from '#contract/status/rules'
import type { statusWire } from '#contract/status/calls'
import type { HandlersOf } from '#db/call'
import { listIncidents, readStatus, type Status, statusMadeAt } from './status.ts'

const mostIncidents = 50
const dayMs = 86_400_000

/**
 * get_status: public. The figures are cached, and read again after they were recomputed, and at least once a
 * minute.
 */
export function statusCalls() {
  let known: { key: string; status: Status } | null = null
  return {
    get_status: async (_input, { database, language, now }) => {
      const at = now()
      const since = new Date(at.getTime() - statusDays * dayMs)
      const madeAt = await database.read(statusMadeAt)
      // Read again each minute, because old figures no longer describe the present state.
      const key = `${madeAt?.getTime()} ${Math.floor(at.getTime() / 60_000)}`
      if (known?.key !== key) known = { key, status: await database.read((db) => readStatus(db, at)) }
      const { updatedAt, pools, places } = known.status
      const incidents = await database.read((db) => listIncidents(db, { since, limit: mostIncidents }))
      return {
        updated_at: updatedAt?.toISOString() ?? null,
        pools,
        places,
        incidents: incidents.map((incident) => ({
          id: String(incident.id),
          title: incident.title[language],
          pools: incident.pools,
          state: incident.state,
          opened_at: incident.openedAt.toISOString(),
          resolved_at: incident.resolvedAt?.toISOString() ?? null,
          updates: incident.updates.map(({ at: told, state, text }) => ({
            at: told.toISOString(),
            state,
            text: text[language],
          })),
        })),
      }
    },
  } satisfies HandlersOf<typeof statusWire>
}
