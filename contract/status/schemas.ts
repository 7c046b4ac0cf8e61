/** The schemas of the status page. It has shares, never counts: counts could reveal single customers. */
import * as z from 'zod'
import { empty, pool } from '../schemas.ts'
import { incidentStates, serviceStates } from './rules.ts'

const state = z.enum(serviceStates)
/** The share of connections that an exit served, 0 to 1, rounded down; null: too little traffic to say. */
const success = z.number().nullable()

const incident = z.object({
  id: z.string(),
  title: z.string(),
  /** The affected pools; empty: the incident is about the site, accounts or payments. */
  pools: z.array(pool),
  state: z.enum(incidentStates),
  opened_at: z.string(),
  resolved_at: z.string().nullable(),
  /** The latest first. */
  updates: z.array(z.object({ at: z.string(), state: z.enum(incidentStates), text: z.string() })),
})

const status = z.object({
  /** When the figures were computed; null: never. */
  updated_at: z.string().nullable(),
  pools: z.array(
    z.object({
      pool,
      /** The state in the last hour; if that has too little traffic, today's state. */
      state,
      /** The share over all 90 days. */
      success,
      /** The last 90 days in UTC, the oldest first, today's last. */
      days: z.array(z.object({ day: z.string(), state, success })),
    }),
  ),
  /** The places with enough traffic to show a state, the worst first. */
  places: z.array(z.object({ pool, country: z.string(), state, success })),
  /** The open incidents, and those of the last 90 days, the latest first. */
  incidents: z.array(incident),
})

export const statusSchemas = { get_status: { input: empty, output: status } } as const
