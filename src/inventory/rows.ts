/** The parts of an inventory: rows of addresses, and names. */
import type { Pool } from '#contract/wire'

/** A number of addresses of one place and network. Ids are those of the targeting grammar. */
export interface InventoryRow {
  pool: Pool
  country: string
  state: string | null
  city: string | null
  zip: string | null
  asn: number | null
  count: number
}

/** The names of ids and AS numbers; a place without a name shows its id, a network is "Unknown". */
export interface InventoryNames {
  /** States and cities; of several names of one, the first is used. */
  places: Iterable<{ id: string; nameRu: string; nameEn: string }>
  networks: Iterable<{ asn: number; name: string }>
}

export interface Inventory {
  rows: Iterable<InventoryRow> | AsyncIterable<InventoryRow>
  /** Called after all rows have been read, so that names may be collected while reading. */
  names: () => InventoryNames
}
