/** A million rows of inventory from a fixed seed: the same on every machine. */
import { pools, type Pool } from '#contract/wire'
import { seeded } from '#lib/seeded'
import { countryCodes } from '#contract/countries'

/** A line of a CSV file, as `turnpike inventory import` reads it. */
export interface GeoRow {
  pool: Pool
  country: string
  state: string
  city: string
  zip: string
  asn: number
  as_name: string
  count: number
}

export const geoColumns = ['pool', 'country', 'state', 'city', 'zip', 'asn', 'as_name', 'count'] as const

/** The first countries have the most rows. */
export const geoCountries = [...new Set(['us', 'de', 'gb', ...countryCodes])].slice(0, 200)

/** Fewer states further down the list: 50 in the first country, 5 in the last. */
const statesOf = (rank: number) => Math.max(1, Math.round(50 / (1 + rank / 22)))

/** Exactly `total` rows: four pools, 200 countries, about 2,700 states and 45,000 cities in each pool. */
export function* geoRows(total: number): Generator<GeoRow> {
  const chance = seeded(1)
  let left = total
  // Round-robin over all places, so that any total covers all countries evenly.
  for (;;) {
    for (const pool of pools) {
      for (const [rank, country] of geoCountries.entries()) {
        const networks = 30 + ((200 - rank) >> 1)
        for (let state = 0; state < statesOf(rank); state++) {
          for (let city = 0; city < 16; city++) {
            if (left-- <= 0) return
            const asn = 1000 + rank * 200 + Math.floor(chance() ** 2 * networks)
            yield {
              pool,
              country,
              state: `S${state}`,
              city: `City ${rank} ${state} ${city}`,
              zip: String(10_000 + (state * 16 + city) * 3 + Math.floor(chance() * 2.2)),
              asn,
              as_name: `Network ${asn} of ${country.toUpperCase()}`,
              count: 1 + Math.floor(chance() * 500),
            }
          }
        }
      }
    }
  }
}
