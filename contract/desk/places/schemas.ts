/** Places: which ones each pool offers, from which exits, and imports of places. */
import * as z from 'zod'
import { amount, done, empty, id, page, pageOf, pool, reason, time } from '../schemas.ts'

/** 24 MiB: a larger file is for the command line. */
export const mostCsvCharacters = 24 * 1024 * 1024

export const placesInput = z.strictObject({
  ...page,
  pool: pool.optional(),
  country: z
    .string()
    .regex(/^[a-z]{2}$/)
    .optional(),
  source: z.string().max(32).optional(),
})

export const placesPage = pageOf(
  z.object({
    pool,
    country: z.string(),
    addresses: amount,
    states: z.number(),
    cities: z.number(),
    /** The names of the exits and of the operator's own sources that offer the country. */
    from: z.array(z.string()),
  }),
)

export const placeSources = z.array(
  z.object({
    name: z.string(),
    /** The exit that owns the addresses; null: a source of the operator's own. */
    exit: z.object({ id, name: z.string(), pool }).nullable(),
    demo: z.boolean(),
    pools: z.array(pool),
    countries: z.number(),
    addresses: amount,
    rows: amount,
    loaded_at: time,
    /** The imported files, the current one first. */
    files: z.array(z.object({ id, rows: amount, by: z.string(), at: time, kept: z.boolean() })),
  }),
)

/** The owner of imported addresses: a source or an exit. */
const owner = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('source'), name: z.string().max(32) }),
  z.strictObject({ kind: z.literal('exit'), id }),
])

const csv = z.string().min(1).max(mostCsvCharacters)

export const previewPlacesInput = z.strictObject({ owner, csv })

export const placesPreview = z.object({
  /** Error messages with their line numbers; if there are any, nothing can be imported. */
  faults: z.array(z.string()),
  comparison: z
    .object({
      rows: z.number(),
      /** The numbers of countries, states and cities that an import adds, removes or changes. */
      added: z.number(),
      removed: z.number(),
      changed: z.number(),
      addresses_before: amount,
      addresses_after: amount,
      countries: z.array(z.object({ pool, country: z.string(), before: amount, after: amount })),
    })
    .nullable(),
})

export const importPlacesInput = z.strictObject({ owner, csv, reason: reason.optional() })

export const restorePlacesInput = z.strictObject({ file_id: id, reason: reason.optional() })

export const removePlacesInput = z.strictObject({ source: z.string().max(32), reason })

export const importedPlaces = z.object({ source: z.string(), rows: z.number() })

export const placesDeskSchemas = {
  places: { input: placesInput, output: placesPage },
  place_sources: { input: empty, output: placeSources },
  preview_places: { input: previewPlacesInput, output: placesPreview },
  import_places: { input: importPlacesInput, output: importedPlaces },
  restore_places: { input: restorePlacesInput, output: importedPlaces },
  remove_places: { input: removePlacesInput, output: done },
} as const
