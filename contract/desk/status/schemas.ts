/** Incidents of the public status page. */
import * as z from 'zod'
import { incidentStates, serviceStates } from '../../status/rules.ts'
import { done, id, label, page, pageOf, pool, time } from '../schemas.ts'

const state = z.enum(incidentStates)

const title = z.strictObject({ ru: label(200).min(1), en: label(200).min(1) })
const text = z.strictObject({
  ru: z.string().trim().min(1).max(4000),
  en: z.string().trim().min(1).max(4000),
})
/** The affected pools; empty: the incident is about the site, accounts or payments. */
const pools = z
  .array(pool)
  .max(4)
  .refine((chosen) => new Set(chosen).size === chosen.length)

const incidentRow = z.object({
  id,
  title: z.object({ ru: z.string(), en: z.string() }),
  pools: z.array(pool),
  state,
  opened_at: time,
  resolved_at: time.nullable(),
  updated_at: time,
  /** The latest first. */
  updates: z.array(z.object({ id, at: time, state, text: z.object({ ru: z.string(), en: z.string() }) })),
})

const incidentsPage = pageOf(incidentRow).extend({
  /** The address of the public page. */
  url: z.string(),
  /** The pools as the page shows them now; `updated_at` null: the figures were never computed. */
  pools: z.array(z.object({ pool, state: z.enum(serviceStates), success: z.number().nullable() })),
  updated_at: time.nullable(),
})

const openIncidentInput = z.strictObject({ title, pools, state, text })
const updateIncidentInput = z.strictObject({ id, state, text })
/** Corrects title, pools and texts; times and states of updates are unchanged. */
const correctIncidentInput = z.strictObject({
  id,
  title,
  pools,
  updates: z.array(z.strictObject({ id, text })).max(100),
})

export const statusDeskSchemas = {
  incidents: { input: z.strictObject(page), output: incidentsPage },
  open_incident: { input: openIncidentInput, output: z.object({ id }) },
  update_incident: { input: updateIncidentInput, output: done },
  correct_incident: { input: correctIncidentInput, output: done },
} as const
